# SPDX-License-Identifier: MIT OR Apache-2.0
"""Statistics over replicates: means and medians with confidence intervals, paired differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict


class IntervalDocument(TypedDict, total=False):
    """A mean or a median over replicates as JSON, with its confidence interval: `low`, `high` and `n` always, and one of the centres."""

    mean: float | None
    median: float | None
    low: float | None
    high: float | None
    n: int
    sd: float
    why: str
    #: of a measure: its unit, and in how many runs it has no value
    unit: str
    undefined: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A centre with its confidence interval. `low` and `high` are `None` if there is no interval, `centre` if there is no value."""

    centre: float | None
    low: float | None
    high: float | None
    #: How many replicates had a value.
    n: int
    #: The level that the interval covers: that asked for, or more (median); `None` without an interval.
    level: float | None = None
    #: Standard deviation of the sample (n − 1); means only.
    sd: float | None = None
    #: What is missing, and why; empty when nothing is.
    why: str = ""

    @property
    def half_width(self) -> float | None:
        """Half of the interval's length."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2

    def document(self, centre: Literal["mean", "median"]) -> IntervalDocument:
        """As JSON, the centre under the name `centre`."""
        document: IntervalDocument = {"mean": self.centre} if centre == "mean" else {"median": self.centre}
        document |= {"low": self.low, "high": self.high, "n": self.n}
        if self.sd is not None:
            document["sd"] = self.sd
        if self.why:
            document["why"] = self.why
        return document


def t_between(t: float, nu: int) -> float:
    """P(|T| ≤ t) of Student's t with `nu` degrees of freedom.

    The finite sums for whole degrees of freedom: Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.3 and
    26.7.4.
    """
    if nu < 1:
        raise ValueError(f"{nu} degrees of freedom; expected 1 or more")
    theta = math.atan(t / math.sqrt(nu))
    cosine = math.cos(theta)
    odd = nu % 2 == 1
    # Odd: sin θ (cos θ + 2/3 cos³ θ + 2·4/(3·5) cos⁵ θ + …); even: sin θ (1 + 1/2 cos² θ + 1·3/(2·4) cos⁴ θ + …).
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for power in range(1 if odd else 0, nu - 1, 2):
        total += term
        term *= cosine * cosine * (power + 1) / (power + 2)
    total *= math.sin(theta)
    return 2 / math.pi * (theta + total) if odd else total


def t_quantile(level: float, nu: int) -> float:
    """The t that |T| does not exceed with probability `level`: 2.262 for 95 % and nine degrees of freedom."""
    if not 0 < level < 1:
        raise ValueError(f"level {level}; expected 0 < level < 1")
    low, high = 0.0, 1.0
    while t_between(high, nu) < level:
        high *= 2
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if t_between(middle, nu) < level else (low, middle)
    return high


def mean_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Mean ± t · s / √n: the interval that covers the true mean in `level` of the cases, for values near to normal.

    One value has a mean and no interval, none has neither.
    """
    finite(values)
    n = len(values)
    if n == 0:
        return Interval(None, None, None, 0, why="no replicate has a value")
    mean = math.fsum(values) / n
    if n == 1:
        return Interval(mean, None, None, 1, why="one replicate has no confidence interval")
    sd = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = t_quantile(level, n - 1) * sd / math.sqrt(n)
    return Interval(mean, mean - half, mean + half, n, level, sd)


def median_interval(values: Sequence[float], level: float = 0.95) -> Interval:
    """Median, and the order statistics that enclose the true one in at least `level` of the cases, whatever the distribution.

    From x₍ₖ₎ to x₍ₙ₊₁₋ₖ₎ with the largest k for which P(Bin(n, ½) < k) ≤ (1 − level)/2 (David and Nagaraja, "Order
    statistics", section 7.1). Values may be infinite: not converged within the run is later than all that did. An infinite
    end or centre is `None`, with the reason. Below six values there is no interval of 95 %.
    """
    if any(math.isnan(value) for value in values):
        raise ValueError("a value is not a number")
    n = len(values)
    if n == 0:
        return Interval(None, None, None, 0, why="no replicate has a value")
    ordered = sorted(values)
    lower, upper = ordered[(n - 1) // 2], ordered[n // 2]
    centre = lower if lower == upper else (lower + upper) / 2
    k, below = 0, 0.0
    while below + math.comb(n, k) / 2**n <= (1 - level) / 2:
        below += math.comb(n, k) / 2**n
        k += 1
    reasons = [] if math.isfinite(centre) else ["half of the replicates or more have no finite value"]
    if k == 0:
        reasons.append(f"{n} replicates are too few for an interval of {level:.0%}")
        return Interval(centre if math.isfinite(centre) else None, None, None, n, why="; ".join(reasons))
    low, high = ordered[k - 1], ordered[n - k]
    if not math.isfinite(high):
        reasons.append("the interval has no upper end")
    middle, low_end, high_end = (end if math.isfinite(end) else None for end in (centre, low, high))
    return Interval(middle, low_end, high_end, n, 1 - 2 * below, why="; ".join(reasons))


def paired_difference(ours: Mapping[int, float], theirs: Mapping[int, float], level: float = 0.95) -> Interval:
    """Mean of `ours[seed] − theirs[seed]` with its interval: what seeds have in common does not widen it.

    Both must have the same seeds.
    """
    if ours.keys() != theirs.keys():
        unpaired = sorted(ours.keys() ^ theirs.keys())
        raise ValueError(f"the seeds differ: {unpaired} are in one of the two only")
    return mean_interval([ours[seed] - theirs[seed] for seed in sorted(ours)], level)


def finite(values: Sequence[float]) -> None:
    """Refuses values that are infinite or not a number."""
    if not all(math.isfinite(value) for value in values):
        raise ValueError("a value is infinite or not a number")
