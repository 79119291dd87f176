# SPDX-License-Identifier: MIT OR Apache-2.0
"""Helpers of the package that know nothing of scenarios and results."""
