# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd run`: a scenario file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal.messages import note
from cwnd.cli.actions.run import run_and_report
from cwnd.cli.commands.lab import written_page
from cwnd.cli.keywords import number
from cwnd.cli.options import AllowExec, RunOptions, takes
from cwnd.page.html import state_of
from cwnd.scenario.file import scenario_file
from cwnd.scenario.netem import FileNetem
from cwnd.scenario.programs import BY_OPTION, check_programs


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOptions(RunOptions):
    """What `cwnd run` is given."""

    path: Annotated[
        Path,
        typer.Argument(metavar="SCENARIO.toml", help="A scenario, TOML or JSON; `cwnd compare -o DIR` writes one."),
    ]
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The scenario to run, from a JSON file with several (a reproduction's scenarios.json)."
        ),
    ] = None
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Take the first link's rate from this file, as in cwnd compare."),
    ] = None
    netem: FileNetem = None
    seed: Annotated[str | None, typer.Option(metavar="N", help="Use this seed instead of the file's.")] = None
    allow_exec: AllowExec = False


@takes(ScenarioOptions)
def command(options: ScenarioOptions) -> None:
    """Run a scenario file, with any network, traffic and actions.

    docs/guide/write-a-scenario.md explains the keys with examples, and docs/reference/scenario.md lists them. scenarios/ has examples to start from;
    `cwnd compare ... -o DIR` writes a scenario with every default in it.
    """
    if options.trace is None and options.netem is None:
        scenario = scenario_file(options.path, options.name, allow_exec=options.allow_exec)
    else:
        from cwnd.cli.link_options import changed_scenario

        scenario, meanings = changed_scenario(options.path, options.name, options.trace, options.netem)
        if not options.allow_exec:
            check_programs(scenario, BY_OPTION)
        for meaning in meanings:
            note(meaning)
    if options.seed is not None:
        scenario = scenario.with_seed(number(options.seed))
    with written_page(options.page, options.lane, lambda: state_of(scenario)):
        run_and_report(scenario, options)
