# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether a claim holds, and what is said of an experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from cwnd.experiments.claims import Claim
from cwnd.experiments.frame import Answer, Held, Measured, Reported, Undecidable, Values
from cwnd.metrics.statistics import Interval, mean_interval, median_interval

HOLDS, FAILS, PART = "holds", "does not hold", "holds in part"
REPORTED, OPEN = "reported", "not decidable here"
#: How an infinite time is written: it did not come within the run.
NEVER = "never"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one claim."""

    claim: Claim
    #: `None` for a report, and where it cannot be decided.
    holds: bool | None
    #: A number, numbers by name, a text, or nothing.
    measured: Any = None
    #: 95 % over seeds: of the number, of the numbers by name, or of the smallest gap of an order.
    ci95: Any = None
    seeds: int = 0
    #: The interval reaches over the bound, or the seeds disagree.
    near: bool = False
    #: Of a sweep, the point that decides: `measured` is there; and all of them.
    at: str = ""
    sweep: Mapping[str, Any] | None = None
    criterion: str = ""
    note: str = ""
    #: Why it cannot be decided here.
    undecidable: str = ""

    def document(self) -> dict[str, Any]:
        """As JSON; keys without content are left out."""
        claim = self.claim
        found = {
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
        rest = {
            "statement": claim.statement,
            "reading": claim.reading,
            "near": self.near,
            "at": self.at,
            "sweep": self.sweep,
            "criterion": self.criterion,
            "note": self.note,
            "undecidable": self.undecidable,
        }
        return found | {key: value for key, value in rest.items() if value}


def per_seed(values: Values, claim: Claim) -> list[float]:
    """One number per seed; refuses what is not a number."""
    found = list(values) if isinstance(values, Sequence) else [values]
    if not found or any(not isinstance(one, int | float) or math.isnan(one) for one in found):
        raise ValueError(f"{claim.id}: {found} are not numbers, one per seed")
    return found


def centre(values: Sequence[float]) -> tuple[float, Interval]:
    """Mean with its interval; the median where a time was not reached within some run."""
    if all(map(math.isfinite, values)):
        interval = mean_interval(values)
        return interval.centre or 0.0, interval
    ordered = sorted(values)
    middle = (ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2])
    return (middle[0] if middle[0] == middle[1] else sum(middle) / 2), median_interval(values)


def written(number: float) -> float | str:
    """As JSON has it: twelve digits are what a sum over threads' results leaves alone, and more than a reader wants."""
    if math.isinf(number):
        return NEVER if number > 0 else f"-{NEVER}"
    return number if isinstance(number, int) else float(f"{number:.12g}")


def ends(interval: Interval) -> list[float | str | None] | None:
    """The interval as JSON has it; nothing where there is none. An open end is `null`."""
    if interval.low is None and interval.high is None:
        return None
    return [None if end is None else written(end) for end in (interval.low, interval.high)]


def margin(claim: Claim, value: float) -> float:
    """How far a value is inside what the claim accepts: negative outside."""
    if claim.op == "within":
        assert claim.low is not None and claim.high is not None
        return min(value - claim.low, claim.high - value)
    assert claim.value is not None
    return value - claim.value if claim.op in (">", ">=") else claim.value - value


def satisfies(claim: Claim, value: float) -> bool:
    """Whether a value is what the claim says."""
    inside = margin(claim, value)
    return inside > 0 if claim.op in ("<", ">") else inside >= 0


@dataclass(frozen=True, slots=True)
class Decided:
    """One point of a claim."""

    holds: bool
    margin: float
    measured: Any
    ci95: Any
    seeds: int
    near: bool


def number(claim: Claim, values: Values) -> Decided:
    """A comparison, or `within`."""
    found = per_seed(values, claim)
    value, interval = centre(found)
    holds = satisfies(claim, value)
    # An end that is missing beside one that is there lies at infinity.
    low, high = interval.low, math.inf if interval.low is not None and interval.high is None else interval.high
    near = low is not None and high is not None and any(satisfies(claim, end) != holds for end in (low, high))
    if low is not None and high is not None and claim.op == "within" and not holds:
        assert claim.low is not None and claim.high is not None
        near = low <= claim.high and high >= claim.low
    return Decided(holds, margin(claim, value), written(value), ends(interval), len(found), near)


