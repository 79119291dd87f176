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
from cwnd._native import FellBehindError, Scenario
from cwnd.cli.entry import fail
from cwnd.cli.options import Json
from cwnd.scenario.file import scenario_file

if TYPE_CHECKING:
    from cwnd.fidelity.folder import FidelityFolder
    from cwnd.fidelity.runner import FidelityDocument, Watch
    from cwnd.replicates.executor import Watch as TaskWatch


def command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[SCENARIO]...",
            help="Scenario files (.toml, .json), or names of the package's scenarios. Default: all of the package's scenarios.",
        ),
    ] = None,
    runs: Annotated[str, typer.Option("--runs", metavar="N", help="Runs of each scenario in each lane.")] = "10",
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Write a document and a picture of each scenario to this folder, and save every live run when it ends; "
            "the same command resumes the work.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run scenarios in the simulator and with the kernel's own TCP, and compare the results number by number (root).

    Exit code 0 if at least 95 % of all numbers agree, else 1. docs/guide/live.md says when a number agrees.
    """
    from cwnd.cli.replicates import whole_number
    from cwnd.fidelity.folder import FidelityFolder
    from cwnd.fidelity.runner import MOST_RUNS, own_scenarios

    number = whole_number("--runs", runs, MOST_RUNS)
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
    folder = FidelityFolder(out) if out is not None else None
    try:
        documents = compare(scenarios, number, folder)
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
        from cwnd.fidelity.report import table

        table(documents)
    if out is not None:
        note(f"written to {out}")
    agree = [each["agrees"] for document in documents for each in document["numbers"]]
    if sum(agree) < 0.95 * len(agree):
        raise typer.Exit(1)


def named(scenario: Scenario, name: str) -> Scenario:
    """The scenario, with this name if it has none."""
    return scenario if scenario.name else scenario.with_name(name)


def compare(scenarios: dict[str, Scenario], runs: int, folder: FidelityFolder | None) -> list[FidelityDocument]:
    """Compares the scenarios; live runs that the folder has are not made again."""
    from cwnd.cli.replicates import bar
    from cwnd.fidelity.runner import fidelity

    kept = {name: folder.runs(name) if folder else None for name in scenarios}
    costs = {
        place * runs + number: scenario.duration_s
        for place, (name, scenario) in enumerate(scenarios.items())
        for number in range(runs)
        if (earlier := kept[name]) is None or earlier.find(scenario.with_seed(scenario.seed + number)) is None
    }
    documents = []
    with bar("running", "runs", costs) as report:
        for place, (name, scenario) in enumerate(scenarios.items()):
            try:
                found = fidelity(scenario, runs, following(report, place * runs), kept[name])
            except FellBehindError as error:
                raise FellBehindError(f"{name}: {error}") from error
            documents.append(found.document())
            if folder is not None:
                folder.add(name, found)
    return documents


def following(report: TaskWatch | None, first: int) -> Watch:
    """Tells `report` of a comparison whose runs are numbered from `first` on."""

    def watch(over: int, part: float) -> None:
        if report is not None:
            report(first + over, 0, part)

    return watch
