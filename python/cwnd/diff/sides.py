# SPDX-License-Identifier: MIT OR Apache-2.0
"""The numbers of the two sides of a difference, by point, seed and what they are of."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from cwnd._internal.input_errors import refused
from cwnd.metrics.rates import is_unfinished
from cwnd.replicates.api import Replicates
from cwnd.replicates.document import is_never
from cwnd.replicates.left_out import reason_of
from cwnd.result.result import Result
from cwnd.study.results import Study
from cwnd.study.values import meaning, same

Side = Study | Replicates | Result
#: The values of the factors at a point.
Place = tuple[object, ...]


class Subject(NamedTuple):
    """What numbers are of: `all` flows, a `group`, a `link`, `traffic` or `transfers`, and which of them by its place."""

    of: str
    number: int


class Key(NamedTuple):
    """A number of a side, over its seeds."""

    place: Place
    subject: Subject
    measure: str


@dataclass(slots=True)
class Numbers:
    """All numbers of a side."""

    #: The columns that say what was varied, without those of one value.
    factors: list[str]
    #: The value under each seed; `None` where there is none, infinite for a time that was not reached.
    values: dict[Key, dict[int, float | None]] = field(default_factory=dict)
    #: The name and the label of each subject. If points have different labels, the name is the label; different names are all listed.
    names: dict[Subject, tuple[str, str]] = field(default_factory=dict)
    #: What it is called at a point.
    labels: dict[tuple[Place, Subject], str] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    #: Why a number has no value (`reason_of` its runs without).
    reasons: dict[Key, str] = field(default_factory=dict)
    #: The seeds under which a completion time has no value because transfers did not end within the run.
    unfinished: dict[Key, set[int]] = field(default_factory=dict)
    #: The points by what their values mean: the other side may write them in another way.
    meant: dict[Place, Place] = field(default_factory=dict)

    def subjects(self, of: str) -> list[Subject]:
        return [subject for subject in self.names if subject.of == of]

    def measures(self) -> list[str]:
        """The names of the measures."""
        return list(self.units)


def factors_of(side: Side) -> list[str]:
    """The factors of a study; others have none."""
    return side.factors if isinstance(side, Study) else []


def rows(side: Side) -> Iterator[Mapping[str, object]]:
    """The runs' numbers as rows of a study's table."""
    table = side.summary_table if isinstance(side, Result) else side.runs
    return iter(table.to_pylist())


def selected(side: Side, where: Mapping[str, str], fields: Mapping[str, str]) -> list[Mapping[str, object]]:
    """The rows at the points where the factors have these values."""
    factors = factors_of(side)
    for name in where:
        if name not in factors:
            raise refused(fields.get(name, "where"), name, "a factor of the study", factors)
    found = list(rows(side))
    for name, text in where.items():
        levels = list(dict.fromkeys(str(row[name]) for row in found))
        found = [row for row in found if same(row[name], text)]
        if not found:
            raise refused(fields.get(name, "where"), f"{name}={text}", "a value of this factor", levels)
    return found


@dataclass(frozen=True, slots=True)
class Chosen:
    """A side, and its rows at the points that are compared."""

    side: Side
    rows: Sequence[Mapping[str, object]]

    @classmethod
    def of(cls, side: Side, where: Mapping[str, str], fields: Mapping[str, str] | None = None) -> Chosen:
        """The points where the factors have these values; `fields`: what an error calls a factor's selection, where that is not `where`."""
        return cls(side, selected(side, where, fields or {}))


def numbers_of_both(sides: Sequence[Chosen], apart: str | None = None) -> list[Numbers]:
    """The numbers of the sides; `apart` is the factor that they differ in.

    A factor is varied if it has several values on both sides together: a side that has lost all its points but one is at that point.
    """
    values: dict[str, set[object]] = {}
    for side in sides:
        for name in factors_of(side.side):
            values.setdefault(name, set()).update(meaning(row[name]) for row in side.rows)
    return [
        numbers_of(side, [name for name in factors_of(side.side) if name != apart and len(values[name]) > 1])
        for side in sides
    ]


