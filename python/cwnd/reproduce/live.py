# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce --lane live`: the points of an experiment with the kernel's own TCP, beside the simulator's numbers.

An experiment says whether its runs can go through the lane (`Experiment.live`). A point that cannot has its reason.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

from cwnd import _native
from cwnd._native import FellBehindError, Scenario, ScenarioError
from cwnd.executor import Context, Threads, Watch, run_all, simulating
from cwnd.lanes import LIVE
from cwnd.reproduce.cache import Cache
from cwnd.reproduce.experiment import AnyExperiment, Point
from cwnd.reproduce.numbers import JsonObject, to_json
from cwnd.reproduce.runner import ERRORS, Column, document_key, scenario_of
from cwnd.result import run

#: Mbit/s of a bottleneck up to which two processors keep up for as long as an experiment takes.
MOST_MBPS = 300.0
#: Times that a run is tried on a machine that falls behind.
TRIES = 3


class LiveNumber(TypedDict):
    """A number of a point, the mean over its seeds, in both lanes."""

    name: str
    sim: float
    live: float


class LivePoint(TypedDict):
    """A point in lane live."""

    point: str
    #: how many seeds were run in lane live
    seeds: int
    numbers: list[LiveNumber]
    #: why it was not run
    not_run: NotRequired[str]


@dataclass(frozen=True, slots=True)
class LiveOutcome:
    """The numbers of a run, or the reason why there are none."""

    numbers: JsonObject | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A point under one seed as a task."""

    experiment: AnyExperiment
    point: Point
    scenario: Scenario
    #: Name of its numbers in the cache.
    name: str

    def run(self, context: Context) -> LiveOutcome:
        """Runs it in real time, and reduces it."""
        for number in range(TRIES):
            try:
                result = run(self.scenario, simulating(context), LIVE)
                return LiveOutcome(to_json(self.experiment.reduce(result, self.point), self.point.key))
            except FellBehindError as error:
                if number + 1 == TRIES:
                    return LiveOutcome(None, f"this machine did not keep up: {error}")
            except ScenarioError as error:
                return LiveOutcome(None, str(error))
            except OSError as error:
                return LiveOutcome(None, str(error.strerror or error))
            except ERRORS as error:
                return LiveOutcome(None, f"{type(error).__name__}: {error}")
        raise AssertionError


def unavailable() -> str:
    """Why this machine has no lane live; empty if it may have."""
    if not hasattr(_native, "Lab"):
        return "Linux"
    return "" if os.geteuid() == 0 else "root"


def why_not(scenario: Scenario) -> str:
    """Why a scenario is not tried at all; empty if it is."""
    try:
        _native.Lab.check(scenario)
    except ScenarioError as error:
        return str(error)
    if scenario.rate_mbps > MOST_MBPS:
        return f"a bottleneck of {scenario.rate_mbps:g} Mbit/s; experiments go through lane live up to {MOST_MBPS:g} Mbit/s"
    return ""


def runs_of(column: Column, seeds: int) -> list[LiveRun]:
    """The runs of an experiment in lane live, those that are not tried included."""
    runs = []
    for point in column.points:
        if point.scenario is None:
            continue
        for seed in range(1, seeds + 1):
            scenario = scenario_of(point).with_seed(seed)
            inputs: JsonObject = {
                "run": document_key(scenario),
                "key": point.key,
                "info": dict(point.info),
                "lane": LIVE,
                "kernel": os.uname().release,
            }
            name = Cache.name(inputs, column.experiment.reduce)
            runs.append(LiveRun(column.experiment, point, scenario, name))
    return runs


def measure(runs: Sequence[LiveRun], cache: Cache, watch: Watch | None) -> tuple[bool, dict[str, str]]:
    """Runs one after the other what is not in the cache; returns whether Ctrl-C has stopped it, and by name why others have no numbers."""
    why = {each.name: reason for each in runs if (reason := why_not(each.scenario))}
    wanted = {number: each for number, each in enumerate(runs) if each.name not in why and cache.get(each.name) is None}

    def take(number: int, outcome: LiveOutcome) -> None:
        if outcome.numbers is None:
            why[runs[number].name] = outcome.why
        else:
            cache.put(runs[number].name, outcome.numbers)

    stopped = run_all(Threads[LiveOutcome](1, watch), wanted, take)
    return stopped, why


def points(column: Column, runs: Iterable[LiveRun], cache: Cache, why: Mapping[str, str]) -> list[LivePoint]:
    """The points of an experiment: numbers of both lanes, or the reason why there are none."""
    rows: list[LivePoint] = []
    by_point: dict[str, list[LiveRun]] = {}
    for each in runs:
        by_point.setdefault(each.point.key, []).append(each)
    for key, of_point in by_point.items():
        measured = [numbers for each in of_point if (numbers := cache.get(each.name)) is not None]
        simulated = [numbers for name in column.names[key] if (numbers := cache.get(name)) is not None]
        row: LivePoint = {"point": key, "seeds": len(measured), "numbers": []}
        if measured and simulated:
            means = [means_of(runs) for runs in (simulated, measured)]
            row["numbers"] = [
                {"name": name, "sim": sim, "live": means[1][name]} for name, sim in means[0].items() if name in means[1]
            ]
        else:
            row["not_run"] = next((why[each.name] for each in of_point if each.name in why), "stopped before it")
        rows.append(row)
    return rows


def means_of(runs: Sequence[JsonObject]) -> dict[str, float]:
    """The mean over runs of each finite number; lists and texts have none."""
    means = {}
    for name in runs[0]:
        values = [run.get(name) for run in runs]
        numbers = [float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)]
        if len(numbers) == len(runs):
            means[name] = math.fsum(numbers) / len(numbers)
    return means
