# SPDX-License-Identifier: MIT OR Apache-2.0
"""What long commands do once their options are read."""
