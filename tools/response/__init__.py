# SPDX-License-Identifier: MIT OR Apache-2.0
"""Mean windows under deterministic loss, compared with their formulas."""
