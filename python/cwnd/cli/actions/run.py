# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd run` and `cwnd compare` have in common: the run itself, its progress, what is printed and saved."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from cwnd._internal.messages import detail, note, phase, shows_progress
from cwnd._native import Scenario
from cwnd.cli.entry import fail
from cwnd.result.lanes import LIVE, MOST_THREADS, SIM, check_lane, too_fast
from cwnd.result.packets import capture_file, capturing, check_options

if TYPE_CHECKING:
    from cwnd.cli.options import RunOptions
    from cwnd.result.result import Progress
    from cwnd.result.typed_summary import Summary


def run_and_report(scenario: Scenario, options: RunOptions) -> None:
    """Runs, prints and saves."""
    if options.force and options.out is None:
        fail("--force: not accepted without -o; expected -o DIR with it")
    check_options(options.pcap, None, options.out)
    options = replace(options, lane=check_lane(options.lane, "--lane"))
    if options.lane == LIVE and (why := too_fast(scenario)):
        print(f"warning: {why}", file=sys.stderr)
    if options.threads not in (None, "1") and options.seeds is not None:
        fail(
            f'--threads: "{options.threads}" is not accepted with --seeds; expected --jobs N, the number of runs at a time'
        )
    count = threads_of(options.threads, options.lane)
    if (options.seeds, options.jobs) != (None, None):
        if options.pcap is not None:
            fail("--seeds: not accepted with --pcap; expected one seed")
        say_remarks(scenario)
        from cwnd.cli.replicates import replicates

        replicates(scenario, options)
        return
    if options.pcap is not None:
        scenario = capturing(scenario, "--pcap", options.pcap)
    say_remarks(scenario)
    on = f", up to {count} threads" if count > 1 else ""
    detail(
        f"lane {options.lane}{on}, seed {scenario.seed}, {scenario.duration_s:g} s of {scenario.name or 'a scenario'}"
    )

    def once(progress: Progress | None) -> tuple[Summary, list[str]]:
        return run_once(scenario, options, progress, count)

    if shows_progress():
        from cwnd.cli.progress import shown

        with shown("simulating" if options.lane == SIM else "running") as report:
            summary, messages = once(report)
    else:
        summary, messages = once(None)
    if count > 1 and "threads" not in summary["perf"]:
        note(f"this run used one of {count} threads: docs/guide/many-flows.md says which runs can use several")
    if options.as_json:
        print(json.dumps(summary))
    else:
        from cwnd._internal.terminal import Printer
        from cwnd.result.report import table
        from cwnd.scenario.hystart import limit_notes

        table(summary)
        for line in limit_notes(scenario):
            Printer().print(line)
        for line in messages:
            note(line)
    if summary.get("failures"):
        raise typer.Exit(1)


def say_remarks(scenario: Scenario) -> None:
    """Notes what the files of its links are, and what its lines of netem mean."""
    for remark in scenario.remarks:
        note(remark)


def threads_of(text: str | None, lane: str) -> int:
    """The number that --threads gives, or the end of the program."""
    if text is None:
        return 1
    from cwnd.cli.replicates import whole_number

    threads = whole_number("--threads", text, MOST_THREADS)
    if lane != SIM and threads != 1:
        fail(f'--threads: "{threads}" is not accepted with --lane {lane}; expected 1')
    return threads


def run_once(
    scenario: Scenario, options: RunOptions, progress: Progress | None, threads: int
) -> tuple[Summary, list[str]]:
    """Runs one scenario; returns the summary, and messages about what was written."""
    from cwnd.result.result import drop, summarise
    from cwnd.result.store import record, why_not_drawn

    messages: list[str] = []
    out, pcap, pictures = options.out, options.pcap, not options.no_plots
    everything = "run, tables and pictures" if out is not None else "run"
    with phase(everything), nullcontext(drop) if pcap is None else capture_file(pcap) as keep:
        if out is None:
            summary = summarise(scenario, progress, options.lane, keep, threads)
        else:
            result = record(
                scenario,
                out,
                progress,
                pictures=pictures,
                force=options.force,
                tell=messages.append,
                lane=options.lane,
                threads=threads,
                keep=keep,
            )
            summary = result.summary
            if pictures and (why := why_not_drawn(result)):
                messages.append(f"no pictures: {why}")
    return summary, [*messages, *(f"written to {path}" for path in (out, pcap) if path is not None)]
