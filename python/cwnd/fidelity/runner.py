# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs scenarios in the simulator and in the lane that it is compared with, and compares them."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from cwnd._internal.input_errors import refused, scenario_of
from cwnd._internal.notebook_repr import Displayed
from cwnd._native import FellBehindError, Scenario
from cwnd.fidelity.documents import FidelityDocument, outcome
from cwnd.fidelity.equivalence import Equivalence
from cwnd.fidelity.numbers import Numbers, compared, numbers
from cwnd.fidelity.packets import PacketByPacket
from cwnd.fidelity.scenarios import (
    check,
    clock_phase_us,
    is_deterministic,
    own_scenarios,
    ticks,
    what_is_known,
    with_hosts,
)
from cwnd.replicates.api import jobs_of
from cwnd.replicates.executor import Context, Threads, Watch, run_all, simulating
from cwnd.result.lanes import LINUX, LIVE, SIM, check_lane
from cwnd.result.result import Result, run, run_in_time

MOST_RUNS = 1000
#: What a name of a scenario of the package looks like, and no path of a file does.
NAME = re.compile(r"[a-zA-Z0-9-]{1,40}")


@dataclass(frozen=True, slots=True, repr=False)
class Fidelity(Displayed):
    """A scenario in the simulator and in another lane."""

    scenario: Scenario
    lane: str
    runs: int
    #: of a scenario whose packets are compared: a deterministic one, or one of which that was asked; `None` of others
    packets: PacketByPacket | None
    #: of a random scenario, or in lane live
    numbers: list[Equivalence]
    #: the first run of each lane
    simulated: Result
    measured: Result
    hz: int
    late_ms: float
    day: str

    def __repr__(self) -> str:
        name = f"{self.scenario.name}: " if self.scenario.name else ""
        return f"Fidelity({name}{outcome(self.document())})"

    def document(self) -> FidelityDocument:
        """As JSON."""
        return {
            "scenario": self.scenario.name,
            "lane": self.lane,
            "runs": self.runs,
            "kernel": kernel_release(self.measured),
            "hz": self.hz,
            "day": self.day,
            "late_ms": self.late_ms,
            "packets": None if self.packets is None else self.packets.document(),
            "numbers": [each.document() for each in self.numbers],
            "other_recovery": {
                flow["name"]: flow["recovery"]
                for flow in self.simulated.summary["flows"]
                if flow["recovery"] != "linux"
            },
        }


def kernel_release(result: Result) -> str:
    """The release of the kernel of a run."""
    return (result.summary["live"] if result.lane == LIVE else result.summary["linux"])["kernel"]


def late_ms(result: Result) -> float:
    """How much later than due packets of a run were delivered."""
    return result.summary["live"]["late_p99_ms"] if result.lane == LIVE else result.summary["linux"]["late_worst_ms"]


class Kept(Protocol):
    """The store of the kernel's runs, so that an interrupted comparison can resume."""

    def find(self, scenario: Scenario, lane: str) -> tuple[Result, str] | None:
        """The run of this scenario with this seed by this kernel, and its day."""

    def keep(self, result: Result) -> None:
        """Keeps a run."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two runs with one seed."""

    numbers: tuple[Numbers, Numbers]
    late_ms: float
    day: str
    #: of the first pair
    results: tuple[Result, Result] | None


@dataclass(frozen=True, slots=True)
class PairOfRuns:
    """A run in the simulator and one in another lane, as a task."""

    #: with its seed and hosts
    scenario: Scenario
    lane: str
    is_first: bool
    kept: Kept | None

    def run(self, context: Context) -> Pair:
        earlier = self.kept.find(self.scenario, self.lane) if self.kept is not None else None
        measured, day = earlier or (self.measure(context), datetime.date.today().isoformat())
        simulated = run(self.scenario, lambda _: context.check(), SIM)
        pair = Pair(
            (numbers(simulated), numbers(measured)),
            late_ms(measured),
            day,
            (simulated, measured) if self.is_first else None,
        )
        context.report(0, 1.0)
        return pair

    def measure(self, context: Context) -> Result:
        """A run of the kernel, which is kept."""
        try:
            result = run_in_time(self.scenario, simulating(context), self.lane)
        except FellBehindError as error:
            raise FellBehindError(f"{self.scenario.name}: {error}") from error
        if self.kept is not None:
            self.kept.keep(result)
        return result


