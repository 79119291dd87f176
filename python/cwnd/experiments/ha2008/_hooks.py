# SPDX-License-Identifier: MIT OR Apache-2.0
"""One connection on which an algorithm's hooks are called one by one: no network, no clock but the one that is set."""

from __future__ import annotations

from cwnd._native import Hooks


def connection(cc: str, window: int, ssthresh: int = 2, *, now_us: int | None = None) -> Hooks:
    """A connection in congestion avoidance, its window full."""
    hooks = Hooks(cc)
    hooks.set("cwnd", window)
    hooks.set("ssthresh", ssthresh)
    if now_us is not None:
        hooks.set("now_us", now_us)
    hooks.init()
    hooks.fill()
    return hooks


def at(hooks: Hooks, window: int) -> Hooks:
    """The connection with another window, which is full."""
    hooks.set("cwnd", window)
    hooks.set("cwnd_cnt", 0)
    hooks.set("packets_out", window)
    hooks.fill()
    return hooks


def round_trip(hooks: Hooks, rtt_us: int) -> int:
    """Acknowledges one window, packet by packet, with this round trip; the change of the window."""
    before = hooks.get("cwnd")
    for _ in range(before):
        hooks.ack(1, rtt_us)
    return hooks.get("cwnd") - before


def growth(hooks: Hooks, window: int, rtt_us: int) -> int:
    """Packets that a round trip's acknowledgements add while the window itself is held where it is."""
    gained = 0
    for _ in range(window):
        hooks.ack(1, rtt_us)
        gained += hooks.get("cwnd") - window
        hooks.set("cwnd", window)
    return gained
