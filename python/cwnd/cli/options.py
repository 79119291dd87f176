# SPDX-License-Identifier: MIT OR Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.entry import fail


def load_plugins(crates: list[Path] | None) -> list[Path] | None:
    """Loads plugins before the command that names them runs."""
    if crates:
        from cwnd.cli.watchdog import start_watchdog
        from cwnd.plugin.crate import load_plugin

        for crate in crates:
            load_plugin(crate)
        start_watchdog()
    return crates


def values_of(option: str, text: str | None, count: int, expected: str) -> list[str] | None:
    """The values of an option such as `FROM..TO`, or the one of `VALUE`; `expected` is what its refusal says."""
    if text is None:
        return None
    # What follows the last dots belongs to the last value, whose key refuses more of them.
    values = text.split("..", count - 1)
    if len(values) != count:
        fail(f'{option}: "{text}" is not accepted; expected {expected}')
    return values


def pair_of(option: str, text: str | None, expected: str) -> tuple[str, str] | None:
    """The two values of an option such as `FROM..TO`; `expected` is what its refusal says."""
    values = values_of(option, text, 2, expected)
    return (values[0], values[1]) if values is not None else None


def with_options(options: Mapping[str, object], after: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declares options of a command, names with types, in place of its last parameter, `**options`.

    In the help they follow the parameter called `after`. All of them default to `None`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *parameters, _options = signature(command, eval_str=True).parameters.values()
        place = 1 + [parameter.name for parameter in parameters].index(after)
        parameters[place:place] = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in options.items()
        ]
        given = [parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in parameters]
        vars(command)["__signature__"] = Signature(given, return_annotation=None)
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in given}
        return command

    return decorate


Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="CRATE",
        callback=load_plugins,
        help="An algorithm of your own: its crate's folder (see cwnd new), built if it has changed. May be repeated.",
    ),
]

AllowExec = Annotated[
    bool,
    typer.Option(
        "--allow-exec",
        help="With a file whose flows name programs (exec): start them, with your rights. Without it such a file is refused.",
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]

LiveKeys = Annotated[
    str | None,
    typer.Option(
        "--live",
        metavar="KEYS",
        help="With --lane live: what the hosts are set to, keys of [live] as in a file: 'sack = false, receive_buffer = \"256kB\"'.",
    ),
]

Force = Annotated[
    bool, typer.Option("--force", help="With -o: replace a kernel trace, replicates or a reproduction that is there.")
]
Seeds = Annotated[
    str | None,
    typer.Option(metavar="N", help="Run N seeds, from the seed on: means with 95 % confidence intervals, no pictures."),
]
Jobs = Annotated[
    str | None, typer.Option(metavar="N", help="With --seeds: how many at a time.", show_default="all processors")
]
Threads = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Threads of one run: they gain where hundreds of flows meet in one queue only. The result is the same.",
        show_default="1",
    ),
]
SnapLength = Annotated[
    str | None,
    typer.Option(
        "--snap-length",
        metavar="SIZE",
        help="With --pcap: bytes to keep of each packet.",
        show_default="80B, all headers",
    ),
]

Out = Annotated[
    Path | None,
    typer.Option(
        "-o", "--out", metavar="DIR", help="Write tables (Parquet), pictures and the scenario to this folder."
    ),
]
Lane = Annotated[
    str,
    typer.Option(
        "--lane",
        metavar="LANE",
        help="Where the flows run: sim, the simulator; live, the running kernel's TCP through the links in real time (root).",
    ),
]
Pcap = Annotated[
    Path | None,
    typer.Option(
        "--pcap",
        metavar="FILE",
        help="Write the packets that the senders' host sends and receives to this file (pcapng, for Wireshark).",
    ),
]
NoPlots = Annotated[bool, typer.Option("--no-plots", help="With -o: tables and scenario only.")]
