# SPDX-License-Identifier: MIT OR Apache-2.0
"""Completion of command lines in bash, zsh and fish."""
