# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs scenarios in both lanes, several times each, and compares them."""

from __future__ import annotations

import datetime
import os
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypedDict

from cwnd._internal.input_errors import refused, scenario_of
from cwnd._internal.json_types import Json
from cwnd._internal.notebook_repr import Displayed
from cwnd._native import Scenario
from cwnd.fidelity.agreement import Agreement, AgreementDocument
from cwnd.fidelity.numbers import numbers
from cwnd.result.lanes import LIVE, SIM, Engine
from cwnd.result.result import Result, run, run_in_time
from cwnd.scenario.builders import from_document

MOST_RUNS = 1000
#: What each scenario changes of `base`.
SCENARIOS = Path(__file__).with_name("scenarios.toml")
#: Python has no name for it. linux/time.h
CLOCK_MONOTONIC_COARSE = 6
#: Called with the number of live runs that are over, and the part of the present one that is.
Watch = Callable[[int, float], None]


class FidelityDocument(TypedDict):
    """A comparison as JSON."""

    scenario: str
    runs: int
    kernel: str
    #: the kernel's tick rate, which the simulated hosts had too
    host_clock: str
    #: the day of the last live run
    day: str
    #: 99th percentile of how much later than due packets were delivered, the largest of all runs (ms)
    late_p99_ms: float
    numbers: list[AgreementDocument]


@dataclass(frozen=True, slots=True, repr=False)
class Fidelity(Displayed):
    """A scenario in both lanes."""

    scenario: Scenario
    runs: int
    agreements: list[Agreement]
    #: the first run of each lane
    simulated: Result
    measured: Result
    late_p99_ms: float
    day: str

    def __repr__(self) -> str:
        agree = sum(each.agrees for each in self.agreements)
        return f"Fidelity({self.scenario.name}: {agree} of {len(self.agreements)} numbers agree, runs in each lane: {self.runs})"

    def document(self) -> FidelityDocument:
        """As JSON."""
        return {
            "scenario": self.scenario.name,
            "runs": self.runs,
            "kernel": self.measured.summary["live"]["kernel"],
            "host_clock": kernel_clock(),
            "day": self.day,
            "late_p99_ms": self.late_p99_ms,
            "numbers": [each.document() for each in self.agreements],
        }


class Kept(Protocol):
    """The store of live runs, so that an interrupted comparison can resume."""

    def find(self, scenario: Scenario) -> tuple[Result, str] | None:
        """The live run of this scenario with this seed on this kernel, and its day."""

    def keep(self, result: Result) -> None:
        """Keeps a live run."""


@cache
def own_scenarios() -> dict[str, Scenario]:
    """The scenarios that the package has for this, by name."""
    tables = tomllib.loads(SCENARIOS.read_text(encoding="utf-8"))
    base = tables.pop("base")
    (flow,) = base["flow"]
    found = {}
    for name, changes in sorted(tables.items()):
        flows = [changed(flow, each) for each in changes.pop("flow", [{}])]
        found[name] = from_document({**changed(base, changes), "flow": flows, "name": name})
    return found


def changed(table: dict[str, Json], changes: dict[str, Json]) -> dict[str, Json]:
    """A table with these changes; those of a table in it are changes of that."""
    after = dict(table)
    for key, value in changes.items():
        before = table.get(key)
        after[key] = changed(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return after


@cache
def kernel_clock() -> str:
    """The clock that the running kernel's timers and algorithms count, such as 250Hz (CONFIG_HZ): the coarse clock advances with its ticks."""
    return f"{round(1 / time.clock_getres(CLOCK_MONOTONIC_COARSE))}Hz"


def measured(scenario: Scenario, watch: Callable[[float], None]) -> Result:
    """A live run, again where this machine does not keep up."""

    def progress(engine: Engine) -> None:
        watch(engine.progress)

    return run_in_time(scenario, progress, LIVE)


def fidelity(
    scenario: Scenario | str | os.PathLike[str],
    runs: int = 10,
    watch: Watch = lambda _over, _part: None,
    kept: Kept | None = None,
) -> Fidelity:
    """Runs a scenario `runs` times in each lane, with consecutive seeds starting at its own, and compares the results.

    The scenario is a `Scenario`, the path of a file, or the name of a scenario of the package. Live runs that `kept` has are not repeated;
    simulations always are, with this kernel's clock for flows and traffic. Raises what `cwnd.run` raises in lane live.
    """
    if isinstance(scenario, str) and scenario in own_scenarios() and not Path(scenario).is_file():
        scenario = own_scenarios()[scenario]
    scenario = scenario_of(scenario)
    if isinstance(runs, bool) or not isinstance(runs, int) or not 1 <= runs <= MOST_RUNS:
        raise refused("runs", runs, f"a whole number from 1 to {MOST_RUNS}")
    pairs, days = [], []
    clock = kernel_clock()
    late_ms = 0.0
    for number in range(runs):
        seeded = scenario.with_seed(scenario.seed + number)
        if kept is None or (earlier := kept.find(seeded)) is None:
            live = measured(seeded, lambda part, number=number: watch(number, part))  # type: ignore[misc]
            day = datetime.date.today().isoformat()
            if kept is not None:
                kept.keep(live)
        else:
            live, day = earlier
        late_ms = max(late_ms, live.summary["live"]["late_p99_ms"])
        days.append(day)
        pairs.append((run(seeded.with_host_clock(clock), None, SIM), live))
    found = [(numbers(simulated), numbers(live)) for simulated, live in pairs]
    # A number that any run has: what a run lacks is a difference, too.
    names = dict.fromkeys(name for pair in found for each in reversed(pair) for name in each)
    agreements = [
        Agreement.of(name, [of.get(name) for of, _ in found], [of.get(name) for _, of in found]) for name in names
    ]
    return Fidelity(scenario, runs, agreements, *pairs[0], late_ms, max(days))
