# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs all points of the chosen experiments under their seeds: each simulation once, on threads, the longest first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import thread_time
from typing import Any

from cwnd._native import Scenario, Simulation
from cwnd.replicates.runner import StopCheck, run_on_threads
from cwnd.reproduce.cache import Cache
from cwnd.reproduce.experiment import Experiment, Point, Results, Setup
from cwnd.reproduce.numbers import JsonObject, plain, to_json
from cwnd.result import run

#: Called by the thread of a task with its number, its packets so far, and the part that is done.
WatchTask = Callable[[int, int, float], None]


@dataclass(frozen=True, slots=True)
class WantedNumbers:
    """Numbers that an experiment wants of a task, and their name in the cache."""

    experiment: Experiment[Any]
    point: Point
    name: str


@dataclass(frozen=True, slots=True)
class Task:
    """One simulation, or one call of a function, with all numbers that are wanted of it."""

    #: Approximate cost: megabits that the link can carry in the run.
    cost: float
    scenario: Scenario | None = None
    arguments: tuple[object, ...] = ()
    wants: list[WantedNumbers] = field(default_factory=list)


@dataclass(frozen=True)
class Column:
    """An experiment with one version of CUBIC: its points, and per seed the names of their numbers in the cache."""

    experiment: Experiment[Any]
    setup: Setup
    points: list[Point]
    names: dict[str, list[str]]
    #: Hash of all its scenarios.
    digest: str
    #: Scenarios by point, under seed 1.
    scenarios: dict[str, Scenario]

    def failure(self, failures: Mapping[str, str]) -> str:
        """The error of one of its points; empty if there is none."""
        return next((failures[name] for names in self.names.values() for name in names if name in failures), "")

    def results(self, cache: Cache) -> Results[Any] | None:
        """The numbers of its points; `None` while one is missing."""
        by_point: dict[str, list[object]] = {}
        for key, names in self.names.items():
            runs = [cache.get(name) for name in names]
            if any(run is None for run in runs):
                return None
            by_point[key] = [self.experiment.numbers(run) for run in runs if run is not None]
        return Results(self.setup, self.points, by_point)


def document(point: Point) -> JsonObject:
    """A point's scenario in the schema, checked, without its name, which does not matter for its numbers."""
    given = point.scenario
    if isinstance(given, str):
        scenario = Scenario.from_toml(given)
    elif isinstance(given, Mapping):
        scenario = Scenario.from_json(json.dumps(given))
    else:
        assert given is not None
        scenario = given
    fields: dict[str, Any] = json.loads(scenario.to_json())
    return {**fields, "name": ""}


def column(experiment: Experiment[Any], setup: Setup, tasks: dict[str, Task]) -> Column:
    """The column of an experiment; its tasks are added to `tasks`."""
    points = experiment.points(setup)
    names: dict[str, list[str]] = {}
    scenarios: dict[str, Scenario] = {}
    texts = []
    for point in points:
        seeds = (0 if point.scenario is None else 1) if point.seeds is None else point.seeds
        names[point.key] = []
        base = document(point) if point.scenario is not None else None
        for seed in range(1, seeds + 1) or (0,):
            if base is not None:
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
                task.wants.append(WantedNumbers(experiment, point, name))
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
    return Column(experiment, setup, points, names, digest, scenarios)


@dataclass(frozen=True)
class ReproduceOutcome:
    """How the tasks ended."""

    stopped: bool
    done: int
    #: Errors by the name that the numbers would have in the cache.
    failures: dict[str, str]
    #: Processor time, s, by the first experiment that wanted a task.
    cpu_s: dict[str, float]


#: Errors of an experiment's file: they are reported, and the other experiments go on.
ERRORS = (ArithmeticError, LookupError, TypeError, ValueError, AssertionError, AttributeError)


def message(want: WantedNumbers, error: Exception) -> str:
    """The error of a point as a message."""
    return f"point {want.point.key!r}: {type(error).__name__}: {error}"


def run_tasks(tasks: Sequence[Task], cache: Cache, jobs: int, watch: WatchTask | None = None) -> ReproduceOutcome:
    """Runs the tasks. A failed task is reported, and the others go on; Ctrl-C gives up the tasks in progress."""
    failures: dict[str, str] = {}
    costs: list[tuple[str, float]] = []

    def run_task(number: int, check: StopCheck) -> bool:
        task = tasks[number]
        start_s = thread_time()

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
                failures.update({want.name: message(want, error) for want in task.wants})
                return False
            packets = result.summary["perf"]["packets"]
        for want in task.wants:
            check()
            try:
                if result is not None:
                    numbers = want.experiment.reduce(result, want.point)
                else:
                    assert want.point.call is not None
                    numbers = want.point.call(*task.arguments)
                cache.put(want.name, to_json(numbers, want.point.key))
            except ERRORS as error:
                failures[want.name] = message(want, error)
                failed = True
        if failed:
            return False
        costs.append((task.wants[0].experiment.id, thread_time() - start_s))
        if watch is not None:
            watch(number, packets, 1.0)
        return True

    longest_first = sorted(range(len(tasks)), key=lambda number: -tasks[number].cost)
    outcome = run_on_threads({number: partial(run_task, number) for number in longest_first}, jobs)
    cpu_s: dict[str, float] = {}
    for name, seconds in costs:
        cpu_s[name] = cpu_s.get(name, 0.0) + seconds
    return ReproduceOutcome(outcome.stopped, sum(outcome.done.values()), dict(sorted(failures.items())), cpu_s)


def missing(tasks: Iterable[Task], cache: Cache) -> list[Task]:
    """The tasks with numbers that are not in the cache yet, reduced to those numbers."""
    incomplete = []
    for task in tasks:
        wants = [want for want in task.wants if cache.get(want.name) is None]
        if wants:
            incomplete.append(Task(task.cost, task.scenario, task.arguments, wants))
    return incomplete
