# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs all points of the chosen experiments under their seeds: each simulation once, the longest first."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import thread_time

from cwnd._native import Scenario
from cwnd.replicates.executor import Context, Threads, Watch, run_all, simulating
from cwnd.replicates.number_cache import Cache
from cwnd.reproduce.experiment import AnyExperiment, Point, Results, Setup
from cwnd.reproduce.numbers import JsonObject, plain, to_json
from cwnd.result.result import run
from cwnd.scenario.builders import from_document
from cwnd.scenario.snapshot import identity, inputs, scenario_document


@dataclass(frozen=True, slots=True)
class WantedNumbers:
    """Numbers that an experiment wants of a task, and their name in the cache."""

    experiment: AnyExperiment
    point: Point
    name: str


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """The outcome of a task."""

    #: The numbers, by their names in the cache.
    numbers: dict[str, JsonObject]
    #: Errors in place of numbers.
    failures: dict[str, str]
    #: Processor time, s.
    cpu_s: float


#: Errors of an experiment's file: they are reported, and the other experiments continue.
ERRORS = (ArithmeticError, LookupError, TypeError, ValueError, AssertionError, AttributeError)


@dataclass(frozen=True, slots=True)
class Task:
    """One simulation, or one call of a function, with all numbers that are wanted of it."""

    #: Approximate cost: megabits that the link can carry in the run.
    cost: float
    scenario: Scenario | None = None
    arguments: tuple[object, ...] = ()
    wants: list[WantedNumbers] = field(default_factory=list)

    def run(self, context: Context) -> TaskOutcome:
        """Simulates or calls, and reduces."""
        start_s = thread_time()
        outcome = TaskOutcome({}, {}, 0.0)
        packets = 0
        result = None
        if self.scenario is not None:
            try:
                result = run(self.scenario, simulating(context))
            except ERRORS as error:
                outcome.failures.update({want.name: message(want, error) for want in self.wants})
                return outcome
            packets = result.summary["perf"]["packets"]
        for want in self.wants:
            context.check()
            try:
                if result is not None:
                    numbers = want.experiment.reduce(result, want.point)
                else:
                    assert want.point.call is not None
                    numbers = want.point.call(*self.arguments)
                outcome.numbers[want.name] = to_json(numbers, want.point.key)
            except ERRORS as error:
                outcome.failures[want.name] = message(want, error)
        if not outcome.failures:
            context.report(packets, 1.0)
        return replace(outcome, cpu_s=thread_time() - start_s)


@dataclass(frozen=True)
class Column:
    """An experiment with one version of CUBIC: its points, and per seed the names of their numbers in the cache."""

    experiment: AnyExperiment
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

    def results(self, cache: Cache) -> Results[object] | None:
        """The numbers of its points; `None` while one is missing."""
        by_point: dict[str, list[object]] = {}
        for key, names in self.names.items():
            runs = [cache.get(name) for name in names]
            if any(run is None for run in runs):
                return None
            by_point[key] = [self.experiment.numbers(run) for run in runs if run is not None]
        return Results(self.setup, self.points, by_point)


def scenario_of(point: Point) -> Scenario:
    """A point's scenario, checked, without its name, which does not matter for its numbers."""
    given = point.scenario
    if isinstance(given, str):
        scenario = Scenario.from_toml(given)
    elif isinstance(given, Mapping):
        scenario = from_document(given)
    else:
        assert given is not None
        scenario = given
    return scenario.with_name("")


def document_key(scenario: Scenario) -> str:
    """The identity of a scenario: its document, with the files that it names by their digests."""
    if not scenario.files:
        return scenario.to_json()
    return json.dumps(identity(scenario_document(scenario), inputs(scenario)["inputs"]))


def column(experiment: AnyExperiment, setup: Setup, tasks: dict[str, Task]) -> Column:
    """The column of an experiment; its tasks are added to `tasks`."""
    points = experiment.points(setup)
    names: dict[str, list[str]] = {}
    scenarios: dict[str, Scenario] = {}
    texts = []
    for point in points:
        seeds = (0 if point.scenario is None else 1) if point.seeds is None else point.seeds
        names[point.key] = []
        base = scenario_of(point) if point.scenario is not None else None
        for seed in range(1, seeds + 1) or (0,):
            if base is not None:
                scenario = base.with_seed(seed)
                task_key = document_key(scenario)
                cost = scenario.duration_s * (scenario.rate_mbps or 1.0)
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


def message(want: WantedNumbers, error: Exception) -> str:
    """The error of a point as a message."""
    return f"point {want.point.key!r}: {type(error).__name__}: {error}"


@dataclass(frozen=True)
class ReproduceOutcome:
    """How the tasks ended."""

    stopped: bool
    done: int
    #: Errors by the name that the numbers would have in the cache.
    failures: dict[str, str]
    #: Processor time, s, by the first experiment that wanted a task.
    cpu_s: dict[str, float]


def run_tasks(tasks: Sequence[Task], cache: Cache, jobs: int, watch: Watch | None = None) -> ReproduceOutcome:
    """Runs the tasks and keeps their numbers. A failed task is reported, and the others continue; Ctrl-C abandons the tasks in progress."""
    failures: dict[str, str] = {}
    cpu_s: dict[str, float] = {}
    done = 0

    def take(number: int, outcome: TaskOutcome) -> None:
        nonlocal done
        for name, numbers in outcome.numbers.items():
            cache.put(name, numbers)
        failures.update(outcome.failures)
        if not outcome.failures:
            done += 1
            first = tasks[number].wants[0].experiment.id
            cpu_s[first] = cpu_s.get(first, 0.0) + outcome.cpu_s

    longest_first = sorted(range(len(tasks)), key=lambda number: -tasks[number].cost)
    executor = Threads[TaskOutcome](jobs, watch)
    stopped = run_all(executor, {number: tasks[number] for number in longest_first}, take)
    return ReproduceOutcome(stopped, done, dict(sorted(failures.items())), cpu_s)


def missing(tasks: Iterable[Task], cache: Cache) -> list[Task]:
    """The tasks with numbers that are not in the cache yet, reduced to those numbers."""
    incomplete = []
    for task in tasks:
        wants = [want for want in task.wants if cache.get(want.name) is None]
        if wants:
            incomplete.append(Task(task.cost, task.scenario, task.arguments, wants))
    return incomplete
