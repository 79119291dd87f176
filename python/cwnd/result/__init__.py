# SPDX-License-Identifier: MIT OR Apache-2.0
"""The result of one run: its tables, on disk, on the terminal."""
