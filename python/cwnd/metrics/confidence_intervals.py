# SPDX-License-Identifier: MIT OR Apache-2.0
"""Statistics over replicates: means and medians with confidence intervals, paired differences. The distributions are scipy's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from cwnd._internal.json_types import IntervalDocument


@dataclass(frozen=True, slots=True)
class Interval:
    """A centre with its confidence interval. `low` and `high` are `None` if there is no interval, `centre` if there is no value."""

    #: Mean or median, in the values' unit.
    centre: float | None
    #: Lower end of the interval.
    low: float | None
    #: Upper end of the interval.
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


def t_quantile(level: float, nu: float) -> float:
    """The t that |T| does not exceed with probability `level`: 2.262 for 95 % and nine degrees of freedom."""
    # Not scipy.stats, whose import takes longer than a simulation.
    from scipy.special import stdtrit

    if not 0 < level < 1 or nu <= 0:
        raise ValueError(f"level {level}, {nu} degrees of freedom; expected 0 < level < 1 and more than 0")
    return float(stdtrit(nu, (1 + level) / 2))


def t_beyond(t: float, nu: float) -> float:
    """P(|T| ≥ t) of Student's t with `nu` degrees of freedom: the p of a two-sided test."""
    from scipy.special import stdtr

    return float(2 * stdtr(nu, -abs(t)))


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
    centre, ends, covered = order_statistics(values, level)
    reasons = [] if math.isfinite(centre) else ["half of the replicates or more have no finite value"]
    middle = centre if math.isfinite(centre) else None
    if ends is None:
        reasons.append(f"{n} replicates are too few for an interval of {level:.0%}")
        return Interval(middle, None, None, n, why="; ".join(reasons))
    if not math.isfinite(ends[1]):
        reasons.append("the interval has no upper end")
    low, high = (end if math.isfinite(end) else None for end in ends)
    return Interval(middle, low, high, n, covered, why="; ".join(reasons))


def order_statistics(values: Sequence[float], level: float) -> tuple[float, tuple[float, float] | None, float]:
    """The median of at least one value, the order statistics of `median_interval` (none where the values are too few), and the level that they
    cover. Infinite values are what they are.
    """
    from scipy.special import bdtr

    n, ordered = len(values), sorted(values)
    lower, upper = ordered[(n - 1) // 2], ordered[n // 2]
    centre = lower if lower == upper else (lower + upper) / 2
    k = 0
    while bdtr(k, n, 0.5) <= (1 - level) / 2:
        k += 1
    if k == 0:
        return centre, None, 0.0
    return centre, (ordered[k - 1], ordered[n - k]), 1 - 2 * float(bdtr(k - 1, n, 0.5))


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
