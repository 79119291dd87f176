# SPDX-License-Identifier: MIT OR Apache-2.0
"""Real stacks in a run, by name, and programs that act as one."""
