# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm's hooks called one by one, without a network, with a clock that the caller sets; what a timeout resets and what undo returns."""

from __future__ import annotations

from dataclasses import dataclass

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


#: Inner variables that cubic_reset() sets to 0, with their names in each form; the first is the memory of W_max.
RESET = {
    "cubic-2.1": ("last_max", "origin", "k_s_x1024", "w_tcp", "epoch_start_ticks"),
    "cubic-2.2": ("w_max", "origin", "k_s_x1024", "in_epoch"),
}
#: The minimum delay, which only the module's form resets.
DELAY_MIN = {"cubic-2.1": "min_rtt_ticks"}
RTT_US = 100_000
#: Linux's number of the state of repair after a timeout.
LOSS = 4


def round_trips(hooks: Hooks, count: int) -> None:
    """Acknowledges `count` windows, packet by packet, and advances the clock."""
    for _ in range(count):
        for _ in range(hooks.get("cwnd")):
            hooks.set("now_us", hooks.get("now_us") + RTT_US // hooks.get("cwnd"))
            hooks.ack(1, RTT_US)


def connection_after_growth(cc: str) -> Hooks:
    """A connection ten round trips after its window was 200."""
    hooks = connection(cc, 200, 200, now_us=10_000_000)
    round_trips(hooks, 10)
    return hooks


@dataclass(frozen=True, slots=True)
class AfterTimeout:
    """Inner variables that a timeout does not reset, after a loss and some growth."""

    #: How many of `RESET`, and which: names with values.
    left: int
    names: str
    #: The minimum delay, of the module's form.
    delay_min: int | None = None


@dataclass(frozen=True, slots=True)
class AfterLosses:
    """The window before and after the last of some losses, the memory of W_max, and the result of undo."""

    before: int
    after: int
    memory: int
    undo: int


def after_timeout(cc: str) -> AfterTimeout:
    """What a timeout leaves, after a loss and some growth."""
    hooks = connection_after_growth(cc)
    hooks.loss()
    round_trips(hooks, 5)
    hooks.ssthresh()
    hooks.set_state(LOSS)
    left = {name: hooks.get(name) for name in RESET[cc] if hooks.get(name)}
    names = ", ".join(f"{name} {value}" for name, value in left.items())
    return AfterTimeout(left=len(left), names=names, delay_min=hooks.get(DELAY_MIN[cc]) if cc in DELAY_MIN else None)


def undo_after_losses(cc: str, losses: int) -> AfterLosses:
    """The last of `losses` losses, and undo. Of two losses, the second is at a smaller window than the first."""
    hooks = connection_after_growth(cc)
    for _ in range(losses):
        before = hooks.get("cwnd")
        hooks.loss()
        after, memory = hooks.get("cwnd"), hooks.get(RESET[cc][0])
        round_trips(hooks, 5 if losses > 1 else 0)
    return AfterLosses(before=before, after=after, memory=memory, undo=hooks.undo_cwnd())
