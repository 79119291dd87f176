# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two results beside each other: what differs between them, by how much, and what is decided (`cwnd diff`, `cwnd.diff`)."""
