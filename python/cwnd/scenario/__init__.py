# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios, from Python, from the command line and from files."""
