# SPDX-License-Identifier: MIT OR Apache-2.0
"""What others adopt, `cwnd`, `cwnd-quinn` and `cwnd-noq`, checked as they would get it (`make published`)."""

#: The crates that are published, dependencies first.
CRATES = ("cwnd", "cwnd-quinn", "cwnd-noq")
