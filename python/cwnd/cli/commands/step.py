# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd step`: the calls of a flow's hooks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.options import Json, Plugins

UNITS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}


def seconds_of(text: str) -> float:
    """The time that `--from` says (s); ends the program if it is none."""
    from cwnd.cli.entry import fail

    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([a-z]+)", text)
    if found is None or found[2] not in UNITS:
        fail(f'--from: "{text}" is not accepted; expected a time, such as 20s or 1500ms')
    return float(found[1]) * UNITS[found[2]]


def command(
    path: Annotated[
        Path, typer.Argument(metavar="SCENARIO.toml", help="A scenario; `cwnd compare -o DIR` writes one.")
    ],
    flow: Annotated[str, typer.Option(metavar="FLOW", help="The flow, by name or by number (from 0).")] = "0",
    start: Annotated[str, typer.Option("--from", metavar="TIME", help="Start at this time, such as 20s.")] = "0s",
    count: Annotated[str, typer.Option("--count", metavar="N", help="Number of calls to show.")] = "8",
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Simulate a scenario up to a time, then show the next hook calls of a flow and the integers that each changed.

    The kernel would make the same calls. docs/guide/lab.md shows them in the browser.
    """
    from cwnd._internal.terminal import Grid, Printer
    from cwnd._native import ScenarioError
    from cwnd.cli.entry import fail
    from cwnd.replay.steps import calls_of
    from cwnd.scenario.file import scenario_file

    scenario = scenario_file(path)
    if not count.isdecimal():
        fail(f"--count: {count} is not accepted; expected a whole number")
    chosen = int(flow) if flow.isdecimal() else flow
    try:
        calls = calls_of(scenario, chosen, seconds_of(start), int(count))
    except ScenarioError as error:
        fail(f"--{str(error).replace('start_s:', 'from:', 1)}")
    if as_json:
        print(json.dumps(calls))
        return
    rows = []
    for call in calls:
        said = ", ".join(f"{name}={value}" for name, value in call["arguments"].items())
        changed = [
            f"{each['name']} {each['before']} -> {each['after']}"
            for each in call["fields"]
            if each["before"] != each["after"]
        ]
        returned = f" = {call['returned']}" if call["hook"] in ("ssthresh", "undo_cwnd") else ""
        rows.append((f"{call['t_s']:.6f}", [f"{call['hook']}({said}){returned}", ", ".join(changed)]))
    Printer().print(Grid("time (s)", ["call", "changed"], rows, texts=(0, 1)))
