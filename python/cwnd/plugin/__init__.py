# SPDX-License-Identifier: MIT OR Apache-2.0
"""Crates of one's own: made, checked, built, loaded."""
