# SPDX-License-Identifier: MIT OR Apache-2.0
"""An experiment and the types that its file uses: points to run, results, answers to claims. docs/guide/experiment.md explains them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from inspect import getdoc
from types import UnionType
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast, get_args, get_origin

from cwnd._internal.json_types import number
from cwnd._native import Scenario
from cwnd.reproduce.claims import Claim, claims_of, reasons
from cwnd.reproduce.numbers import JsonObject, Numbers, from_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd.result.result import Result

#: The set of today's CUBIC, the second column's default.
TODAY = "cubic"

T = TypeVar("T")
K = TypeVar("K")


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

    Either `scenario` (from `cwnd.dumbbell`, a document of its schema, or TOML; its seed and name do not matter), which the
    experiment's `reduce` makes numbers of; or `call`, a function whose value, called with `args`, is those numbers. With
    `seeds=0`, the default of a call, it is called once, else with the seed as its last argument.
    """

    #: Its name, unique in the grid.
    key: str
    scenario: Scenario | JsonObject | str | None = None
    call: Callable[..., object] | None = field(default=None, kw_only=True)
    args: tuple[object, ...] = field(default=(), kw_only=True)
    #: One for a scenario and none for a call, if not given.
    seeds: int | None = field(default=None, kw_only=True)
    #: Numbers and texts that describe the point to `reduce`, `claims` and `plot`.
    info: Mapping[str, float | str] = field(default_factory=dict, kw_only=True)

    def number(self, name: str) -> float:
        """A number of `info`."""
        return number(self.info, name)


#: One number per seed (`math.inf` for a time that the run did not reach), or one alone.
Values = Sequence[float] | float


@dataclass(frozen=True, slots=True)
class Measured:
    """Numbers for a claim whose `op` compares; the claim holds the bound.

    `values`: one per seed; or a sweep, values by the name of its point, which all have to satisfy the claim; for `order`, values by
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


class Results(Generic[Numbers]):
    """The numbers of an experiment's points: by key, one dataclass per seed."""

    def __init__(self, setup: Setup, points: Iterable[Point], reduced: Mapping[str, list[Numbers]]) -> None:
        self.setup = setup
        self.points = {point.key: point for point in points}
        self._reduced = reduced

    def __getitem__(self, key: str) -> list[Numbers]:
        return self._reduced[key]

    def __iter__(self) -> Iterator[str]:
        """Keys of the points, in the grid's order."""
        return iter(self._reduced)

    def of(self, kind: type[K], key: str) -> K:
        """The first seed's numbers of a point, in an experiment whose points have numbers of several kinds."""
        return self.seeds_of(kind, key)[0]

    def seeds_of(self, kind: type[K], key: str) -> list[K]:
        """The numbers of a point, per seed; they are of this kind."""
        of_kind = [run for run in self._reduced[key] if isinstance(run, kind)]
        if len(of_kind) < len(self._reduced[key]):
            raise TypeError(f"{key}: not all numbers are {kind.__name__}")
        return of_kind

    def where(self, **info: object) -> list[str]:
        """Keys of the points whose `info` has all these values, in the grid's order."""
        return [
            key
            for key, point in self.points.items()
            if all(name in point.info and point.info[name] == value for name, value in info.items())
        ]

    def swept(self, name: str) -> list[float]:
        """The numbers that the points' `info` has by a name, sorted, each once."""
        return sorted({point.number(name) for point in self.points.values() if name in point.info})

    def each(self, formula: Callable[[Mapping[str, Numbers]], T]) -> list[T]:
        """`formula` of the points by key, once per seed that all points have; a point with a single value is used for every seed."""
        seeds = min((len(runs) for runs in self._reduced.values() if len(runs) > 1), default=1)
        return [
            formula({key: runs[seed if len(runs) > 1 else 0] for key, runs in self._reduced.items()})
            for seed in range(seeds)
        ]

    def at(self, key: str, formula: Callable[[Numbers], T]) -> list[T]:
        """`formula` of each seed of a point."""
        return [formula(run) for run in self._reduced[key]]

    def ratio(self, key: str, other_key: str, name: str) -> list[float]:
        """A number of one point over that of another, seed by seed; infinite over zero."""
        pair = Results(self.setup, (), {each: self._reduced[each] for each in (key, other_key)})

        def quotient(run: Mapping[str, Numbers]) -> float:
            number, divisor = number_of(run[key], name), number_of(run[other_key], name)
            return number / divisor if divisor else math.inf

        return pair.each(quotient)

    def values(self, key: str, name: str) -> list[float]:
        """One number of a point, per seed."""
        return [number_of(run, name) for run in self._reduced[key]]

    def mean(self, key: str, name: str) -> float:
        """The mean over the seeds."""
        values = self.values(key, name)
        return math.fsum(values) / len(values)

    def line(self, keys: Iterable[str], along: str, name: str) -> tuple[list[float], list[float]]:
        """A curve: the number `along` in the `info` of each point, and the mean over the seeds of a number."""
        chosen = list(keys)
        return [self.points[key].number(along) for key in chosen], [self.mean(key, name) for key in chosen]

    def means(self, key: str, name: str) -> list[float]:
        """The mean over the seeds of a number list, element by element."""
        lists: list[list[float]] = [getattr(run, name) for run in self._reduced[key]]
        return [math.fsum(column) / len(column) for column in zip(*lists)]


