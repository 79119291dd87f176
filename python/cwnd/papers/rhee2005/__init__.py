# SPDX-License-Identifier: MIT OR Apache-2.0
"""Rhee and Xu, "CUBIC: a new TCP-friendly high-speed TCP variant", PFLDnet 2005."""
