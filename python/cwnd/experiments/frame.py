# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the file of an experiment is made of: points in, plain numbers, claims out. docs/experiments/writing.md explains it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from cwnd._native import Scenario

T = TypeVar("T")
#: What `reduce` and a computed point give: numbers, short texts, and short lists of them, by name. Kept as JSON.
Reduced = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is to be run."""

    #: The parameter set that stands for CUBIC: the document's version, or the one of the second column.
    cubic: str
    #: The document's own durations and seed counts; else shortened ones.
    full: bool = False
    #: `--seeds N`; overrides what the experiment asks for.
    asked: int | None = None

    def seconds(self, full: float, short: float) -> float:
        """A duration: the document's, or a shorter one."""
        return full if self.full else short

    def seeds(self, *, full: int, short: int) -> int:
        """How many seeds a point is run with."""
        return self.asked or (full if self.full else short)

    def pick(self, full: Sequence[T], short: Sequence[T]) -> Sequence[T]:
        """The values of a sweep: all of them, or some."""
        return full if self.full else short


@dataclass(frozen=True, slots=True)
class Point:
    """One thing to run or to compute, under `seeds` seeds (1, 2, …).

    Either `scenario` (from `cwnd.dumbbell`, a document of its schema, or TOML; its seed and name do not matter), which
    `reduce(run, point)` makes numbers of; or `call`, a function whose value, called with `args`, is those numbers. With
    `seeds=0`, the default of a call, it is called once, else with the seed as its last argument.
    """

    #: Its name, unique in the grid.
    key: str
    scenario: Scenario | Mapping[str, Any] | str | None = None
    call: Callable[..., Reduced] | None = field(default=None, kw_only=True)
    args: tuple[Any, ...] = field(default=(), kw_only=True)
    #: One for a scenario and none for a call, if not given.
    seeds: int | None = field(default=None, kw_only=True)
    #: What `reduce`, `claims` and `plot` want to know of the point: plain values.
    info: Mapping[str, Any] = field(default_factory=dict, kw_only=True)


#: One number per seed (`math.inf` for a time that the run did not reach), or one alone.
Values = Sequence[float] | float


@dataclass(frozen=True, slots=True)
class Measured:
    """Numbers for a claim with an `op` that compares; the claim itself says with what.

    `values`: one per seed; or a sweep, values by the name of its point, each of which has to satisfy the claim; for `order`, values by
    the names that the claim lists, or these by the point of a sweep. For `report`, anything of these.
    """

    values: Values | Mapping[str, Values] | Mapping[str, Mapping[str, Values]]
    #: What a reader has to know to understand the number.
    note: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """A yes or no per seed for a claim with the op `holds`: more than half of the seeds must say yes.

    `criterion` says in words what is asked, with its numbers; it is settled before the experiment is first run.
    """

    criterion: str
    seeds: Sequence[bool] | bool
    #: The number that the criterion looks at, per seed, if there is one.
    values: Values | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Reported:
    """For `report`: what came out, in words, where numbers alone do not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class Undecidable:
    """The claim cannot be decided here, and why."""

    why: str


Answer = Measured | Held | Reported | Undecidable


class Results:
    """What came of an experiment's points: by key, one `Reduced` per seed."""

    def __init__(self, setup: Setup, points: Iterable[Point], reduced: Mapping[str, list[Reduced]]) -> None:
        self.setup = setup
        self.points = {point.key: point for point in points}
        self._reduced = reduced

    def __getitem__(self, key: str) -> list[Reduced]:
        return self._reduced[key]

    def __iter__(self) -> Iterator[str]:
        """Keys of the points, in the grid's order."""
        return iter(self._reduced)

    def where(self, **info: object) -> list[str]:
        """Keys of the points whose `info` says all of that, in the grid's order."""
        return [
            key
            for key, point in self.points.items()
            if all(name in point.info and point.info[name] == value for name, value in info.items())
        ]

    def swept(self, name: str) -> list[Any]:
        """The values that the points' `info` has by a name, sorted, each once."""
        return sorted({point.info[name] for point in self.points.values() if name in point.info})

    def each(self, formula: Callable[[Mapping[str, Reduced]], T]) -> list[T]:
        """`formula` once per seed that all points have, of the points of that seed by key; a point with one value counts for every seed."""
        seeds = min((len(runs) for runs in self._reduced.values() if len(runs) > 1), default=1)
        return [
            formula({key: runs[seed if len(runs) > 1 else 0] for key, runs in self._reduced.items()})
            for seed in range(seeds)
        ]

    def at(self, key: str, formula: Callable[[Reduced], T]) -> list[T]:
        """`formula` of each seed of a point."""
        return [formula(run) for run in self._reduced[key]]

    def ratio(self, one: str, other: str, name: str) -> list[float]:
        """A number of one point over that of another, seed by seed; infinite over zero."""
        pair = Results(self.setup, (), {key: self._reduced[key] for key in (one, other)})

        def quotient(run: Mapping[str, Reduced]) -> float:
            return run[one][name] / run[other][name] if run[other][name] else math.inf

        return pair.each(quotient)

    def values(self, key: str, name: str) -> list[float]:
        """One number of a point, per seed."""
        return [run[name] for run in self._reduced[key]]

    def mean(self, key: str, name: str) -> float:
        """The mean over the seeds."""
        found = self.values(key, name)
        return math.fsum(found) / len(found)

    def line(self, keys: Iterable[str], along: str, name: str) -> tuple[list[Any], list[float]]:
        """What a curve is drawn from: of each point what its `info` has by `along`, and the mean over the seeds of a number."""
        chosen = list(keys)
        return [self.points[key].info[along] for key in chosen], [self.mean(key, name) for key in chosen]

    def means(self, key: str, name: str) -> list[float]:
        """The mean over the seeds of a number list, element by element."""
        return [math.fsum(column) / len(column) for column in zip(*(run[name] for run in self._reduced[key]))]
