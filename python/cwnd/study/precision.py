# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--until 2%`: how many seeds a point needs until the intervals of its numbers are narrow enough."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cwnd._internal.input_errors import refused
from cwnd.metrics.confidence_intervals import mean_interval
from cwnd.metrics.names import measures_in
from cwnd.metrics.rates import is_unfinished
from cwnd.replicates.document import TIMES
from cwnd.replicates.rows import MEASURES
from cwnd.replicates.tables import Series

EXPECTED = (
    "a part of the mean, and optionally the measures (default: throughput), such as '2%' or '5% of queue_p95_ms, share'"
)
FORM = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%(?:\s+of\s+(.+))?\s*")
DEFAULT = ("throughput_mbps",)
#: Seeds that each point has at first, where none are asked for, and at most.
FIRST, MOST = 5, 1000
#: How much more is asked for than the spread of the seeds so far says, as that is an estimate.
MARGIN = 1.1


@dataclass(frozen=True, slots=True)
class Precision:
    """The width that an interval may have: its half as part of the mean."""

    part: float
    measures: Sequence[str]
    #: As it was given.
    text: str

    @classmethod
    def of(cls, text: object) -> Precision:
        """Reads `2%`, or `2% of MEASURE,…`."""
        match = FORM.fullmatch(text) if isinstance(text, str) else None
        if not isinstance(text, str) or match is None or not 0 < float(match[1]) < 100:
            raise refused("until", text, EXPECTED)
        measures = measures_in("until", match[2], sorted(MEASURES)) if match[2] else DEFAULT
        if medians := [name for name in measures if name in TIMES]:
            raise refused("until", medians[0], "measures whose centre is a mean")
        return cls(float(match[1]) / 100, measures, text)

    def check(self, known: Iterable[str]) -> None:
        """Refuses other measures than these."""
        known = sorted(known)
        for name in self.measures:
            if name not in known:
                raise refused("until", name, "a measure", known)

    def too_wide(self, rows: Iterable[Series]) -> list[float]:
        """For each interval that is wider than requested, the factor; infinite for a mean that cannot have one."""
        ratios = []
        for row, values, _, why in rows:
            if row.measure not in self.measures:
                continue
            # Without the seeds whose transfers did not end, a mean is not known to any precision.
            if values and is_unfinished(why):
                ratios.append(math.inf)
                continue
            # Of a group that sends nothing, or under two seeds, no interval can be judged.
            if len(values) < 2:
                continue
            interval = mean_interval(values)
            assert interval.half_width is not None and interval.centre is not None
            width = self.part * abs(interval.centre)
            if interval.half_width > width:
                ratios.append(interval.half_width / width if width else math.inf)
        return ratios

    def seeds(self, rows: Iterable[Series], done: int, most: int) -> int:
        """How many seeds a point is to have, which has `done` now: as many if its intervals are narrow enough.

        Those that the spread so far asks for (n grows with the square of the width), and at most twice as many as there are.
        """
        needed = done
        for ratio in self.too_wide(rows):
            needed = max(needed, math.ceil(min(done * ratio**2 * MARGIN, 2 * done)), done + 1)
        return min(needed, most)
