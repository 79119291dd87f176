# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--seeds N --jobs J` of `cwnd compare` and `cwnd run`."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NoReturn

import typer

from cwnd._internal.messages import detail, note, shows_progress
from cwnd._native import Scenario
from cwnd.cli.entry import fail
from cwnd.cli.options import RunOptions
from cwnd.replicates.api import MOST_JOBS, MOST_SEEDS, jobs_of, replicate
from cwnd.replicates.executor import Watch
from cwnd.result.lanes import LIVE, SIM
from cwnd.scenario.notation import count_of

__all__ = ["MOST_JOBS", "MOST_SEEDS", "bar", "replicates", "say_stopped", "whole_number"]


def replicates(scenario: Scenario, options: RunOptions) -> None:
    """Runs the seeds, prints the tables, and says what is written."""
    jobs, lane, out = options.jobs, options.lane, options.out
    if options.seeds is None:
        fail(f'--jobs: "{jobs}" is not accepted without --seeds; expected --seeds N with it')
    asked = whole_number("--seeds", options.seeds, MOST_SEEDS)
    if lane == LIVE and jobs not in (None, "1"):
        fail(f'--jobs: "{jobs}" is not accepted with --lane {lane}; expected 1, as its runs are sequential')
    threads = jobs_of(lane, None if jobs is None else whole_number("--jobs", jobs, MOST_JOBS))
    last = scenario.seed + asked - 1
    detail(f"lane {lane}, seeds {scenario.seed} to {last}, {threads} at a time")
    start = time.monotonic()
    costs = dict.fromkeys(range(scenario.seed, scenario.seed + asked), 1.0)
    # The tables say whether every run is the same: no warning.
    with (
        warnings.catch_warnings(action="ignore"),
        bar("simulating" if lane == SIM else "running", "runs", costs) as watch,
    ):
        result = replicate(scenario, asked, threads, out, watch, force=options.force, lane=lane)
    took = time.monotonic() - start
    detail(f"{count_of(result.done - result.found, 'run')} executed in {took:.2f} s, {result.found} reused")
    if result.document is not None:
        if options.as_json:
            print(json.dumps(result.document))
        else:
            from cwnd._internal.terminal import Printer
            from cwnd.replicates.report import table
            from cwnd.scenario.hystart import limit_notes

            table(result.document)
            for line in limit_notes(scenario):
                Printer().print(line)
    if result.stopped:
        say_stopped(result.done, result.asked, out)
    if out is not None:
        before = f", {result.found} of them reused" if result.found else ""
        note(f"{count_of(result.done, 'run')} in {took:.1f} s{before}; written to {out}")
    if result.failures:
        raise typer.Exit(1)


def say_stopped(done: int, asked: int, out: Path | None) -> NoReturn:
    """Says what is kept of runs that Ctrl-C has stopped, and ends the program."""
    rest = f"kept in {out}; the same command resumes the work" if out is not None else "included in the numbers"
    print(f"{done} of {asked} runs are done and {rest if done else 'nothing is kept'}", file=sys.stderr)
    raise typer.Exit(130)


def bar(verb: str, noun: str, costs: Mapping[int, float]) -> AbstractContextManager[Watch | None]:
    """Progress of tasks on a terminal, or nothing: `cwnd.cli.progress.shown_tasks`."""
    if not shows_progress():
        return nullcontext()
    from cwnd.cli.progress import shown_tasks

    return shown_tasks(verb, noun, costs)


def whole_number(option: str, text: str, most: int) -> int:
    """A whole number from 1 to `most`, or the end of the program."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
        fail(f'{option}: "{text}" is not accepted; expected a whole number from 1 to {most}')
    return int(text)
