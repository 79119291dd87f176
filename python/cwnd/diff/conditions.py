# SPDX-License-Identifier: MIT OR Apache-2.0
"""Conditions on a difference: `p95 queueing delay > +5%`, `throughput of reno < -2Mbit/s`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from cwnd._internal.input_errors import refused
from cwnd.diff.results import Difference, Effect
from cwnd.metrics.names import meant, measure_named
from cwnd.replicates.document import TIMES

EXPECTED = (
    "MEASURE [of FLOWS] > CHANGE or < CHANGE, such as 'p95 queueing delay > +5%' or 'throughput of reno < -2Mbit/s'"
)
FORM = re.compile(
    r"\s*(?P<what>[^<>]+?)\s*(?P<sign>[<>])\s*"
    r"(?P<change>[+-]?\s*\d+(?:\.\d+)?)\s*(?P<unit>[^\s\d][^\s]*)?\s*"
)
#: How many of the measure's unit one of these is.
SCALES = {("s", "ms"): 1e3, ("ms", "s"): 1e-3, ("kbit/s", "Mbit/s"): 1e-3, ("Gbit/s", "Mbit/s"): 1e3}
Outcome = Literal["met", "not met", "undecided"]


def measure_and_label(text: str, known: Iterable[str]) -> tuple[str, str | None]:
    """`MEASURE of FLOWS`; the words of a measure may have an "of" too, as in `share of the link of reno`."""
    known = list(known)
    parts = re.split(r"\s+of\s+", text)
    for cut in range(len(parts), 0, -1):
        if measure := meant(" of ".join(parts[:cut]), known):
            return measure, " of ".join(parts[cut:]) or None
    return measure_named("fail-if", parts[0], known), None


@dataclass(frozen=True, slots=True)
class Condition:
    """A change of a measure, from A to B, that is too much."""

    text: str
    measure: str
    #: Of the flows or links with this label; of all.
    label: str | None
    above: bool
    #: As part of A's mean, or in the measure's unit.
    change: float
    is_relative: bool

    @classmethod
    def of(cls, text: object, difference: Difference) -> Condition:
        """Reads a condition; refuses measures, labels and units that the difference has not."""
        match = FORM.fullmatch(text) if isinstance(text, str) else None
        if not isinstance(text, str) or match is None:
            raise refused("fail-if", text, EXPECTED)
        units = {effect.measure: effect.unit for effect in difference.over_points}
        measure, group = measure_and_label(match["what"], units)
        labels = [
            label
            for effect in difference.over_points
            for label in (effect.label, effect.label_b)
            if effect.measure == measure
        ]
        if group is not None and group not in labels:
            raise refused("fail-if", group, f"a label with {measure}", dict.fromkeys(labels))
        change, unit = float(match["change"].replace(" ", "")), match["unit"]
        if unit == "%":
            if measure in TIMES:
                raise refused("fail-if", text, f"a change in {units[measure]}: medians are compared by differences")
            return cls(text.strip(), measure, group, match["sign"] == ">", change / 100, True)
        own = units[measure]
        scale = 1.0 if unit in (None, own) else SCALES.get((unit, own))
        if scale is None:
            raise refused("fail-if", unit, f"% or {own}" if own else "%, or a number without a unit")
        return cls(text.strip(), measure, group, match["sign"] == ">", change * scale, False)

    def concerns(self, effect: Effect) -> bool:
        """Whether it is about this number."""
        return effect.measure == self.measure and self.label in (None, effect.label, effect.label_b)

    def judge(self, effect: Effect, difference: Difference) -> Outcome:
        """Whether the change is decided to be beyond the limit, not beyond it, or neither.

        Of a pair that was left out because transfers did not end, the difference may be any: then it is undecided.
        """
        return "undecided" if effect.unended else self.judge_compared(effect, difference)

    def judge_compared(self, effect: Effect, difference: Difference) -> Outcome:
        """The same by the pairs that have values.

        Means, unless they are bootstrapped, by one-sided tests of mean(b) against the limit, which decide where the interval does, and
        also where A is zero and there is no relative interval.
        """
        if effect.difference is None:
            return "undecided"
        if effect.measure in TIMES or difference.method == "bootstrap":
            ends = (effect.relative_low, effect.relative_high) if self.is_relative else (effect.low, effect.high)
            return self.by_interval(*ends)
        samples = effect.samples
        if samples.n < 2:
            return "undecided"
        ratio, shift = (1 + self.change, 0.0) if self.is_relative else (1.0, self.change)
        apart, error, _ = samples.beyond(ratio, shift)
        if not error:
            # Nothing varies. A change equal to the limit is not beyond it, rounding aside.
            apart = 0.0 if abs(apart) <= 1e-12 * max(map(abs, samples.means())) else apart
            return "met" if (apart > 0 if self.above else apart < 0) else "not met"
        p = samples.p_above(ratio, shift) if self.above else 1 - samples.p_above(ratio, shift)
        allowed = (1 - difference.level) / 2
        return "met" if p <= allowed else "not met" if p >= 1 - allowed else "undecided"

    def by_interval(self, low: float | None, high: float | None) -> Outcome:
        """The same by an interval, whose ends may be infinite; without one (`None`) nothing is decided."""
        near, far = (low, high) if self.above else (high, low)
        if near is not None and (near > self.change if self.above else near < self.change):
            return "met"
        if far is not None and (far <= self.change if self.above else far >= self.change):
            return "not met"
        return "undecided"


@dataclass(frozen=True, slots=True)
class Judged:
    """A condition, and its outcome for a number."""

    condition: Condition
    effect: Effect
    outcome: Outcome


def judged(conditions: Sequence[Condition], effects: Sequence[Effect], difference: Difference) -> list[Judged]:
    """Every condition for every number that it is about."""
    return [
        Judged(condition, effect, condition.judge(effect, difference))
        for condition in conditions
        for effect in effects
        if condition.concerns(effect)
    ]
