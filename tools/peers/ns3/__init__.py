# SPDX-License-Identifier: MIT OR Apache-2.0
"""ns-3's side."""
