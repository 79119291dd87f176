# SPDX-License-Identifier: MIT OR Apache-2.0
"""What CUBIC's hooks leave and return, called one by one: its inner variables after a timeout, its window when a loss is undone."""

from __future__ import annotations

from cwnd._native import Hooks
from cwnd.experiments import Reduced
from cwnd.experiments.ha2008._hooks import connection

#: Inner variables that cubic_reset() sets to 0, by the names that each form has for them; the first one is the memory of W_max.
RESET = {
    "cubic-2.1": ("last_max", "origin", "k_s_x1024", "w_tcp", "epoch_start_ticks"),
    "cubic-2.2": ("w_max", "origin", "k_s_x1024", "in_epoch"),
}
#: And the minimum delay, in the module's form.
DELAY_MIN = {"cubic-2.1": "min_rtt_ticks"}
RTT_US = 100_000
#: Linux's number of the state of repair after a timeout.
LOSS = 4


def round_trips(hooks: Hooks, count: int) -> None:
    """So many windows acknowledged, packet by packet, while the clock goes on."""
    for _ in range(count):
        for _ in range(hooks.get("cwnd")):
            hooks.set("now_us", hooks.get("now_us") + RTT_US // hooks.get("cwnd"))
            hooks.ack(1, RTT_US)


def grown(cc: str) -> Hooks:
    """A connection ten round trips after its window was 200."""
    hooks = connection(cc, 200, 200, now_us=10_000_000)
    round_trips(hooks, 10)
    return hooks


def after_timeout(cc: str) -> Reduced:
    """Inner variables that a timeout leaves, after a loss and some growth: how many, their names and values, and the minimum delay."""
    hooks = grown(cc)
    hooks.loss()
    round_trips(hooks, 5)
    hooks.ssthresh()
    hooks.set_state(LOSS)
    left = {name: hooks.get(name) for name in RESET[cc] if hooks.get(name)}
    names = ", ".join(f"{name} {value}" for name, value in left.items())
    return {"left": len(left), "names": names, **({"delay_min": hooks.get(DELAY_MIN[cc])} if cc in DELAY_MIN else {})}


def undone(cc: str, losses: int) -> Reduced:
    """Window before the last of so many losses and after it, the memory of W_max, and what undo returns; of two, the second is below the first."""
    hooks = grown(cc)
    for _ in range(losses):
        before = hooks.get("cwnd")
        hooks.loss()
        after, memory = hooks.get("cwnd"), hooks.get(RESET[cc][0])
        round_trips(hooks, 5 if losses > 1 else 0)
    return {"before": before, "after": after, "memory": memory, "undo": hooks.undo_cwnd()}
