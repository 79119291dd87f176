# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is read off one curve: a window, a rate or an inner variable over time."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from cwnd.metrics.series import TICK_S, Floats, Rates


def last_at(times: Floats, values: Floats, at: Floats) -> Floats:
    """The values that a quantity had at these times (s), where it stays as it is from one record to the next; before the first, that one."""
    rows = np.searchsorted(times, at, side="right") - 1
    found: Floats = values[np.maximum(rows, 0)]
    return found


def reached(times: Floats, values: Floats, level: float, since_s: float = -math.inf) -> float:
    """When (s) a curve is first at `level` or above it, of its samples after `since_s`; infinite if it is at none."""
    found = times[(times > since_s) & (values >= level)]
    return float(found[0]) if len(found) else math.inf


def filled(found: Rates, mbps: float, *, hold_s: float) -> float:
    """When (s) the first flow's rate has come to stay: the end of the first interval that begins `hold_s` of at least `mbps`; or infinite."""
    enough = found.mbps[0] >= mbps
    count = round(hold_s / found.interval_s)
    if abs(count * found.interval_s - hold_s) > TICK_S:
        raise ValueError(f"hold_s is {hold_s:g}; expected a multiple of the interval, {found.interval_s:g} s")
    begins = [row for row in range(len(enough) - count + 1) if enough[row : row + count].all()]
    return found.begin_s + (begins[0] + 1) * found.interval_s if begins else math.inf


def rising(values: Iterable[float]) -> bool:
    """Whether each is above the one before."""
    return all(earlier < later for earlier, later in pairwise(values))
