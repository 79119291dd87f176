# SPDX-License-Identifier: MIT OR Apache-2.0
"""Losses: how many, in what bursts, and of how many flows at a time (RFC 5166 §2.1.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.measure_type import UndefinedError, measure

Numbers = Sequence[float] | NDArray[np.float64]


@measure("")
def loss_rate(dropped: float, forwarded: float) -> float:
    """Packets dropped over packets whose fate was decided: dropped / (dropped + forwarded) (RFC 5166 §2.1.3).

    Undefined when no packet arrived.
    """
    if dropped + forwarded <= 0:
        raise UndefinedError("no packet arrived")
    return dropped / (dropped + forwarded)


@measure("")
def loss_event_rate(drop_times_s: Numbers, packets: float, *, rtt_s: float) -> float:
    """Loss events per packet: drops of a flow within one RTT of an event's first belong to it (RFC 5166 §2.1.3, RFC 5348 §5.2).

    `drop_times_s` in order, `packets` sent in the same interval. Undefined when no packet was sent.
    """
    if packets <= 0:
        raise UndefinedError("no packet was sent")
    return len(episodes(drop_times_s, rtt_s)) / packets


def episodes(times_s: Numbers, window_s: float) -> list[float]:
    """The start times of episodes; an episode contains all times within `window_s` of its start."""
    begins: list[float] = []
    for time in times_s:
        if not begins or time > begins[-1] + window_s:
            begins.append(float(time))
    return begins


def drop_runs(numbers: Sequence[int] | NDArray[np.int64]) -> list[int]:
    """Lengths of the runs of consecutive numbers, in the order of the drops (RFC 3357's loss periods).

    With positions in a flow's data: how many of its packets in a row were dropped. With numbers in the order of arrival at
    the queue: how long the queue dropped everything.
    """
    lengths: list[int] = []
    last = None
    for number in numbers:
        if last is not None and number == last + 1:
            lengths[-1] += 1
        else:
            lengths.append(1)
        last = number
    return lengths


@measure("packets")
def mean_drop_run(runs: Sequence[int]) -> float:
    """Mean length of the runs of drops: 1 when no two neighbours were dropped, 1/(1 − p) when each packet is dropped independently with probability p.

    Undefined without a drop.
    """
    if not runs:
        raise UndefinedError("nothing was dropped")
    return float(np.mean(runs))


@measure("")
def index_of_dispersion(drop_times_s: Numbers, *, window_s: float, begin_s: float, end_s: float) -> float:
    """Variance over mean of the drops per window: 1 for a Poisson process, more for bursts, 0 for regular drops.

    Whole windows from `begin_s` on; the variance is the sample's (n − 1). (Cox and Lewis, "The statistical analysis of
    series of events", 1966; for losses: RFC 5166 §2.1.3 asks for burstiness and names no index.) Undefined without a
    drop in these windows, and for fewer than two of them.
    """
    if window_s <= 0:
        raise ValueError(f"window_s is {window_s}; expected more than 0")
    count = int((end_s - begin_s) / window_s + 1e-6)
    if count < 2:
        raise UndefinedError(f"fewer than two windows of {window_s:g} s")
    edges = begin_s + window_s * np.arange(count + 1)
    # Half-open windows: numpy's histogram would close the last one.
    counts = np.diff(np.searchsorted(np.asarray(drop_times_s, dtype=np.float64), edges, side="left"))
    mean = counts.mean()
    if mean == 0:
        raise UndefinedError("nothing was dropped")
    return float(counts.var(ddof=1) / mean)


def congestion_events(reductions: Mapping[int, Numbers], window_s: float) -> list[tuple[float, set[int]]]:
    """Congestion events: when each began, and the flows that reduced their windows in it.

    An event begins with a reduction outside any event, and includes all reductions within `window_s` of it. `window_s` should be at least the longest round
    trip, because a flow may notice congestion that late.
    """
    ordered = sorted((float(time), flow) for flow, times in reductions.items() for time in times)
    begins = episodes([time for time, _ in ordered], window_s)
    events: list[tuple[float, set[int]]] = [(begin, set()) for begin in begins]
    index = -1
    for time, flow in ordered:
        while index + 1 < len(begins) and begins[index + 1] <= time:
            index += 1
        events[index][1].add(flow)
    return events


@measure("")
def synchronisation(reductions: Mapping[int, Numbers], *, window_s: float) -> float:
    """Mean share of the flows that reduce in the same congestion event: 1/n when one flow at a time reduces, 1 when all reduce together.

    `reductions` has an entry for every flow that took part, also for those that never reduced. (The synchronised and
    unsynchronised cases of Shorten, Wirth and Leith, "A positive systems model of TCP-like congestion control", 2006.)
    Undefined for fewer than two flows, and without a reduction.
    """
    if len(reductions) < 2:
        raise UndefinedError("fewer than two flows")
    events = congestion_events(reductions, window_s)
    if not events:
        raise UndefinedError("no flow reduced its window")
    return float(np.mean([len(flows) / len(reductions) for _, flows in events]))


@measure("")
def pairwise_synchronisation(reductions: Mapping[int, Numbers], one: int, other: int, *, window_s: float) -> float:
    """Share of congestion events in which both flows reduced, among those in which at least one of the two did: 0 to 1.

    Events are those of all flows in `reductions`. Undefined when neither of the two reduced.
    """
    events = [flows for _, flows in congestion_events(reductions, window_s)]
    either = [flows for flows in events if one in flows or other in flows]
    if not either:
        raise UndefinedError(f"neither flow {one} nor flow {other} reduced its window")
    return sum(one in flows and other in flows for flows in either) / len(either)