def on_rfc_hosts(point: Point) -> Point:
    """The point with today's CUBIC on hosts of the RFCs, unless its flow has a key `recovery`.

    The set's default is the recovery of today's Linux, which the document's hosts did not have. A second column changes only the algorithm.
    """
    if not isinstance(point.scenario, Mapping):
        return point
    flows = point.scenario.get("flow")
    if not isinstance(flows, list):
        return point
    on_hosts = [{"recovery": "rfc", **flow} if flow.get("cc") == TODAY else flow for flow in flows]
    return replace(point, scenario={**point.scenario, "flow": on_hosts})


def number_of(numbers: object, name: str) -> float:
    """The field of a dataclass that is a number."""
    number: float = getattr(numbers, name)
    return number


class Experiment(ABC, Generic[Numbers]):
    """A figure, table or tested statement of a document.

    A class in `cwnd/papers/<document>/<figure>.py` that has a `title` is an experiment. Its docstring says what the document says and what
    it leaves open. `Experiment[Fig6Numbers]` names the dataclass of its numbers, or the union of them where points have numbers of
    several kinds.
    """

    title: ClassVar[str]
    #: The version of CUBIC that the document used; `None` if no CUBIC runs.
    cubic: ClassVar[str | None]
    #: Another reading of the document's version: the second column's default.
    second: ClassVar[str | None] = None
    #: The part of the id after the document, if it is not the name of the file.
    figure: ClassVar[str] = ""
    #: Whether its runs can go through lane live, as far as that lane does what their scenarios ask for (`cwnd reproduce --lane live`).
    live: ClassVar[bool] = False
    #: What its runs in lane live do not have of its scenarios (`live_scenario`), as a sentence without a full stop; empty if nothing.
    live_note: ClassVar[str] = ""

    @abstractmethod
    def grid(self, setup: Setup) -> list[Point]:
        """The points that are run."""

    def live_scenario(self, point: Point) -> Scenario | JsonObject | str | None:
        """The scenario of a point for lane live; an equivalent one if the lane cannot run the point's own scenario.

        An override explains the difference in `live_note`; `reduce` also gets its runs.
        """
        return point.scenario

    def reduce(self, run: Result, point: Point) -> Numbers:
        """A finished run as numbers. An experiment that simulates nothing has none."""
        raise TypeError(f"{self.id} simulates, but has no reduce")

    @abstractmethod
    def claims(self, results: Results[Numbers]) -> dict[str, Answer]:
        """An answer for each claim, by the last part of its id."""

    def plot(self, results: Results[Numbers], figure: Figure) -> None:
        """Draws the picture. An experiment without one does not override it."""
        raise NotImplementedError

    @property
    def id(self) -> str:
        """`<document>/<figure>`."""
        package, _, module = type(self).__module__.rpartition(".")
        return f"{package.rpartition('.')[2]}/{self.figure or module.replace('_', '-')}"

    @property
    def document(self) -> str:
        return self.id.partition("/")[0]

    @property
    def text(self) -> str:
        """The docstring."""
        return getdoc(type(self)) or ""

    @property
    def has_picture(self) -> bool:
        """Whether there is a picture."""
        return type(self).plot is not Experiment.plot

    @cached_property
    def paper_claims(self) -> dict[str, Claim]:
        """Its claims by the last part of their ids."""
        return claims_of(self.id)

    def points(self, setup: Setup) -> list[Point]:
        """The grid; two points of one name are a `ValueError`."""
        points = self.grid(setup)
        if setup.cubic == TODAY:
            points = [on_rfc_hosts(point) for point in points]
        keys = [point.key for point in points]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            raise ValueError(f"{self.id}: two points are called {twice[0]!r}")
        return points

    def numbers(self, stored: JsonObject) -> Numbers:
        """The numbers of a point as the cache has them."""
        return cast("Numbers", from_json(self._kind, stored))

    @cached_property
    def _kind(self) -> type | UnionType:
        """The type argument of `Experiment[…]`."""
        for parent in type(self).__mro__:
            for base in getattr(parent, "__orig_bases__", ()):
                if get_origin(base) is Experiment:
                    kind: type | UnionType = get_args(base)[0]
                    return kind
        raise TypeError(f"{self.id}: expected a dataclass in Experiment[…]")

    def answers(self, results: Results[Numbers]) -> dict[str, Answer]:
        """An answer for each of its claims, in the order of claims.toml; a missing or unknown one is a `ValueError`."""
        given = self.claims(results)
        if given.keys() != self.paper_claims.keys():
            missing, unknown = (
                sorted(self.paper_claims.keys() - given.keys()),
                sorted(given.keys() - self.paper_claims.keys()),
            )
            raise ValueError(f"{self.id}: claims without an answer: {missing}; answers without a claim: {unknown}")
        return {name: given[name] for name in self.paper_claims}

    def why(self, name: str) -> str:
        """The explanation of a claim that does not hold; empty if there is none."""
        return reasons().get(f"{self.id}/{name}", "")


#: An experiment with numbers of any kind.
AnyExperiment = Experiment[object]
