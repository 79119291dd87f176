# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce --lane live` and `--lane linux`: the points of an experiment with a kernel's TCP, compared with the simulator's numbers.

An experiment says whether its runs can go through the lane (`Experiment.live`), and what they are there (`Experiment.live_scenario`). A point that
cannot has its reason. Runs in lane live execute in parallel while the sum of their bottleneck rates stays below a limit: labs are isolated, and each
judges its own lateness. In lane linux time is virtual, and as many run as there are processors.
"""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from typing import NotRequired, TypedDict

from cwnd import _native
from cwnd._internal import live_part
from cwnd._native import FellBehindError, Scenario, ScenarioError
from cwnd.linux.kernels import find
from cwnd.replicates.executor import Context, Threads, Watch, run_all, simulating
from cwnd.replicates.number_cache import Cache
from cwnd.reproduce.experiment import AnyExperiment, Point
from cwnd.reproduce.numbers import JsonObject, to_json
from cwnd.reproduce.runner import ERRORS, Column, WantedNumbers, document_key, message, scenario_of
from cwnd.result.lanes import LIVE, kernel_of, kind_of
from cwnd.result.result import Result, run
from cwnd.scenario.builders import from_document
from cwnd.scenario.snapshot import scenario_document

#: Mbit/s of a bottleneck up to which two processors keep up for as long as an experiment takes.
MOST_MBPS = 400.0
#: Mbit/s of the bottlenecks of labs that run at the same time; a faster one runs alone.
TOGETHER_MBPS = 40.0
#: Labs that run at the same time at most, if `--jobs` does not say.
LABS = 16
#: Max random time before each packet of a flow that sets none.
OVERHEAD = "10us"
#: Times that a run is tried on a machine that falls behind.
TRIES = 3


class LiveNumber(TypedDict):
    """A number of a point, the mean over its seeds, in both lanes."""

    name: str
    sim: float
    live: float


class LivePoint(TypedDict):
    """A point in lane live, or linux."""

    point: str
    #: how many seeds were run in that lane
    seeds: int
    numbers: list[LiveNumber]
    #: why it was not run
    not_run: NotRequired[str]


class Together:
    """Lets runs begin while the rates of those in progress stay below a sum."""

    def __init__(self, mbps: float) -> None:
        self._mbps = mbps
        self._rates: list[float] = []
        self._changed = threading.Condition()

    @contextmanager
    def part(self, mbps: float, context: Context) -> Iterator[None]:
        """Waits until a run of this rate fits with the others, or is the only one; it counts as running while the body runs."""
        with self._changed:
            while self._rates and math.fsum([*self._rates, mbps]) > self._mbps:
                context.check()
                self._changed.wait(0.02)
            self._rates.append(mbps)
        try:
            yield
        finally:
            with self._changed:
                self._rates.remove(mbps)
                self._changed.notify_all()


#: The labs of this process.
TOGETHER = Together(TOGETHER_MBPS)


@dataclass(frozen=True, slots=True)
class LiveOutcome:
    """The outcome of a run, by the names in the cache: numbers, or the reason why there are none."""

    numbers: dict[str, JsonObject] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LiveRun:
    """A scenario as a task, with all numbers that are wanted of it."""

    scenario: Scenario
    lane: str = LIVE
    wants: list[WantedNumbers] = field(default_factory=list)

    @property
    def mbps(self) -> float:
        """The rate of its bottleneck; a scenario without one is not tried."""
        return self.scenario.rate_mbps or 0.0

    @property
    def cost(self) -> float:
        """Seconds times its part of what may run at the same time, Mbit; in lane linux the bits that its bottleneck carries."""
        if self.lane != LIVE:
            return self.scenario.duration_s * max(self.mbps, 1.0)
        return self.scenario.duration_s * min(max(self.mbps, TOGETHER_MBPS / LABS), TOGETHER_MBPS)

    def run(self, context: Context) -> LiveOutcome:
        """Runs it, and reduces it."""
        with TOGETHER.part(self.mbps, context) if self.lane == LIVE else nullcontext():
            result = self.result(context)
        outcome, packets = LiveOutcome(), 0
        if isinstance(result, str):
            outcome.why.update({want.name: result for want in self.wants})
        else:
            packets = result.summary["perf"]["packets"]
            for want in self.wants:
                try:
                    numbers = want.experiment.reduce(result, want.point)
                    outcome.numbers[want.name] = to_json(numbers, want.point.key)
                except ERRORS as error:
                    outcome.why[want.name] = message(want, error)
        context.report(packets, 1.0)
        return outcome

    def result(self, context: Context) -> Result | str:
        """The outcome of the run, or why it has no result."""
        why = ""
        for _ in range(TRIES):
            try:
                return run(self.scenario, simulating(context), self.lane)
            except FellBehindError as error:
                why = f"this machine did not keep up: {error}"
            except ScenarioError as error:
                return str(error)
            except OSError as error:
                return str(error.strerror or error)
            except ERRORS as error:
                return f"{type(error).__name__}: {error}"
        return why


@dataclass(frozen=True, slots=True)
class LiveWant:
    """A point under one seed."""

    scenario: Scenario
    #: What tells its scenario from others.
    document: str
    numbers: WantedNumbers


def unavailable(lane: str) -> str:
    """Why a lane is unavailable on this machine, as the end of a sentence; empty if it may be available."""
    if lane != LIVE:
        return live_part.why_not()
    return live_part.why_not() or ("" if os.geteuid() == 0 else "needs root")


def why_not(scenario: Scenario, lane: str = LIVE) -> str:
    """Why a scenario is not tried; empty if it is tried."""
    try:
        _native.Lab.check(scenario, kind_of(lane))
    except ScenarioError as error:
        return str(error)
    if lane != LIVE:
        return ""
    if scenario.rate_mbps is None:
        return "a bottleneck without a rate; experiments share the machine by their rates"
    if scenario.rate_mbps > MOST_MBPS:
        return f"a bottleneck of {scenario.rate_mbps:g} Mbit/s; lane live takes experiments up to {MOST_MBPS:g} Mbit/s"
    return ""


def scenario_in_lane(experiment: AnyExperiment, point: Point) -> Scenario:
    """The scenario of a point as a kernel's lane runs it: the experiment's, and flows whose packets leave at once get a random overhead.

    The emulator takes a packet for sent when what it answers was due, so that a host's own times, which differ by some tens of microseconds, do
    not break phase effects (Floyd and Jacobson 1992): of two packets that come to a full queue at one instant, always the same flow's would be first.
    """
    document = scenario_document(scenario_of(replace(point, scenario=experiment.live_scenario(point))))
    flows = document.get("flow", [])
    assert isinstance(flows, list)
    for flow in flows:
        if flow.get("overhead", "0s") == "0s":
            flow["overhead"] = OVERHEAD
    return from_document(document)


def kernel_key(lane: str) -> str:
    """What tells the kernel of a lane from others: the running one's release, the build of one in virtual time."""
    return os.uname().release if lane == LIVE else find(kernel_of(lane)).about["key"]


