# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of runs: one run, several seeds of one, or several runs side by side."""
