# SPDX-License-Identifier: MIT OR Apache-2.0
"""Users' crates: created, checked, built, loaded."""
