# SPDX-License-Identifier: MIT OR Apache-2.0
"""An experiment and the types that its file uses: points to run, results, answers to claims. docs/guide/experiment.md explains them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from inspect import getdoc
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from cwnd._native import Scenario
from cwnd.reproduce.claims import Claim, claims_of, reasons

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd.result import Result

T = TypeVar("T")
#: What `reduce` and a computed point give: numbers, short texts, and short lists of them, by name. Kept as JSON.
Reduced = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Setup:
    """How an experiment is run."""

    #: The parameter set of CUBIC: the document's version, or that of the second column.
    cubic: str
    #: Whether to use the document's durations and seed counts, or shortened ones.
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
    """One simulation or computation, under `seeds` seeds (1, 2, …).

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
    #: Plain values that describe the point to `reduce`, `claims` and `plot`.
    info: Mapping[str, Any] = field(default_factory=dict, kw_only=True)


#: One number per seed (`math.inf` for a time that the run did not reach), or one alone.
Values = Sequence[float] | float


@dataclass(frozen=True, slots=True)
class Measured:
    """Numbers for a claim whose `op` compares; the claim holds the bound.

    `values`: one per seed; or a sweep, values by the name of its point, each of which has to satisfy the claim; for `order`, values by
    the names that the claim lists, or these by the point of a sweep. For `report`, anything of these.
    """

    values: Values | Mapping[str, Values] | Mapping[str, Mapping[str, Values]]
    #: What a reader has to know to understand the number.
    note: str = ""


@dataclass(frozen=True, slots=True)
class Holds:
    """A yes or no per seed for a claim with the op `holds`, which more than half of the seeds must satisfy.

    `criterion` says in words what is asked, with its numbers; it is fixed before the experiment is first run.
    """

    criterion: str
    seeds: Sequence[bool] | bool
    #: The number that the criterion looks at, per seed, if there is one.
    values: Values | None = None
    note: str = ""
    #: The bounds between which the number is if the criterion holds. A verdict is near if the interval over the seeds reaches over
    #: one of them. Required for an empirical claim with numbers of several seeds.
    within: tuple[float | None, float | None] | None = None


@dataclass(frozen=True, slots=True)
class Reported:
    """For `report`: the outcome in words, where numbers alone do not say it."""

    text: str


@dataclass(frozen=True, slots=True)
class Undecidable:
    """A claim that cannot be decided here, and the reason."""

    why: str


Answer = Measured | Holds | Reported | Undecidable


class Results:
    """The numbers of an experiment's points: by key, one `Reduced` per seed."""

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
        """Keys of the points whose `info` has all these values, in the grid's order."""
        return [
            key
            for key, point in self.points.items()
            if all(name in point.info and point.info[name] == value for name, value in info.items())
        ]

    def swept(self, name: str) -> list[Any]:
        """The values that the points' `info` has by a name, sorted, each once."""
        return sorted({point.info[name] for point in self.points.values() if name in point.info})

    def each(self, formula: Callable[[Mapping[str, Reduced]], T]) -> list[T]:
        """`formula` of the points by key, once per seed that all points have; a point with a single value is used for every seed."""
        seeds = min((len(runs) for runs in self._reduced.values() if len(runs) > 1), default=1)
        return [
            formula({key: runs[seed if len(runs) > 1 else 0] for key, runs in self._reduced.items()})
            for seed in range(seeds)
        ]

    def at(self, key: str, formula: Callable[[Reduced], T]) -> list[T]:
        """`formula` of each seed of a point."""
        return [formula(run) for run in self._reduced[key]]

    def ratio(self, key: str, other_key: str, name: str) -> list[float]:
        """A number of one point over that of another, seed by seed; infinite over zero."""
        pair = Results(self.setup, (), {each: self._reduced[each] for each in (key, other_key)})

        def quotient(run: Mapping[str, Reduced]) -> float:
            return run[key][name] / run[other_key][name] if run[other_key][name] else math.inf

        return pair.each(quotient)

    def values(self, key: str, name: str) -> list[float]:
        """One number of a point, per seed."""
        return [run[name] for run in self._reduced[key]]

    def mean(self, key: str, name: str) -> float:
        """The mean over the seeds."""
        values = self.values(key, name)
        return math.fsum(values) / len(values)

    def line(self, keys: Iterable[str], along: str, name: str) -> tuple[list[Any], list[float]]:
        """A curve: the value of `along` in the `info` of each point, and the mean over the seeds of a number."""
        chosen = list(keys)
        return [self.points[key].info[along] for key in chosen], [self.mean(key, name) for key in chosen]

    def means(self, key: str, name: str) -> list[float]:
        """The mean over the seeds of a number list, element by element."""
        return [math.fsum(column) / len(column) for column in zip(*(run[name] for run in self._reduced[key]))]


@dataclass(frozen=True)
class Experiment:
    """A figure, table or tested statement of a document: its id, and the module of its file."""

    id: str
    module: ModuleType

    @property
    def document(self) -> str:
        return self.id.partition("/")[0]

    @property
    def title(self) -> str:
        title: str = self.module.TITLE
        return title

    @property
    def text(self) -> str:
        """The file's docstring: what the document says and what it leaves open."""
        return getdoc(self.module) or ""

    @property
    def cubic(self) -> str | None:
        """The version of CUBIC that the document used; `None` if no CUBIC runs."""
        name: str | None = self.module.CUBIC
        return name

    @property
    def second(self) -> str | None:
        """Another reading of the document's version: the second column's default."""
        name: str | None = getattr(self.module, "SECOND", None)
        return name

    @cached_property
    def stated(self) -> dict[str, Claim]:
        """Its claims by the last part of their ids."""
        return claims_of(self.id)

    def grid(self, setup: Setup) -> list[Point]:
        points: list[Point] = self.module.grid(setup)
        keys = [point.key for point in points]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"{self.id}: two points are called {twice[0]!r}")
        return points

    @property
    def reduce(self) -> Callable[[Result, Point], Reduced] | None:
        """The function that reduces a run to numbers; `None` if nothing is simulated."""
        return getattr(self.module, "reduce", None)

    def answers(self, results: Results) -> dict[str, Answer]:
        """An answer for each of its claims, in the order of claims.toml; a missing or unknown one is a `ValueError`."""
        given: dict[str, Answer] = self.module.claims(results)
        if given.keys() != self.stated.keys():
            missing, unknown = sorted(self.stated.keys() - given.keys()), sorted(given.keys() - self.stated.keys())
            raise ValueError(f"{self.id}: claims without an answer: {missing}; answers without a claim: {unknown}")
        return {name: given[name] for name in self.stated}

    @property
    def plot(self) -> Callable[[Results, Figure], None] | None:
        return getattr(self.module, "plot", None)

    def why(self, name: str) -> str:
        """The explanation of a claim that does not hold; empty if there is none."""
        return reasons().get(f"{self.id}/{name}", "")