def order(claim: Claim, values: Mapping[str, Values]) -> Decided:
    """Whether every name of a group exceeds every name of the next group; the smallest gap, with its interval, says how far."""
    names = [name for group in claim.order for name in group]
    if set(values) != set(names):
        raise ValueError(f"{claim.id}: {sorted(values)} were measured; expected {sorted(names)}")
    found = {name: per_seed(values[name], claim) for name in names}
    centres = {name: centre(found[name])[0] for name in names}
    gaps = {}
    for higher, lower in pairwise(claim.order):
        for one in higher:
            for other in lower:
                # Two that never came are not in an order.
                same = centres[one] == centres[other]
                gaps[one, other] = 0.0 if same else centres[one] - centres[other]
    (one, other), gap = min(gaps.items(), key=lambda item: item[1])
    interval = None
    if len(found[one]) == len(found[other]):
        differences = [a - b for a, b in zip(found[one], found[other])]
        interval = mean_interval(differences) if all(map(math.isfinite, differences)) else None
    low, high = (interval.low, interval.high) if interval else (None, None)
    near = low is not None and high is not None and low <= 0 <= high
    shown = {name: written(centres[name]) for name in names}
    return Decided(gap > 0, gap, shown, ends(interval) if interval else None, len(found[one]), near)


def measured(claim: Claim, answer: Measured) -> Verdict:
    """A claim with numbers."""
    decide: Any = order if claim.op == "order" else number
    values: Any = answer.values
    depth = 1 if claim.op == "order" else 0
    if isinstance(values, Mapping) and (not depth or isinstance(next(iter(values.values())), Mapping)):
        points = {str(key): decide(claim, one) for key, one in values.items()}
        at, worst = min(points.items(), key=lambda item: (item[1].holds, item[1].margin))
        sweep = {key: {"measured": p.measured, "ci95": p.ci95, "holds": p.holds} for key, p in points.items()}
        near = any(p.near for p in points.values() if p.holds == worst.holds)
    else:
        at, worst, sweep = "", decide(claim, values), None
        near = worst.near
    return Verdict(
        claim, worst.holds, worst.measured, worst.ci95, worst.seeds, near, at=at, sweep=sweep, note=answer.note
    )


def reported(claim: Claim, values: Any) -> tuple[Any, Any, int]:  # noqa: ANN401
    """Numbers to be shown: centre and interval of each."""
    if isinstance(values, Mapping):
        inner = {str(key): reported(claim, one) for key, one in values.items()}
        return (
            {key: one[0] for key, one in inner.items()},
            {key: one[1] for key, one in inner.items()},
            max((one[2] for one in inner.values()), default=0),
        )
    found = per_seed(values, claim)
    value, interval = centre(found)
    return written(value), ends(interval), len(found)


def judge(claim: Claim, answer: Answer) -> Verdict:
    """The verdict on a claim; `ValueError` where the answer is not of the kind that it asks for."""
    if isinstance(answer, Undecidable):
        return Verdict(claim, None, undecidable=answer.why)
    if claim.op == "report":
        if isinstance(answer, Reported):
            return Verdict(claim, None, answer.text)
        if isinstance(answer, Measured):
            value, interval, seeds = reported(claim, answer.values)
            return Verdict(claim, None, value, interval, seeds, note=answer.note)
    elif claim.op == "holds":
        if isinstance(answer, Held):
            asked = [answer.seeds] if isinstance(answer.seeds, bool) else [bool(one) for one in answer.seeds]
            if not asked or not answer.criterion:
                raise ValueError(f"{claim.id}: without seeds or without a criterion")
            yes = sum(asked)
            value, interval = None, None
            if answer.values is not None:
                value, interval, _ = reported(claim, answer.values)
            near = 0 < yes < len(asked)
            note = " ".join(filter(None, (f"Yes in {yes} of {len(asked)} seeds." if near else "", answer.note)))
            return Verdict(
                claim, yes > len(asked) / 2, value, interval, len(asked), near, criterion=answer.criterion, note=note
            )
    elif isinstance(answer, Measured):
        return measured(claim, answer)
    raise ValueError(f"{claim.id}: {type(answer).__name__} is no answer to a claim with op {claim.op!r}")


def summary(verdicts: Sequence[Verdict]) -> str:
    """The verdict on an experiment: of its claims that can be decided."""
    decided = [one.holds for one in verdicts if one.holds is not None]
    if not decided:
        return OPEN if any(one.undecidable for one in verdicts) else REPORTED
    return HOLDS if all(decided) else PART if any(decided) else FAILS
