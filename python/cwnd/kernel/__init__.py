# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel`: the algorithms in the running Linux kernel."""