def wanted(column: Column, seeds: int, lane: str = LIVE) -> list[LiveWant]:
    """The points of an experiment in a lane under each seed, those that are not tried included."""
    experiment, kernel = column.experiment, kernel_key(lane)
    wants = []
    for point in column.points:
        if point.scenario is None:
            continue
        base = scenario_in_lane(experiment, point)
        for seed in range(1, seeds + 1):
            scenario = base.with_seed(seed)
            document = document_key(scenario)
            inputs: JsonObject = {
                "run": document,
                "key": point.key,
                "info": dict(point.info),
                "lane": kind_of(lane),
                "kernel": kernel,
            }
            name = Cache.name(inputs, experiment.reduce)
            wants.append(LiveWant(scenario, document, WantedNumbers(experiment, point, name)))
    return wants


def missing(wants: Sequence[LiveWant], cache: Cache, lane: str = LIVE) -> tuple[list[LiveRun], dict[str, str]]:
    """The runs whose numbers are not in the cache, each scenario once, slow links first; and by name why others are not tried."""
    why = {want.numbers.name: reason for want in wants if (reason := why_not(want.scenario, lane))}
    runs: dict[str, LiveRun] = {}
    for want in wants:
        if want.numbers.name not in why and cache.get(want.numbers.name) is None:
            runs.setdefault(want.document, LiveRun(want.scenario, lane)).wants.append(want.numbers)
    return sorted(runs.values(), key=lambda each: (each.mbps, -each.scenario.duration_s)), why


def measure(
    runs: Sequence[LiveRun], cache: Cache, labs: int = LABS, watch: Watch | None = None
) -> tuple[bool, int, dict[str, str]]:
    """Measures runs, up to `labs` at a time, and keeps their numbers.

    Returns whether Ctrl-C has stopped it, how many were done, and by name why some have no numbers.
    """
    why: dict[str, str] = {}
    done = 0

    def take(_: int, outcome: LiveOutcome) -> None:
        nonlocal done
        done += 1
        why.update(outcome.why)
        for name, numbers in outcome.numbers.items():
            cache.put(name, numbers)

    stopped = run_all(Threads[LiveOutcome](labs, watch), dict(enumerate(runs)), take)
    return stopped, done, why


def points(column: Column, wants: Sequence[LiveWant], cache: Cache, why: Mapping[str, str]) -> list[LivePoint]:
    """The points of an experiment: numbers of both lanes, or the reason why there are none."""
    rows: list[LivePoint] = []
    by_point: dict[str, list[str]] = {}
    for want in wants:
        by_point.setdefault(want.numbers.point.key, []).append(want.numbers.name)
    for key, names in by_point.items():
        measured = [numbers for name in names if (numbers := cache.get(name)) is not None]
        simulated = [numbers for name in column.names[key] if (numbers := cache.get(name)) is not None]
        row: LivePoint = {"point": key, "seeds": len(measured), "numbers": []}
        if measured and simulated:
            means = [means_of(runs) for runs in (simulated, measured)]
            row["numbers"] = [
                {"name": name, "sim": sim, "live": means[1][name]} for name, sim in means[0].items() if name in means[1]
            ]
        else:
            row["not_run"] = next((why[name] for name in names if name in why), "stopped before this point")
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
