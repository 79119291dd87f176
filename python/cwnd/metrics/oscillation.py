# SPDX-License-Identifier: MIT OR Apache-2.0
"""Oscillation and response to changes (RFC 5166 §2.2).

Rates are a sequence of means over consecutive intervals: a row of `Rates`, or windows once per round trip (`Rounds`), whose unit is
then segments per round trip.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.measure_type import UndefinedError, measure

RateSequence = Sequence[float] | NDArray[np.float64]


def checked(rates: RateSequence, least: int) -> NDArray[np.float64]:
    """The rates as an array; `UndefinedError` if there are fewer than `least`."""
    values = np.asarray(rates, dtype=np.float64)
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("a rate is negative or not a number")
    if len(values) < least:
        raise UndefinedError(f"{len(values)} intervals; at least {least} are needed")
    return values


@measure("")
def coefficient_of_variation(rates: RateSequence) -> float:
    """Standard deviation over mean of the rates at one time scale (RFC 5166 §2.2.2).

    The scale is the length of the intervals (Floyd, Handley, Padhye and Widmer, "Equation-based congestion control for
    unicast applications", 2000, section 4); the deviation is the sample's (n − 1). Undefined for fewer than two intervals,
    and when nothing was sent.
    """
    values = checked(rates, 2)
    if values.max() == 0:
        raise UndefinedError("nothing was sent")
    values = values / values.max()
    return float(values.std(ddof=1) / values.mean())


@measure("")
def smoothness(rates: RateSequence) -> float:
    """The largest ratio between the rates of two consecutive intervals, up or down: 1 is perfectly smooth, standard TCP's halving 2.

    Bansal, Balakrishnan, Floyd and Shenker (2001). Undefined for fewer than two intervals, and when one of two neighbours is 0
    and the other is not.
    """
    values = checked(rates, 2)
    low, high = np.minimum(values[:-1], values[1:]), np.maximum(values[:-1], values[1:])
    low, high = low[high > 0], high[high > 0]
    if not len(high):
        raise UndefinedError("nothing was sent")
    if (low == 0).any():
        raise UndefinedError("the rate fell to 0 or rose from it")
    return float((high / low).max())


@measure("")
def largest_reduction(rates: RateSequence) -> float:
    """The largest part of the rate that is given up from one interval to the next, 0 to 1: RFC 5166 §2.2.1's smoothness.

    0.5 for standard TCP when the intervals are round trips and every 1/p-th packet is dropped. 0 when the rate never falls.
    Undefined for fewer than two intervals, and when nothing was sent.
    """
    values = checked(rates, 2)
    before, after = values[:-1], values[1:]
    if values.max() == 0:
        raise UndefinedError("nothing was sent")
    sent = before > 0
    return float(np.max(1 - after[sent] / before[sent], initial=0.0))


@measure("round trips")
def responsiveness(rates: RateSequence) -> float:
    """Round trips of persistent congestion until the rate has halved (RFC 5166 §2.2.1).

    `rates[0]` is the rate of the round trip before congestion begins, `rates[k]` that of its k-th round trip; the
    congestion must last. 1 for standard TCP. Undefined when the rate was 0 before, and when it never halves.
    """
    values = checked(rates, 2)
    if values[0] == 0:
        raise UndefinedError("nothing was sent before")
    below = np.flatnonzero(values[1:] <= values[0] / 2)
    if not len(below):
        raise UndefinedError(f"the rate did not halve within {len(values) - 1} round trips")
    return float(below[0] + 1)


@measure("")
def aggressiveness(rates: RateSequence, congested: Sequence[bool] | NDArray[np.bool_], *, rtt_s: float = 1.0) -> float:
    """The largest increase of the rate from one round trip to the next without congestion (RFC 5166 §2.2.1).

    `congested[k]` says whether congestion was noticed in the round trip k; an increase out of it does not count. With
    windows and `rtt_s` the result is in packets/s per round trip; without `rtt_s`, in the unit of `rates`: 1 segment for
    standard TCP's congestion avoidance. 0 when the rate never grows. Undefined when no two neighbours are free of
    congestion.
    """
    values = checked(rates, 2)
    free = ~np.asarray(congested, dtype=bool)
    if len(free) != len(values):
        raise ValueError(f"{len(values)} rates, but {len(free)} marks of congestion")
    both = free[:-1] & free[1:]
    if not both.any():
        raise UndefinedError("no two consecutive round trips without congestion")
    return float(np.max(np.diff(values)[both], initial=0.0) / rtt_s)
