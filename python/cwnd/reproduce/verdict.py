# SPDX-License-Identifier: MIT OR Apache-2.0
"""Verdicts on claims, and the summary verdict on an experiment."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NotRequired, TypedDict, TypeVar

from cwnd.metrics.confidence_intervals import Interval, mean_interval, median_interval
from cwnd.reproduce.claims import EMPIRICAL, Claim
from cwnd.reproduce.experiment import Answer, Holds, Measured, Reported, Undecidable

HOLDS, FAILS, PART = "holds", "does not hold", "holds in part"
REPORTED, OPEN = "reported", "not decidable here"
#: How an infinite time is written: the event did not occur within the run.
NEVER = "never"


#: A number, "never", a text, or these by name.
Shown = Mapping[str, "Shown"] | float | str | None
#: An interval, or intervals by name. An open end is `None`.
ShownInterval = Mapping[str, "ShownInterval"] | list[float | str | None] | None


class SweepPoint(TypedDict):
    """The verdict on a point of a sweep as JSON."""

    measured: Shown
    ci95: ShownInterval
    holds: bool


class SecondVerdict(TypedDict, total=False):
    """The verdict on a claim in the second column as JSON."""

    measured: Shown
    ci95: ShownInterval
    holds: bool | None
    near: bool
    at: str
    sweep: Mapping[str, SweepPoint]
    undecidable: str


class VerdictDocument(TypedDict):
    """The verdict on a claim as JSON, a row of verdicts.json; the fields are those of `Claim` and `Verdict`."""

    id: str
    text: str
    metric: str
    where: str
    kind: str
    op: str
    paper: float | list[float] | None
    measured: Shown
    ci95: ShownInterval
    #: what the claim accepts
    tolerance: str
    tolerance_ours: bool
    holds: bool | None
    seeds: int
    statement: NotRequired[str]
    reading: NotRequired[str]
    near: NotRequired[bool]
    at: NotRequired[str]
    sweep: NotRequired[Mapping[str, SweepPoint]]
    criterion: NotRequired[str]
    note: NotRequired[str]
    undecidable: NotRequired[str]
    #: the explanation, if it does not hold
    why: NotRequired[str]
    second: NotRequired[SecondVerdict]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one claim."""

    claim: Claim
    #: `None` for a report, and for a claim that cannot be decided.
    holds: bool | None
    #: A number, numbers by name, a text, or nothing.
    measured: Shown = None
    #: 95 % interval over seeds: of the number, of the numbers by name, or of the smallest gap of an order.
    ci95: ShownInterval = None
    seeds: int = 0
    #: The interval reaches over the bound, or the seeds disagree; of a sweep or an order, that of the part that decides (`deciding`).
    near: bool = False
    #: Of a sweep, the point that decides, whose value `measured` is; and all points.
    at: str = ""
    sweep: Mapping[str, SweepPoint] | None = None
    criterion: str = ""
    note: str = ""
    #: The reason if it cannot be decided here.
    undecidable: str = ""

    def document(self) -> VerdictDocument:
        """The verdict as JSON; optional keys without content are left out."""
        claim = self.claim
        document: VerdictDocument = {
            "id": claim.id,
            "text": claim.text,
            "metric": claim.metric,
            "where": claim.where,
            "kind": claim.kind,
            "op": claim.op,
            "paper": claim.paper,
            "measured": self.measured,
            "ci95": self.ci95,
            "tolerance": claim.accepted,
            "tolerance_ours": claim.ours,
            "holds": self.holds,
            "seeds": self.seeds,
        }
        if claim.statement:
            document |= {"statement": claim.statement, "reading": claim.reading}
        if self.near:
            document["near"] = self.near
        if self.at:
            document["at"] = self.at
        if self.sweep:
            document["sweep"] = self.sweep
        if self.criterion:
            document["criterion"] = self.criterion
        if self.note:
            document["note"] = self.note
        if self.undecidable:
            document["undecidable"] = self.undecidable
        return document


def per_seed(values: object, claim: Claim) -> list[float]:
    """The numbers, one per seed; anything that is not a number is a `ValueError`."""
    given = list(values) if isinstance(values, Sequence) else [values]
    numbers = [number for number in given if isinstance(number, int | float) and not math.isnan(number)]
    if not given or len(numbers) < len(given):
        raise ValueError(f"{claim.id}: {given} are not numbers, one per seed")
    return numbers


