# SPDX-License-Identifier: MIT OR Apache-2.0
"""The part of the native module for lane live and `cwnd shell`: only Linux has it, and a wheel of the simulator alone lacks it."""

from __future__ import annotations

import sys

from cwnd import _native


def why_not() -> str:
    """Why this cwnd lacks the part, as the end of a sentence; empty if it has the part."""
    if hasattr(_native, "Lab"):
        return ""
    if sys.platform != "linux":
        return "needs Linux"
    return "is not built into this cwnd, which has the simulator only (`cwnd doctor live` says how to get it)"


def required(what: str) -> None:
    """Raises `OSError` if this cwnd lacks the part; the message begins with `what`, which needs it."""
    if why := why_not():
        raise OSError(f"{what} {why}")
