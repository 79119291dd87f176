# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs as qlog."""
