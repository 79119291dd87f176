# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd run`: a scenario file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal.messages import note
from cwnd.cli.actions.run import run_and_report
from cwnd.cli.commands.lab import PageFile, written_page
from cwnd.cli.comparison import number
from cwnd.cli.options import AllowExec, Force, Jobs, Json, Lane, NoPlots, Out, Pcap, Plugins, Seeds, Threads
from cwnd.page.html import state_of
from cwnd.scenario.file import scenario_file
from cwnd.scenario.netem import FileNetem
from cwnd.scenario.programs import BY_OPTION, check_programs


def command(
    path: Annotated[
        Path,
        typer.Argument(metavar="SCENARIO.toml", help="A scenario, TOML or JSON; `cwnd compare -o DIR` writes one."),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Which of the scenarios of a JSON file with several (a reproduction's scenarios.json)."
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="The rate of the first link from this file, as in cwnd compare."),
    ] = None,
    netem: FileNetem = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="Another seed than the file's.")] = None,
    seeds: Seeds = None,
    jobs: Jobs = None,
    threads: Threads = None,
    lane: Lane = "sim",
    plugins: Plugins = None,
    allow_exec: AllowExec = False,
    out: Out = None,
    pcap: Pcap = None,
    page: PageFile = None,
    force: Force = False,
    as_json: Json = False,
    no_plots: NoPlots = False,
) -> None:
    """Run a scenario file: any network, traffic, actions.

    docs/guide/write-a-scenario.md explains the keys, with examples, and docs/reference/scenario.md lists them; scenarios/ holds some to begin with; `cwnd compare ... -o DIR` writes one with every
    default in it.
    """
    if trace is None and netem is None:
        scenario = scenario_file(path, name, allow_exec=allow_exec)
    else:
        from cwnd.cli.link_options import changed_scenario

        scenario, meanings = changed_scenario(path, name, trace, netem)
        if not allow_exec:
            check_programs(scenario, BY_OPTION)
        for meaning in meanings:
            note(meaning)
    if seed is not None:
        scenario = scenario.with_seed(number(seed))
    with written_page(page, lane, lambda: state_of(scenario)):
        run_and_report(
            scenario,
            out,
            (seeds, jobs, threads),
            lane=lane,
            pcap=pcap,
            as_json=as_json,
            pictures=not no_plots,
            force=force,
        )
