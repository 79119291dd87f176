# SPDX-License-Identifier: MIT OR Apache-2.0
"""All points of the chosen experiments under their seeds: each simulation once, on threads, the longest first, the finished kept."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import thread_time
from typing import Any

from cwnd._native import Scenario, Simulation
from cwnd.experiments.cache import Cache
from cwnd.experiments.find import Experiment
from cwnd.experiments.frame import Point, Reduced, Results, Setup
from cwnd.replicates.runner import Check, spread
from cwnd.result import run

#: Called by the thread of a task with its number, and how far it is: packets so far, and the part that is done.
Watch = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class Want:
    """Numbers that an experiment wants of a task, and the name under which they are kept."""

    experiment: Experiment
    point: Point
    name: str


@dataclass(frozen=True, slots=True)
class Task:
    """One simulation with all that is wanted of it, or one call."""

    #: What it costs, roughly: megabits that the link could carry.
    cost: float
    scenario: Scenario | None = None
    arguments: tuple[Any, ...] = ()
    wants: list[Want] = field(default_factory=list)


@dataclass(frozen=True)
class Column:
    """An experiment with one version of CUBIC: its points, and under which names their numbers are, per seed."""

    experiment: Experiment
    setup: Setup
    points: list[Point]
    names: dict[str, list[str]]
    #: Of all its scenarios.
    digest: str
    #: Scenarios by point, under seed 1.
    scenarios: dict[str, Scenario]

    def failure(self, failures: Mapping[str, str]) -> str:
        """What went wrong with one of its points; empty if nothing did."""
        return next((failures[name] for names in self.names.values() for name in names if name in failures), "")

    def results(self, cache: Cache) -> Results | None:
        """What came of its points; `None` while one is missing."""
        found: dict[str, list[Reduced]] = {}
        for key, names in self.names.items():
            runs = [cache.get(name) for name in names]
            if any(one is None for one in runs):
                return None
            found[key] = [one for one in runs if one is not None]
        return Results(self.setup, self.points, found)


def plain(value: Any, where: str) -> Any:  # noqa: ANN401
    """Numbers as JSON has them; `ValueError` for what is not a number, a text or a list of these."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(one, f"{where}.{key}") for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one, where) for one in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and not math.isnan(value)):
        return value
    raise ValueError(f"{where}: {value!r} cannot be kept; expected numbers (not NaN), texts and lists of them")


def document(point: Point) -> dict[str, Any]:
    """A point's scenario in the schema, checked, without what does not matter for its numbers."""
    given = point.scenario
    if isinstance(given, str):
        made = Scenario.from_toml(given)
    elif isinstance(given, Mapping):
        made = Scenario.from_json(json.dumps(given))
    else:
        assert given is not None
        made = given
    found: dict[str, Any] = json.loads(made.to_json())
    return found | {"name": ""}


def column(experiment: Experiment, setup: Setup, tasks: dict[str, Task]) -> Column:
    """Lays out an experiment: its tasks are added to those that are there."""
    points = experiment.grid(setup)
    names: dict[str, list[str]] = {}
    scenarios: dict[str, Scenario] = {}
    texts = []
    for point in points:
        seeds = (0 if point.scenario is None else 1) if point.seeds is None else point.seeds
        names[point.key] = []
        base = document(point) if point.scenario is not None else None
        for seed in range(1, seeds + 1) or (0,):
            if base is not None:
                assert experiment.reduce is not None, f"{experiment.id} simulates, but has no reduce"
                scenario = Scenario.from_json(json.dumps({**base, "seed": seed}))
                task_key = scenario.to_json()
                cost = scenario.duration_s * scenario.rate_mbps
                name = Cache.name({"run": task_key, "key": point.key, "info": dict(point.info)}, experiment.reduce)
                task = tasks.setdefault(task_key, Task(cost, scenario))
                if seed == 1:
                    scenarios[point.key] = scenario
                    texts.append(task_key)
            else:
                assert point.call is not None, f"{experiment.id}, {point.key}: neither a scenario nor a call"
                arguments = (*point.args, seed) if seed else point.args
                name = Cache.name({"arguments": plain(list(arguments), point.key)}, point.call)
                task = tasks.setdefault(name, Task(1.0, None, arguments))
                texts.append(json.dumps([point.key, plain(list(point.args), point.key)]))
            names[point.key].append(name)
            if all(want.name != name for want in task.wants):
                task.wants.append(Want(experiment, point, name))
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    return Column(experiment, setup, points, names, digest, scenarios)


@dataclass(frozen=True)
class Outcome:
    """What came of the tasks."""

    stopped: bool
    done: int
    #: What went wrong, by the name under which the numbers would have been kept.
    failures: dict[str, str]
    #: Processor time, s, by the experiment that was first to want it.
    cpu_s: dict[str, float]


#: What an experiment's file can do wrong: it is told of, and the others go on.
ERRORS = (ArithmeticError, LookupError, TypeError, ValueError, AssertionError, AttributeError)


def told(want: Want, error: Exception) -> str:
    """A failure of a point, in words."""
    return f"point {want.point.key!r}: {type(error).__name__}: {error}"


def work(tasks: Sequence[Task], cache: Cache, jobs: int, watch: Watch | None = None) -> Outcome:
    """Runs the tasks. One that fails is told of, and the others go on; Ctrl-C gives up those in progress."""
    failures: dict[str, str] = {}
    costs: list[tuple[str, float]] = []

    def one(number: int, check: Check) -> bool:
        task = tasks[number]
        begun = thread_time()

        def between(simulation: Simulation) -> None:
            check()
            if watch is not None:
                watch(number, simulation.packets, min(simulation.progress, 0.999))

        packets = 0
        failed = False
        result = None
        if task.scenario is not None:
            try:
                result = run(task.scenario, between)
            except ERRORS as error:
                failures.update({want.name: told(want, error) for want in task.wants})
                return False
            packets = result.summary["perf"]["packets"]
        for want in task.wants:
            check()
            try:
                if result is not None:
                    assert want.experiment.reduce is not None
                    numbers = want.experiment.reduce(result, want.point)
                else:
                    assert want.point.call is not None
                    numbers = want.point.call(*task.arguments)
                cache.put(want.name, plain(numbers, want.point.key))
            except ERRORS as error:
                failures[want.name] = told(want, error)
                failed = True
        if failed:
            return False
        costs.append((task.wants[0].experiment.id, thread_time() - begun))
        if watch is not None:
            watch(number, packets, 1.0)
        return True

    longest_first = sorted(range(len(tasks)), key=lambda number: -tasks[number].cost)
    outcome = spread({number: lambda check, number=number: one(number, check) for number in longest_first}, jobs)  # type: ignore[misc]
    cpu_s: dict[str, float] = {}
    for name, seconds in costs:
        cpu_s[name] = cpu_s.get(name, 0.0) + seconds
    return Outcome(outcome.stopped, sum(outcome.done.values()), dict(sorted(failures.items())), cpu_s)


def missing(tasks: Iterable[Task], cache: Cache) -> list[Task]:
    """The tasks of which something is not there yet, with what is missing only."""
    found = []
    for task in tasks:
        wants = [want for want in task.wants if cache.get(want.name) is None]
        if wants:
            found.append(Task(task.cost, task.scenario, task.arguments, wants))
    return found
