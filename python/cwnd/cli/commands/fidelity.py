# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd fidelity`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cwnd._internal.input_errors import refused
from cwnd._internal.messages import note
from cwnd._native import Scenario
from cwnd.cli.entry import fail
from cwnd.cli.options import Json
from cwnd.scenario.file import scenario_file

if TYPE_CHECKING:
    from cwnd.fidelity.documents import FidelityDocument
    from cwnd.fidelity.folder import FidelityFolder
    from cwnd.fidelity.runner import Fidelity


def command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCENARIO]...",
            help="Scenario files (.toml, .json), or names of the package's scenarios. Default: all of the package's scenarios.",
        ),
    ] = None,
    lane: Annotated[
        str,
        typer.Option(
            "--lane",
            metavar="LANE",
            help="What the simulator is compared with: linux, the newest kernel in virtual time; linux:NAME, another one (see cwnd linux list); live, the running kernel (root).",
        ),
    ] = "linux",
    runs: Annotated[
        str,
        typer.Option(
            "--runs", metavar="N", help="Pairs of runs of each random scenario; a deterministic one takes one pair."
        ),
    ] = "10",
    jobs: Annotated[
        str | None,
        typer.Option("--jobs", metavar="N", help="Pairs of runs at a time. Default: all processors; one in lane live."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Write a document and a picture of each scenario to this folder, and save each run of the kernel when it ends; "
            "the same command resumes the work.",
        ),
    ] = None,
    packets: Annotated[
        bool,
        typer.Option(
            "--packets",
            help="Compare random scenarios packet by packet instead of by numbers: one run in each lane, with the same losses and delays.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Run scenarios in the simulator and with Linux's own TCP, and compare them: deterministic ones packet by packet, random ones by numbers
    of pairs of runs with the same seed.

    Exit code 0 if every difference has a known cause and something was compared in each scenario, else 1. docs/guide/fidelity.md says what a difference is.
    """
    from cwnd.cli.replicates import MOST_JOBS, whole_number
    from cwnd.fidelity.documents import empty, unexplained
    from cwnd.fidelity.folder import FidelityFolder
    from cwnd.fidelity.report import table
    from cwnd.fidelity.runner import MOST_RUNS, check_packets, reference_lane
    from cwnd.replicates.api import jobs_of

    number = whole_number("--runs", runs, MOST_RUNS)
    at_a_time = None if jobs is None else whole_number("--jobs", jobs, MOST_JOBS)
    scenarios = chosen(paths)
    lane = reference_lane(lane, "--lane")
    check_packets(packets, lane, ("--packets", "--lane"))
    at_a_time = jobs_of(lane, at_a_time)
    folder = FidelityFolder(out) if out is not None else None
    try:
        documents = compare(scenarios, lane, number, at_a_time, folder, packets)
    except KeyboardInterrupt:
        kept = (
            f"finished work is kept in {out}; the same command resumes the work"
            if out
            else "nothing is kept without -o DIR"
        )
        print(kept, file=sys.stderr)
        raise
    if as_json:
        print(json.dumps(documents))
    else:
        table(documents)
    if out is not None:
        note(f"written to {out}")
    if unexplained(documents) or empty(documents):
        raise typer.Exit(1)


def chosen(paths: list[Path] | None) -> dict[str, Scenario]:
    """The scenarios of the command line, by name."""
    from cwnd.fidelity.scenarios import own_scenarios

    own = own_scenarios()
    scenarios: dict[str, Scenario] = {}
    for path in paths or map(Path, own):
        if path.is_file():
            name, scenario = path.stem, named(scenario_file(path), path.stem)
        elif (name := str(path)) in own:
            scenario = own[name]
        else:
            raise refused("SCENARIO", name, "a scenario's file that exists, or the name of a scenario of cwnd", own)
        if name in scenarios:
            fail(f'SCENARIO: "{name}" is not accepted; expected scenarios with different names')
        scenarios[name] = scenario
    return scenarios


def named(scenario: Scenario, name: str) -> Scenario:
    """The scenario, with this name if it has none."""
    return scenario if scenario.name else scenario.with_name(name)


def compare(
    scenarios: dict[str, Scenario], lane: str, runs: int, jobs: int, folder: FidelityFolder | None, packets: bool
) -> list[FidelityDocument]:
    """Compares the scenarios; runs of the kernel that the folder has are not repeated."""
    from cwnd.cli.replicates import bar
    from cwnd.fidelity import runner

    if folder is not None:
        for name, scenario in scenarios.items():
            folder.check(name, scenario)
    comparisons = {
        name: runner.Comparison.of(scenario, lane, runs, folder.runs(name) if folder else None, packets)
        for name, scenario in scenarios.items()
    }
    if folder is not None:
        for name, each in comparisons.items():
            folder.check_kind(name, each.is_exact)
    costs = dict(enumerate(task.scenario.duration_s for each in comparisons.values() for task in each.tasks))
    documents: dict[str, FidelityDocument] = {}

    def take(name: str, found: Fidelity) -> None:
        documents[name] = found.document()
        if folder is not None:
            folder.add(name, found)

    with bar("running", "pairs of runs", costs) as watch:
        if runner.compare(comparisons, take, jobs, watch):
            raise KeyboardInterrupt
    return [documents[name] for name in scenarios]