def numbers_of(side: Chosen, varied: list[str]) -> Numbers:
    """The numbers of a side, at points of these factors."""
    found_rows = side.rows
    found = Numbers(varied)
    numbered = numbered_subjects(found_rows, varied)
    names: dict[Subject, dict[str, None]] = {}
    labels: dict[Subject, dict[str, None]] = {}
    reasons: dict[Key, list[str]] = {}
    for row in found_rows:
        place = tuple(row[name] for name in varied)
        seed, of, name, label = int(str(row["seed"])), str(row["of"]), str(row["name"]), str(row["label"])
        subject = Subject(of, numbered[place, of, name])
        names.setdefault(subject, {})[name] = None
        labels.setdefault(subject, {})[label] = None
        found.labels[place, subject] = label
        found.meant.setdefault(tuple(map(meaning, place)), place)
        measure, value = str(row["measure"]), row["value"]
        found.units.setdefault(measure, str(row["unit"]))
        key = Key(place, subject, measure)
        why = str(row["why"])
        never = math.inf if is_never(measure, why) else None
        found.values.setdefault(key, {})[seed] = value if isinstance(value, float) else never
        if value is None:
            reasons.setdefault(key, []).append(why)
            if is_unfinished(why):
                found.unfinished.setdefault(key, set()).add(seed)
    found.reasons = {key: reason_of(each) for key, each in reasons.items()}
    for subject, own in names.items():
        joined = " or ".join(own)
        found.names[subject] = (joined, next(iter(labels[subject])) if len(labels[subject]) == 1 else joined)
    for place, subject in found.labels:
        # Where only what is varied of it differs, the factors say that already.
        if len(names[subject]) == 1:
            found.labels[place, subject] = found.names[subject][1]
    return found


def numbered_subjects(
    found_rows: Iterable[Mapping[str, object]], varied: Sequence[str]
) -> dict[tuple[Place, str, str], int]:
    """The number of each subject among those of its kind, by point, kind and name.

    Where the points have the same names it goes by name; where they do not (an algorithm that is varied), by the order at each point. The
    order is that of the run that has the most: a group of transfers that never started in a run has no row there.
    """
    in_runs: dict[tuple[Place, str], dict[object, dict[str, None]]] = {}
    for row in found_rows:
        key = tuple(row[name] for name in varied), str(row["of"])
        in_runs.setdefault(key, {}).setdefault(row["seed"], {})[str(row["name"])] = None
    at_points = {
        key: list(dict.fromkeys(name for names in sorted(runs.values(), key=len, reverse=True) for name in names))
        for key, runs in in_runs.items()
    }
    first: dict[str, list[str]] = {}
    for (_, of), names in at_points.items():
        first[of] = names if len(names) > len(first.get(of, [])) else first[of]
    return {
        (place, of, name): first[of].index(name) if set(names) <= set(first[of]) else number
        for (place, of), names in at_points.items()
        for number, name in enumerate(names)
    }


def partners(ours: Numbers, theirs: Numbers, of: str) -> list[tuple[Subject, Subject]]:
    """The matching subjects of the two sides: those with the same name; the others by their order, if both sides have equally many."""
    left, right = ours.subjects(of), theirs.subjects(of)
    by_name = {theirs.names[subject][0]: subject for subject in right}
    named = {subject: by_name[ours.names[subject][0]] for subject in left if ours.names[subject][0] in by_name}
    rest = [subject for subject in left if subject not in named], [each for each in right if each not in named.values()]
    if len(rest[0]) == len(rest[1]):
        named.update(zip(*rest, strict=True))
    return [(subject, named[subject]) for subject in left if subject in named]


def alone(ours: Numbers, theirs: Numbers, kinds: Sequence[str]) -> list[str]:
    """The subjects that only one side has."""
    lone = []
    for of in kinds:
        paired = partners(ours, theirs, of)
        lone += [ours.names[each][0] for each in ours.subjects(of) if each not in {left for left, _ in paired}]
        lone += [theirs.names[each][0] for each in theirs.subjects(of) if each not in {right for _, right in paired}]
    return lone


def same_factors(ours: Numbers, theirs: Numbers) -> None:
    """Refuses sides whose points are not of the same factors."""
    if set(ours.factors) != set(theirs.factors):
        lone = sorted(set(ours.factors) ^ set(theirs.factors))
        raise refused(
            "factors", ", ".join(lone), "the same factors on both sides, or --where to select one value of it"
        )


def aligned(ours: Numbers, theirs: Numbers, place: Place) -> Place:
    """A point of ours as theirs: in the order of their factors, and with the values as they write them."""
    at = dict(zip(ours.factors, place, strict=True))
    own = tuple(at[name] for name in theirs.factors)
    return theirs.meant.get(tuple(map(meaning, own)), own)


def places(every: Iterable[Key]) -> list[Place]:
    """The points of these numbers, each once."""
    return list(dict.fromkeys(key.place for key in every))
