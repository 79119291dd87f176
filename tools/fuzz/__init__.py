# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random input for the readers that are written in Python."""
