# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane linux: a scenario in a user-mode Linux kernel in virtual time. Here are the kernels: built, listed, found. `trace` records what
connections do in one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cwnd.linux.build_kernel import build
from cwnd.linux.kernels import Kernel, find, kernels, remove
from cwnd.linux.steps import Step

if TYPE_CHECKING:
    from cwnd.kernel.virtual_trace import trace

__all__ = ["Kernel", "Step", "build", "find", "kernels", "remove", "trace"]


def __getattr__(name: str) -> object:
    # It needs Arrow, whose import takes longer than the rest of a command.
    if name == "trace":
        from cwnd.kernel.virtual_trace import trace

        globals()[name] = trace
        return trace
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