def centre(values: Sequence[float]) -> tuple[float, Interval]:
    """The mean with its interval; the median if a time was not reached in some run."""
    if all(map(math.isfinite, values)):
        interval = mean_interval(values)
        return interval.centre or 0.0, interval
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2])
    return (middle[0] if middle[0] == middle[1] else sum(middle) / 2), median_interval(values)


def written(number: float) -> float | str:
    """A number as JSON: rounded to twelve digits, which do not depend on the order of a sum over threads."""
    if math.isinf(number):
        return NEVER if number > 0 else f"-{NEVER}"
    return number if isinstance(number, int) else float(f"{number:.12g}")


def ends(interval: Interval) -> list[float | str | None] | None:
    """An interval as JSON; `None` if there is none. An open end is `null`."""
    if interval.low is None and interval.high is None:
        return None
    return [None if end is None else written(end) for end in (interval.low, interval.high)]


def margin(claim: Claim, value: float) -> float:
    """The distance of a value to the bound of its claim; negative outside."""
    if claim.op == "within":
        assert claim.low is not None and claim.high is not None
        return min(value - claim.low, claim.high - value)
    assert claim.value is not None
    return value - claim.value if claim.op in (">", ">=") else claim.value - value


def satisfies(claim: Claim, value: float) -> bool:
    """Whether a value satisfies its claim."""
    inside = margin(claim, value)
    return inside > 0 if claim.op in ("<", ">") else inside >= 0


@dataclass(frozen=True, slots=True)
class PointVerdict:
    """The verdict on one point of a claim."""

    holds: bool
    margin: float
    measured: Shown
    ci95: ShownInterval
    seeds: int
    near: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """How far one name of an order is above another: the mean, its interval, and what they decide."""

    margin: float
    ci95: list[float | str | None] | None
    near: bool

    @property
    def holds(self) -> bool:
        """Whether the one is above the other."""
        return self.margin > 0


Part = TypeVar("Part", PointVerdict, Gap)


def deciding(parts: Iterable[Part]) -> Part:
    """The part that decides a conjunction: the points of a sweep, the gaps of an order.

    A conjunction fails with any part that fails, and clearly with any that fails clearly: that part decides, and of several the worst. It
    holds clearly only if every part does: a part that holds near decides before the others, and of several the worst. So the conjunction
    is near exactly if the part that decides is.
    """
    return min(parts, key=lambda part: (part.holds, part.near != part.holds, part.margin))


def compare(claim: Claim, values: object) -> PointVerdict:
    """The verdict on a comparison, or `within`."""
    numbers = per_seed(values, claim)
    value, interval = centre(numbers)
    holds = satisfies(claim, value)
    # If only the upper end is missing, it is infinite.
    low, high = interval.low, math.inf if interval.low is not None and interval.high is None else interval.high
    near = low is not None and high is not None and any(satisfies(claim, end) != holds for end in (low, high))
    if low is not None and high is not None and claim.op == "within" and not holds:
        assert claim.low is not None and claim.high is not None
        near = low <= claim.high and high >= claim.low
    return PointVerdict(holds, margin(claim, value), written(value), ends(interval), len(numbers), near)


def order(claim: Claim, values: Mapping[str, object]) -> PointVerdict:
    """Whether each name of a group exceeds each name of the next group. The gap that decides, with its interval, is the margin."""
    names = [name for group in claim.order for name in group]
    if set(values) != set(names):
        raise ValueError(f"{claim.id}: {sorted(values)} were measured; expected {sorted(names)}")
    by_name = {name: per_seed(values[name], claim) for name in names}
    gaps = [
        gap_between(by_name[above], by_name[below])
        for higher, lower in pairwise(claim.order)
        for above in higher
        for below in lower
    ]
    gap = deciding(gaps)
    shown = {name: written(centre(by_name[name])[0]) for name in names}
    return PointVerdict(gap.holds, gap.margin, shown, gap.ci95, len(by_name[names[0]]), gap.near)


def gap_between(above: list[float], below: list[float]) -> Gap:
    """The gap between the numbers of two names, one per seed. Without an interval it is not near."""
    upper, lower = centre(above)[0], centre(below)[0]
    # Two infinite times have no order.
    gap = 0.0 if upper == lower else upper - lower
    interval = None
    if len(above) == len(below):
        differences = [a - b for a, b in zip(above, below)]
        interval = mean_interval(differences) if all(map(math.isfinite, differences)) else None
    low, high = (interval.low, interval.high) if interval else (None, None)
    near = low is not None and high is not None and low <= 0 <= high
    return Gap(gap, ends(interval) if interval else None, near)


