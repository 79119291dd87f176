# SPDX-License-Identifier: MIT OR Apache-2.0
"""Ha, Rhee and Xu, "CUBIC: a new TCP-friendly high-speed TCP variant", ACM SIGOPS Operating Systems Review 42 (2008)."""
