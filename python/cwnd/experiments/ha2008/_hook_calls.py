# SPDX-License-Identifier: MIT OR Apache-2.0
"""One connection on which an algorithm's hooks are called one by one, without a network, with a clock that the caller sets."""

from __future__ import annotations

from cwnd._native import Hooks


def connection(cc: str, window: int, ssthresh: int = 2, *, now_us: int | None = None) -> Hooks:
    """A connection in congestion avoidance with a full window."""
    hooks = Hooks(cc)
    hooks.set("cwnd", window)
    hooks.set("ssthresh", ssthresh)
    if now_us is not None:
        hooks.set("now_us", now_us)
    hooks.init()
    hooks.fill()
    return hooks


def with_window(hooks: Hooks, window: int) -> Hooks:
    """Sets another window, which is full; returns the connection."""
    hooks.set("cwnd", window)
    hooks.set("cwnd_cnt", 0)
    hooks.set("packets_out", window)
    hooks.fill()
    return hooks


def round_trip(hooks: Hooks, rtt_us: int) -> int:
    """Acknowledges one window, packet by packet, with this round trip; returns the change of the window."""
    before = hooks.get("cwnd")
    for _ in range(before):
        hooks.ack(1, rtt_us)
    return hooks.get("cwnd") - before


def growth_per_round_trip(hooks: Hooks, window: int, rtt_us: int) -> int:
    """Packets that the acknowledgements of a round trip add, while the window is reset after each."""
    gained = 0
    for _ in range(window):
        hooks.ack(1, rtt_us)
        gained += hooks.get("cwnd") - window
        hooks.set("cwnd", window)
    return gained
