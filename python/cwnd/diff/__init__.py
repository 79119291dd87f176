# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares two results: what differs, by how much, and which differences are decided (`cwnd diff`, `cwnd.diff`)."""
