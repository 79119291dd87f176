# SPDX-License-Identifier: MIT OR Apache-2.0
"""Growth and fall of curves: a window or a rate over time, or a measure over a sweep; and windows relative to reductions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.curve import last_at
from cwnd.metrics.series import Floats, by_flow, curves, reductions

if TYPE_CHECKING:
    import pyarrow as pa

# Linux's number of the state Open.
OPEN = 0


def growth(times: Sequence[float] | Floats, values: Sequence[float] | Floats, begin_s: float, lasts_s: float) -> float:
    """Mean growth per second of a sampled curve over `lasts_s` from `begin_s` on, interpolated between its samples."""
    early, late = np.interp([begin_s, begin_s + lasts_s], times, values)
    return float((late - early) / lasts_s)


def exponent(xs: Iterable[float], ys: Iterable[float]) -> float:
    """The exponent n of y ~ xⁿ: the slope of the line through their logarithms, by least squares."""
    return float(np.polyfit(np.log(list(xs)), np.log(list(ys)), 1)[0])


def falls_to(xs: Iterable[float], ys: Iterable[float], level: float) -> float:
    """The smallest x at which a curve falls to `level`, interpolated linearly between logarithms.

    If it never does: the smallest x if the curve is at or below `level` there, else infinite.
    """
    points = sorted(zip(xs, ys))
    for (x, y), (next_x, next_y) in pairwise(points):
        if y > level >= next_y:
            return float(x * (next_x / x) ** (np.log(y / level) / np.log(y / next_y)))
    return points[0][0] if points[0][1] <= level else math.inf


def stays_below(xs: Iterable[float], ys: Iterable[float], level: float) -> float:
    """The smallest x from which on a curve is at or below `level`; infinite if it is above at the largest x."""
    points = sorted(zip(xs, ys))
    last_above = max((x for x, y in points if y > level), default=-math.inf)
    return min((x for x, _ in points if x > last_above), default=math.inf)


def mean_epoch(reduced_s: Sequence[float] | Floats) -> float:
    """The mean time (s) from one reduction of a flow to the next; infinite for fewer than two."""
    return float(np.diff(reduced_s).mean()) if len(reduced_s) > 1 else math.inf


def recovered(events: pa.Table) -> dict[int, Floats]:
    """The times (s) at which each flow ended a recovery: its state was Open again."""
    import pyarrow.compute as pc

    states = events.filter(pc.equal(events["kind"], "state"))
    return {flow: times[values == OPEN] for flow, (times, values) in by_flow(states, "time_s", "value")}


def near_last_maximum(
    cwnd: pa.Table, events: pa.Table, flow: int, *, part: float, begin_s: float, end_s: float
) -> float:
    """The part of the time, 0 to 1, in which a flow's window is at or above `part` of that before its last reduction.

    Every 100 ms up to `end_s`, from the second reduction after `begin_s` on (300 ms later, when it is made); what the window was before a
    reduction is that of 150 ms before it. 0 for fewer than two reductions.
    """
    reduced = reductions(events)[flow]
    reduced = reduced[reduced > begin_s]
    if len(reduced) < 2:
        return 0.0
    at = np.arange(reduced[1] + 0.3, end_s, 0.1)
    windows, before = (curves(cwnd, times)[flow] for times in (at, reduced - 0.15))
    return float(np.mean(windows >= part * last_at(reduced, before, at))) if len(at) else 0.0
