# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--seeds N --jobs J` of `cwnd compare` and `cwnd run`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import typer

from cwnd._native import Scenario
from cwnd.entry import fail
from cwnd.replicates.study import MOST_JOBS, MOST_SEEDS, processors, replicate

__all__ = ["MOST_JOBS", "MOST_SEEDS", "study", "whole"]


def study(
    scenario: Scenario, out: Path | None, seeds: str | None, jobs: str | None, *, as_json: bool, force: bool
) -> None:
    """Runs the seeds, reports, says what is kept."""
    if seeds is None:
        fail(f'--jobs: "{jobs}" is not accepted without --seeds; expected --seeds N with it')
    asked = whole("--seeds", seeds, MOST_SEEDS)
    threads = processors() if jobs is None else whole("--jobs", jobs, MOST_JOBS)
    begun = time.monotonic()
    if sys.stderr.isatty():
        from cwnd.progress import shown_runs

        with shown_runs(asked) as watch:
            ended = replicate(scenario, asked, threads, out, watch, force=force)
    else:
        ended = replicate(scenario, asked, threads, out, force=force)
    took = time.monotonic() - begun
    if ended.document is not None:
        if as_json:
            print(json.dumps(ended.document))
        else:
            from cwnd.replicates.report import table

            table(ended.document)
    if ended.stopped:
        rest = f"kept in {out}; the same command goes on from there" if out is not None else "in the numbers"
        print(
            f"{ended.done} of {ended.asked} runs are done and {rest if ended.done else 'nothing is kept'}",
            file=sys.stderr,
        )
        raise typer.Exit(130)
    if out is not None:
        before = f", {ended.found} of them were there" if ended.found else ""
        print(f"{ended.done} runs in {took:.1f} s{before}; written to {out}", file=sys.stderr)


def whole(option: str, text: str, most: int) -> int:
    """A whole number from 1 to `most`, or the end of the program."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
        fail(f'{option}: "{text}" is not accepted; expected a whole number from 1 to {most}')
    return int(text)
