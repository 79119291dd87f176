# SPDX-License-Identifier: MIT OR Apache-2.0
"""The same scenarios in ns-2 and ns-3, and what differs."""
