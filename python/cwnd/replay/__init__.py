# SPDX-License-Identifier: MIT OR Apache-2.0
"""Recorded calls and packets, replayed."""
