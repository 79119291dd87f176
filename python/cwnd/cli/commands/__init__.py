# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands, one file each, named as they are typed."""
