# SPDX-License-Identifier: MIT OR Apache-2.0
"""One run of a study as a task: run, and reduced to its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from cwnd._native import FellBehindError, PluginError, Scenario, ScenarioError
from cwnd.replicates.document import describe
from cwnd.replicates.executor import Context, simulating
from cwnd.replicates.rows import RunNumbers, numbers_of
from cwnd.result.result import run_in_time


@dataclass(frozen=True, slots=True)
class Outcome:
    """The numbers of a run, or why there are none."""

    numbers: RunNumbers | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PointRun:
    """A scenario with its seed. An error of the run is its outcome: other runs continue."""

    scenario: Scenario
    lane: str

    def run(self, context: Context) -> Outcome:
        try:
            result = run_in_time(self.scenario, simulating(context), self.lane)
        except (PluginError, FellBehindError, ScenarioError) as error:
            context.report(0, 1.0)
            return Outcome(None, " ".join(str(error).split()))
        numbers = numbers_of(describe(result, self.scenario.groups), self.scenario.groups)
        context.report(numbers["packets"], 1.0)
        return Outcome(numbers)
