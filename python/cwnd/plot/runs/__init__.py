# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of runs: one, several seeds of one, or several beside each other."""
