# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd run` and `cwnd compare` have in common: the run itself, its progress, what is printed and saved."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cwnd._native import Scenario
from cwnd.exit_codes import fail
from cwnd.lanes import SIM, check_lane

if TYPE_CHECKING:
    from cwnd.result import Progress, Summary


def run_and_report(
    scenario: Scenario,
    out: Path | None,
    seeds_and_jobs: tuple[str | None, str | None],
    *,
    lane: str,
    as_json: bool,
    pictures: bool,
    force: bool,
) -> None:
    """Runs, prints and saves; `seeds_and_jobs` are the texts of --seeds and --jobs."""
    if force and out is None:
        fail("--force: not accepted without -o; expected -o DIR with it")
    check_lane(lane)
    if seeds_and_jobs != (None, None):
        if lane != SIM:
            fail(f"--seeds: not accepted with --lane {lane}; expected it in lane {SIM}")
        from cwnd.replicates.command import study

        study(scenario, out, *seeds_and_jobs, as_json=as_json, force=force)
        return
    if sys.stderr.isatty():
        from cwnd.progress import shown

        with shown("simulating" if lane == SIM else "running") as report:
            summary, messages = run_once(scenario, out, report, pictures=pictures, force=force, lane=lane)
    else:
        summary, messages = run_once(scenario, out, None, pictures=pictures, force=force, lane=lane)
    if as_json:
        print(json.dumps(summary))
        return
    from cwnd.report import table

    table(summary)
    for line in messages:
        print(line, file=sys.stderr)


def run_once(
    scenario: Scenario, out: Path | None, progress: Progress | None, *, pictures: bool, force: bool, lane: str
) -> tuple[Summary, list[str]]:
    """Runs one scenario; returns the summary, and messages about the folder."""
    from cwnd.result import summarise
    from cwnd.store import record, why_not_drawn

    if out is None:
        return summarise(scenario, progress, lane), []
    messages: list[str] = []
    result = record(scenario, out, progress, pictures=pictures, force=force, tell=messages.append, lane=lane)
    if pictures and (why := why_not_drawn(result)):
        messages.append(f"no pictures: {why}")
    return result.summary, [*messages, f"written to {out}"]
