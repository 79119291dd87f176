# SPDX-License-Identifier: MIT OR Apache-2.0
"""ns-2's side."""
