# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane linux: a scenario in a user-mode Linux kernel in virtual time. Here are the kernels: built, listed, found. `trace` records what
connections do in one; `queue` sends packets through one of its queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cwnd.linux.build_kernel import build
from cwnd.linux.kernels import Kernel, find, kernels, remove
from cwnd.linux.steps import Step

if TYPE_CHECKING:
    from cwnd.kernel.virtual_trace import trace
    from cwnd.linux.queue_bench import queue

__all__ = ["Kernel", "Step", "build", "find", "kernels", "queue", "remove", "trace"]


def __getattr__(name: str) -> object:
    # They need Arrow, whose import takes longer than the rest of a command.
    if name == "trace":
        from cwnd.kernel.virtual_trace import trace

        globals()[name] = trace
        return trace
    if name == "queue":
        from cwnd.linux.queue_bench import queue

        globals()[name] = queue
        return queue
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
