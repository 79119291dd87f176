# SPDX-License-Identifier: MIT OR Apache-2.0
"""The mean window of one flow that loses every 1/p-th packet, simulated.

The link is so fast, and its queue so large, that only the losses limit the flow; the receiver acknowledges every packet.
The flow starts in congestion avoidance at the window that the cycle of its rule begins with, and its first loss comes
at once. Whole cycles are measured, from one loss' detection to another's, after those in which an algorithm gathers
what it remembers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import cwnd

LOSS, RECOVERY = 4, 3


@dataclass(frozen=True)
class MeasuredWindow:
    """What came out: mean over time, the largest window at a loss, cycles, timeouts."""

    mean: float
    w_max: float
    cycles: int
    timeouts: int


def mean_window(
    cc: str, p: float, rtt_s: float, start: float, rounds: float, cycles: int, skip: int, **settings: str | bool
) -> MeasuredWindow:
    """`cycles` cycles of `cc`, after `skip` others, of about `rounds` round trips each, from a window of `start`."""
    every = round(1 / p)
    window = max(2, round(start))
    losses = ",".join(str(2 + n * every) for n in range(3 * (cycles + skip)))
    # Every set with the same recovery: what is measured is the window's rule.
    settings = {"recovery": "sack", **settings}
    # Flow checks its keys itself.
    flow = cwnd.Flow(cc, ack_every=1, initial_cwnd=window, initial_ssthresh=window, **settings)  # type: ignore[arg-type]
    scenario = cwnd.dumbbell(
        [flow],
        rate="100Gbit/s",
        rtt=f"{rtt_s * 1e3:g}ms",
        buffer="100000000packets",
        loss=f"at:{losses}",
        # A little more, for an algorithm that grows more slowly than its rule says.
        duration=f"{1.25 * (cycles + skip) * (rounds + 2) * rtt_s:.3f}s",
        interval=f"{rtt_s * 1e3 / 4:g}ms",
    )
    result = cwnd.run(scenario)
    events = result.events.to_pydict()
    reductions = [
        time
        for time, kind, value in zip(events["time_s"], events["kind"], events["value"])
        if kind == "state" and value in (RECOVERY, LOSS)
    ]
    table = result.cwnd
    time, windows = table["time_s"].to_numpy(), table["cwnd"].to_numpy()
    last = min(skip + cycles, len(reductions) - 1)
    if last <= skip:
        raise RuntimeError(f"{cc}, p = {p}: only {len(reductions)} losses in {scenario.duration_s} s")
    inside = (time >= reductions[skip]) & (time < reductions[last])
    at_loss = [windows[np.searchsorted(time, at) - 1] for at in reductions[skip : last + 1]]
    return MeasuredWindow(
        mean=float(windows[inside].mean()),
        w_max=float(np.mean(at_loss)),
        cycles=last - skip,
        timeouts=int(result.summary["flows"][0]["timeouts_run"]),
    )
