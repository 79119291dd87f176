# SPDX-License-Identifier: MIT OR Apache-2.0
"""One seed of replicates as a task: run, measured, and written where they have a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cwnd._native import Scenario
from cwnd.replicates.document import RunDocument, describe
from cwnd.replicates.executor import Context, simulating
from cwnd.replicates.folder import write_run
from cwnd.result.lanes import SIM
from cwnd.result.result import run_in_time


@dataclass(frozen=True, slots=True)
class SeedRun:
    """The run of a scenario, whose result is its document."""

    scenario: Scenario
    #: The folder that the run is written to; none if they have none.
    folder: Path | None = None
    lane: str = SIM

    def run(self, context: Context) -> RunDocument:
        result = run_in_time(self.scenario, simulating(context), self.lane)
        document = describe(result, self.scenario.groups)
        if self.folder is not None:
            write_run(self.folder, result, document, context.check)
        context.report(document["perf"]["packets"], 1.0)
        return document
