# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program `cwnd`: its commands, options, help and exit codes."""
