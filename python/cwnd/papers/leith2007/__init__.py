# SPDX-License-Identifier: MIT OR Apache-2.0
"""Leith, Shorten and McCullagh, "Experimental evaluation of Cubic-TCP", PFLDnet 2007."""
