# SPDX-License-Identifier: MIT OR Apache-2.0
"""FreeBSD's review of CUBIC with NewReno's window in the TCP-friendly region."""
