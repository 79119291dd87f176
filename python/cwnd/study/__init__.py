# SPDX-License-Identifier: MIT OR Apache-2.0
"""Studies: a scenario, the axes along which it is changed, and seeds; tidy tables over all runs."""
