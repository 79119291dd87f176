# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measurements of speed and cost; `bench/` has the crates and records that they use."""
