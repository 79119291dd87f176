# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a number of the simulator is equivalent to the kernel's, over pairs of runs of one seed each.

Two one-sided tests at 5 % (Schuirmann 1987): the number is equivalent if the 90 % confidence interval of the ratio lies within 1/1.05 to 1.05.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from cwnd.metrics.confidence_intervals import mean_interval

#: A ratio within 1/MARGIN to MARGIN is no difference.
MARGIN = 1.05
#: The level of the interval. Each of the two tests has half of what is left.
LEVEL = 0.9
#: From so many per run on, a count is compared like any other number. Pairs that differ by one in a quarter of the runs would then move
#: the mean ratio by 2.5 %, half of the margin; ten pairs without any show, at this level, that fewer than a quarter do (0.75¹⁰ = 0.06).
LEAST_COUNT = 10

Verdict = Literal["equivalent", "differs", "cannot say"]
#: Ratio, and the ends of its interval.
Ends = tuple[float, float, float]


class NumberDocument(TypedDict):
    """A number as JSON."""

    name: str
    unit: str
    #: run by run; `None` where a run does not have it
    simulated: list[float | None]
    measured: list[float | None]
    #: simulator / Linux; `None`: infinite, or not defined
    ratio: float | None
    #: the 90 % confidence interval; `None`: there is none, or it has no upper end
    low: float | None
    high: float | None
    verdict: Verdict
    #: cause of a difference that was investigated; empty where there is none
    known: str


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A number of a scenario, run by run in each lane, and whether it is equivalent."""

    name: str
    unit: str
    simulated: list[float | None]
    measured: list[float | None]
    #: ratio, and the ends of its interval; `None` if there is one pair only, or if a pair lacks the number in one lane
    ends: Ends | None
    verdict: Verdict
    known: str = ""

    @classmethod
    def of(
        cls,
        name: str,
        unit: str,
        simulated: Sequence[float | None],
        measured: Sequence[float | None],
        *,
        counts: bool = False,
        known: str = "",
    ) -> Equivalence:
        """Compares a number of several pairs of runs."""
        pairs = [(a, b) for a, b in zip(simulated, measured, strict=True) if a is not None and b is not None]
        in_one_lane = sum((a is None) != (b is None) for a, b in zip(simulated, measured, strict=True))
        ends: Ends | None = None
        if len(pairs) < 2 or in_one_lane:
            # It differs if no pair has it in both lanes.
            verdict: Verdict = "differs" if in_one_lane == len(simulated) > 1 else "cannot say"
        else:
            ends = ends_of_counts(pairs) if counts else ends_of_ratios(pairs)
            verdict = verdict_of(ends)
        return cls(name, unit, [*simulated], [*measured], ends, verdict, known)

    def document(self) -> NumberDocument:
        """As JSON."""
        ratio, low, high = self.ends or (None, None, None)
        return {
            "name": self.name,
            "unit": self.unit,
            "simulated": self.simulated,
            "measured": self.measured,
            "ratio": finite(ratio),
            "low": finite(low),
            "high": finite(high),
            "verdict": self.verdict,
            "known": self.known if self.verdict == "differs" else "",
        }


def finite(value: float | None) -> float | None:
    """The value, if it is a number that JSON has."""
    return value if value is not None and math.isfinite(value) else None


def verdict_of(ends: Ends) -> Verdict:
    """The verdict of an interval: within the margin, outside of it, or neither."""
    _, low, high = ends
    if low >= 1 / MARGIN and high <= MARGIN:
        return "equivalent"
    return "differs" if high < 1 / MARGIN or low > MARGIN else "cannot say"


def ends_of_ratios(pairs: Sequence[tuple[float, float]]) -> Ends:
    """The geometric mean of the pairs' ratios, and its interval.

    Pairs that are all the same are one observation of something that is not random: the interval is that point.
    """
    simulated, measured = zip(*pairs)
    if not any(simulated) and all(measured):
        return 0.0, 0.0, 0.0
    if not any(measured) and all(simulated):
        return math.inf, math.inf, math.inf
    if not all(simulated) or not all(measured):
        # A run with 0: the pair's ratio is 0, infinite or undefined.
        return sum(simulated) / sum(measured) if any(measured) else math.inf, 0.0, math.inf
    logarithms = [math.log(a / b) for a, b in pairs]
    found = mean_interval(logarithms, LEVEL)
    assert found.centre is not None and found.low is not None and found.high is not None, "of two values or more"
    return math.exp(found.centre), math.exp(found.low), math.exp(found.high)


def ends_of_counts(pairs: Sequence[tuple[float, float]]) -> Ends:
    """The ratio of counts, and its interval: as of other numbers if there are enough, else of the totals.

    The interval of small totals is the wider one of two at each end: the exact one, which takes the events as independent of each other, and
    that of the pairs' differences, which does not.
    """
    simulated, measured = zip(*pairs)
    if simulated == measured and len(set(simulated)) == 1:
        return 1.0, 1.0, 1.0
    least = LEAST_COUNT * len(pairs)
    if sum(simulated) >= least and sum(measured) >= least and all(simulated) and all(measured):
        return ends_of_ratios(pairs)
    exact, paired = exact_ends(sum(simulated), sum(measured)), ends_of_differences(pairs)
    return exact[0], min(exact[1], paired[0]), max(exact[2], paired[1])


def exact_ends(simulated: float, measured: float) -> Ends:
    """The ratio of two totals and its exact interval: of all events together, those of one lane are binomial (Clopper and Pearson 1934)."""
    from scipy.special import betaincinv

    tail = (1 - LEVEL) / 2
    low = float(betaincinv(simulated, measured + 1, tail)) if simulated else 0.0
    high = float(betaincinv(simulated + 1, measured, 1 - tail)) if measured else 1.0
    ratio = simulated / measured if measured else math.inf
    return ratio, low / (1 - low), high / (1 - high) if high < 1 else math.inf


def ends_of_differences(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The interval of the ratio of the totals by the pairs' differences, relative to the lane that has more."""
    found = mean_interval([a - b for a, b in pairs], LEVEL)
    assert found.low is not None and found.high is not None, "of two values or more"
    simulated, measured = (sum(values) / len(pairs) for values in zip(*pairs))
    if measured >= simulated:
        return max(0.0, 1 + found.low / measured), max(0.0, 1 + found.high / measured)
    inverse = 1 - found.high / simulated, 1 - found.low / simulated
    return 1 / inverse[1], 1 / inverse[0] if inverse[0] > 0 else math.inf
