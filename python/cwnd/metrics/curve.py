# SPDX-License-Identifier: MIT OR Apache-2.0
"""Readings of one curve: a window, a rate or an inner variable over time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from cwnd.metrics.series import TICK_S, Floats, Rates


def last_at(times: Floats, values: Floats, at: Floats) -> Floats:
    """The values of a quantity at these times (s), if it is constant between two records; before the first record, the first value."""
    rows = np.searchsorted(times, at, side="right") - 1
    values_at: Floats = values[np.maximum(rows, 0)]
    return values_at


def reached(times: Floats, values: Floats, level: float, since_s: float = -math.inf) -> float:
    """The time (s) of the first sample after `since_s` at or above `level`; infinite if there is none."""
    times_above = times[(times > since_s) & (values >= level)]
    return float(times_above[0]) if len(times_above) else math.inf


def filled(rates: Rates, mbps: float, *, hold_s: float) -> float:
    """The end (s) of the first interval that begins `hold_s` in which the first flow's rate is at least `mbps`; or infinite."""
    enough = rates.mbps[0] >= mbps
    count = round(hold_s / rates.interval_s)
    if abs(count * rates.interval_s - hold_s) > TICK_S:
        raise ValueError(f"hold_s is {hold_s:g}; expected a multiple of the interval, {rates.interval_s:g} s")
    begins = [row for row in range(len(enough) - count + 1) if enough[row : row + count].all()]
    return rates.begin_s + (begins[0] + 1) * rates.interval_s if begins else math.inf


def rising(values: Iterable[float]) -> bool:
    """Whether each is above the one before."""
    return all(earlier < later for earlier, later in pairwise(values))
