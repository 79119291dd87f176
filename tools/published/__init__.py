# SPDX-License-Identifier: MIT OR Apache-2.0
"""What others adopt, `cwnd` and its adapters for quinn, noq and s2n-quic, checked as they would get it (`make published`)."""

#: The crates that are published, dependencies first.
CRATES = ("cwnd", "cwnd-quinn", "cwnd-noq", "cwnd-s2n-quic")
