# SPDX-License-Identifier: MIT OR Apache-2.0
"""What several experiments of the document share."""
