# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd fidelity`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cwnd._native import FellBehindError, Scenario
from cwnd.exit_codes import fail
from cwnd.messages import note
from cwnd.options import Json
from cwnd.scenario_file import scenario_file

if TYPE_CHECKING:
    from cwnd.comparison.folder import FidelityFolder
    from cwnd.comparison.runner import FidelityDocument, Watch
    from cwnd.executor import Watch as TaskWatch


def command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[SCENARIO.toml]...", help="Scenarios; without any, those of the package."),
    ] = None,
    runs: Annotated[str, typer.Option("--runs", metavar="N", help="Runs of each scenario in each lane.")] = "10",
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="DIR",
            help="Write a document and a picture of each scenario to this folder, and every live run as soon as it is over; "
            "the same command goes on from there.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Run scenarios in the simulator and with the kernel's own TCP, and compare what comes out, number by number (root).

    Exit code 0 if at least 95 % of all numbers agree, else 1. docs/guide/live.md says when a number agrees.
    """
    from cwnd.comparison.folder import FidelityFolder
    from cwnd.comparison.runner import MOST_RUNS, scenario_files
    from cwnd.replicates.command import whole_number

    number = whole_number("--runs", runs, MOST_RUNS)
    files = paths or scenario_files()
    for path in files:
        if not path.is_file():
            fail(f'SCENARIO.toml: "{path}" is not accepted; expected a file that exists')
    scenarios = [named(scenario_file(path), path.stem) for path in files]
    names = [path.stem for path in files]
    if len(set(names)) < len(names):
        name = next(name for name in names if names.count(name) > 1)
        fail(f'SCENARIO.toml: "{name}" is not accepted; expected files of different names')
    folder = FidelityFolder(out) if out is not None else None
    try:
        documents = compare(dict(zip(names, scenarios)), number, folder)
    except KeyboardInterrupt:
        kept = (
            f"what is done is kept in {out}; the same command goes on from there"
            if out
            else "nothing is kept without -o DIR"
        )
        print(kept, file=sys.stderr)
        raise
    if as_json:
        print(json.dumps(documents))
    else:
        from cwnd.comparison.report import table

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
    from cwnd.comparison.runner import fidelity
    from cwnd.replicates.command import bar

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
