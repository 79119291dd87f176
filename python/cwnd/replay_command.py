# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd replay`: recorded or prescribed hook calls on an algorithm."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from cwnd._native import ScenarioError
from cwnd.algorithms_command import find
from cwnd.exit_codes import fail
from cwnd.file_kinds import described
from cwnd.input_files import head_of
from cwnd.options import Json, Plugins

#: First bytes of a Parquet file.
PARQUET = b"PAR1"
#: What can be replayed.
REPLAYED = "recorded hook calls in Parquet, the folder of a cwnd kernel trace, or test vectors (.toml)"


def settings_of(params: list[str] | None) -> list[tuple[str, str]]:
    """`--param K=V`, as names and values."""
    pairs = [(text, *text.partition("=")) for text in params or []]
    for text, name, separator, value in pairs:
        if not (name and separator and value):
            fail(f'--param: "{text}" is not accepted; expected NAME=VALUE, such as beta=0.8')
    return [(name, value) for _, name, _, value in pairs]


def command(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Recorded hook calls (.parquet), the folder of a cwnd kernel trace, or test vectors (.toml).",
        ),
    ],
    cc: Annotated[
        str | None,
        typer.Option(
            "--cc",
            metavar="NAME",
            help="The parameter set to replay it on; a trace's folder and vectors name one themselves.",
        ),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", metavar="K=V", help="A parameter of the algorithm; may be repeated. For traces only."),
    ] = None,
    transport: Annotated[
        bool,
        typer.Option(
            "--transport",
            help="The folder is of a cwnd kernel trace --transport: repeat its connections on the simulator's sender.",
        ),
    ] = False,
    plugins: Plugins = None,
    as_json: Json = False,
) -> None:
    """Replay recorded or prescribed hook calls on an algorithm; exit code 1 if the result of any call differs.

    With --transport the simulator's TCP makes the calls, from the recorded acknowledgements, and order and arguments are compared.
    """
    from cwnd import vectors

    if transport:
        from cwnd.transport_replay import command

        command(file, cc, param, as_json=as_json)
        return

    if cc is not None:
        find("--cc", cc)
    settings = settings_of(param)
    if file.is_dir():
        from cwnd.kernel.result import replayed

        file, cc, settings = replayed(file, cc, settings)
        find("--cc", cc)
    if not file.exists():
        fail(f'FILE: "{file}" is not accepted; expected a file that exists')
    head = head_of(file)
    if file.suffix != ".toml" and not head.startswith(PARQUET):
        what = described(head) if file.is_file() else "a device or a pipe"
        fail(f'FILE: "{file}" is not accepted; expected {REPLAYED}; this is {what}')
    compared, loaded = "", 0
    outcome: vectors.Outcome
    if file.suffix == ".toml":
        try:
            outcome = vectors.replay(file, cc)
        except vectors.VectorError as error:
            fail(str(error))
    else:
        from cwnd.replay import TraceError, what_is_compared
        from cwnd.replay import replay as feed

        if cc is None:
            fail("--cc: missing; expected the parameter set to replay the trace on")
        try:
            outcome = counted = feed(file, cc, params=settings)
        except (TraceError, ScenarioError) as error:
            fail(str(error))
        compared = what_is_compared(counted["calls"], counted["pacing_compared"], counted["states_compared"])
        loaded = counted["loaded"]
    if as_json:
        print(json.dumps(outcome))
    else:
        print(f"{outcome['calls']:,} calls, {outcome['differences']:,} differences")
        if compared:
            print(f"compared after every call: {compared}")
        if outcome["first"]:
            print(f"first: {outcome['first']}")
        if loaded:
            print(f"state taken from the record at {loaded:,} rows that follow no recorded call")
    if outcome["differences"]:
        raise typer.Exit(1)