def measured(claim: Claim, answer: Measured) -> Verdict:
    """The verdict on a claim with numbers, or with a sweep of them, whose points all have to satisfy it."""
    values = answer.values
    at, sweep = "", None
    if isinstance(values, Mapping) and (claim.op != "order" or isinstance(next(iter(values.values())), Mapping)):
        points = {str(key): decide(claim, point) for key, point in values.items()}
        point = deciding(points.values())
        at = next(key for key, each in points.items() if each is point)
        sweep = {key: SweepPoint(measured=p.measured, ci95=p.ci95, holds=p.holds) for key, p in points.items()}
    else:
        point = decide(claim, values)
    return Verdict(
        claim, point.holds, point.measured, point.ci95, point.seeds, point.near, at=at, sweep=sweep, note=answer.note
    )


def decide(claim: Claim, values: object) -> PointVerdict:
    """The verdict on the numbers of one point; `ValueError` for numbers that the claim's op does not take."""
    if claim.op != "order":
        return compare(claim, values)
    if not isinstance(values, Mapping):
        raise ValueError(f"{claim.id}: {values!r}; expected numbers by name")
    return order(claim, values)


def reported(claim: Claim, values: object) -> tuple[Shown, ShownInterval, int]:
    """Centre and interval of numbers, or of numbers by name, and the number of seeds."""
    if isinstance(values, Mapping):
        inner = {str(key): reported(claim, named) for key, named in values.items()}
        return (
            {key: centre for key, (centre, _, _) in inner.items()},
            {key: ci95 for key, (_, ci95, _) in inner.items()},
            max((seeds for _, _, seeds in inner.values()), default=0),
        )
    numbers = per_seed(values, claim)
    value, interval = centre(numbers)
    return written(value), ends(interval), len(numbers)


def judge(claim: Claim, answer: Answer) -> Verdict:
    """The verdict on a claim; `ValueError` if the answer is of the wrong kind."""
    if isinstance(answer, Undecidable):
        return Verdict(claim, None, undecidable=answer.why)
    if claim.op == "report":
        if isinstance(answer, Reported):
            return Verdict(claim, None, answer.text)
        if isinstance(answer, Measured):
            value, interval, seeds = reported(claim, answer.values)
            return Verdict(claim, None, value, interval, seeds, note=answer.note)
    elif claim.op == "holds":
        if isinstance(answer, Holds):
            answers = [answer.seeds] if isinstance(answer.seeds, bool) else [bool(seed) for seed in answer.seeds]
            if not answers or not answer.criterion:
                raise ValueError(f"{claim.id}: without seeds or without a criterion")
            yes = sum(answers)
            value, interval, _ = (None, None, 0) if answer.values is None else reported(claim, answer.values)
            holds, disagree = yes > len(answers) / 2, 0 < yes < len(answers)
            near = disagree or reaches_over(claim, answer.within, value, interval, holds=holds)
            note = " ".join(filter(None, (f"Yes in {yes} of {len(answers)} seeds." if disagree else "", answer.note)))
            return Verdict(claim, holds, value, interval, len(answers), near, criterion=answer.criterion, note=note)
    elif isinstance(answer, Measured):
        return measured(claim, answer)
    raise ValueError(f"{claim.id}: {type(answer).__name__} is no answer to a claim with op {claim.op!r}")


def reaches_over(
    claim: Claim,
    within: tuple[float | None, float | None] | None,
    value: Shown,
    interval: ShownInterval,
    *,
    holds: bool,
) -> bool:
    """Whether the interval of a criterion's number reaches over a bound; not where another part of the criterion decides."""
    if within is None:
        if claim.kind == EMPIRICAL and interval is not None:
            raise ValueError(
                f"{claim.id}: numbers of several seeds without the bounds within which the criterion holds"
            )
        return False
    if not isinstance(interval, list) or not isinstance(value, int | float):
        return False
    low, high = (-math.inf if within[0] is None else within[0], math.inf if within[1] is None else within[1])
    # An end of the interval is open, or a time that never came.
    begin, end = (side if isinstance(side, int | float) else sign * math.inf for side, sign in zip(interval, (-1, 1)))
    return holds == (low <= value <= high) and any(begin <= bound <= end for bound in (low, high))


def summary(verdicts: Sequence[Verdict]) -> str:
    """The verdict on an experiment, from those of its claims that can be decided."""
    decided = [verdict.holds for verdict in verdicts if verdict.holds is not None]
    if not decided:
        return OPEN if any(verdict.undecidable for verdict in verdicts) else REPORTED
    return HOLDS if all(decided) else PART if any(decided) else FAILS