@dataclass(frozen=True, slots=True)
class Comparison:
    """A scenario that is compared: its pairs of runs as tasks."""

    scenario: Scenario
    lane: str
    hz: int
    #: whether the packets are compared
    is_exact: bool
    tasks: list[PairOfRuns]

    @classmethod
    def of(cls, scenario: Scenario, lane: str, runs: int, kept: Kept | None, packets: bool = False) -> Comparison:
        """The runs of a comparison. In lane live no two runs have the same times, so every scenario counts as random. `packets`: those of a
        random one with flows are compared, too."""
        hz = ticks(lane)
        check(scenario, lane)
        compares_packets = packets and bool(scenario.flow_names)
        exact = lane != LIVE and (compares_packets or is_deterministic(scenario, hz))
        tasks = []
        for number in range(1 if exact else runs):
            seeded = scenario.with_seed(scenario.seed + number)
            hosts = with_hosts(seeded, hz, phase_us=clock_phase_us(seeded.seed), captures=exact)
            tasks.append(PairOfRuns(hosts, lane, number == 0, kept))
        return cls(scenario, lane, hz, exact, tasks)

    def conclude(self, pairs: list[Pair]) -> Fidelity:
        """Compares the runs."""
        assert pairs[0].results is not None, "of the first pair"
        own = what_is_known(self.scenario)
        exact = self.is_exact
        packets = (
            PacketByPacket.of(*pairs[0].results, own.known.get("packets", ""), own.first_difference) if exact else None
        )
        return Fidelity(
            self.scenario,
            self.lane,
            len(pairs),
            packets,
            [] if exact else compared([pair.numbers for pair in pairs], own.known),
            *pairs[0].results,
            self.hz,
            max(pair.late_ms for pair in pairs),
            max(pair.day for pair in pairs),
        )


def compare(
    comparisons: Mapping[str, Comparison],
    take: Callable[[str, Fidelity], None],
    jobs: int,
    watch: Watch | None = None,
) -> bool:
    """Runs scenarios, `jobs` pairs of runs at a time, and gives each comparison to `take` when its runs are done. Returns whether Ctrl-C ended it.

    `watch` is called as in `cwnd.replicate`, with the numbers of the tasks in the order of the scenarios.
    """
    numbered = [(name, place, task) for name, each in comparisons.items() for place, task in enumerate(each.tasks)]
    pairs: dict[str, dict[int, Pair]] = {name: {} for name in comparisons}

    def done(number: int, pair: Pair) -> None:
        name, place, _ = numbered[number]
        pairs[name][place] = pair
        if len(pairs[name]) == len(comparisons[name].tasks):
            take(name, comparisons[name].conclude([each for _, each in sorted(pairs.pop(name).items())]))

    return run_all(Threads(jobs, watch), dict(enumerate(task for _, _, task in numbered)), done)


def fidelity(
    scenario: Scenario | str | os.PathLike[str],
    runs: int = 10,
    lane: str = LINUX,
    jobs: int | None = None,
    watch: Watch | None = None,
    kept: Kept | None = None,
    packets: bool = False,
) -> Fidelity:
    """Runs a scenario in the simulator and in `lane`, and compares the results: packet by packet if it is deterministic, else by the numbers of
    `runs` pairs of runs, with consecutive seeds starting at its own. With `packets` a random one is compared packet by packet instead, by
    one pair of runs: both lanes draw the same losses and delays for its seed.

    The scenario is a `Scenario`, the path of a file, or the name of a scenario of the package. `lane` is `"linux"`, `"linux:6.12"` or `"live"`;
    in lane live, every scenario counts as random. Up to `jobs` pairs run at a time (all processors; in lane live one). The kernel's runs that
    `kept` has are not repeated. Raises what `cwnd.run` raises in the lane.
    """
    if isinstance(scenario, str) and NAME.fullmatch(scenario) and not Path(scenario).is_file():
        if scenario not in own_scenarios():
            raise refused(
                "scenario", scenario, "a scenario's file that exists, or the name of one of cwnd", own_scenarios()
            )
        scenario = own_scenarios()[scenario]
    scenario = scenario_of(scenario)
    if isinstance(runs, bool) or not isinstance(runs, int) or not 1 <= runs <= MOST_RUNS:
        raise refused("runs", runs, f"a whole number from 1 to {MOST_RUNS}")
    lane = reference_lane(lane)
    check_packets(packets, lane)
    found: list[Fidelity] = []
    comparison = Comparison.of(scenario, lane, runs, kept, packets)
    if compare({"": comparison}, lambda _, each: found.append(each), jobs_of(lane, jobs), watch):
        raise KeyboardInterrupt
    return found[0]


def check_packets(packets: object, lane: str, fields: tuple[str, str] = ("packets", "lane")) -> None:
    """Raises `ScenarioError` if packets cannot be compared in the lane; `fields` are what the error calls the two."""
    if not isinstance(packets, bool):
        raise refused(fields[0], packets, "True or False")
    if packets and lane == LIVE:
        raise refused(
            fields[1], lane, f"lane {LINUX} with {fields[0]}, as no two runs of lane {LIVE} have the same times"
        )


def reference_lane(lane: object, field: str = "lane") -> str:
    """The lane with the name of a kernel that is built. Raises `ScenarioError` for a lane without a kernel; `field` is what the error calls it."""
    if lane == SIM:
        raise refused(field, lane, f"a lane with a kernel, {LINUX} or {LIVE}")
    return check_lane(lane, field)
