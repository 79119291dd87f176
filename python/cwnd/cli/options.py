# SPDX-License-Identifier: MIT OR Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args, get_type_hints

import typer

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Options = TypeVar("Options", bound="DataclassInstance")


def load_plugins(crates: list[Path] | None) -> list[Path] | None:
    """Loads plugins before the command that names them runs."""
    if crates:
        from cwnd.cli.watchdog import start_watchdog
        from cwnd.plugin.crate import load_plugin

        for crate in crates:
            load_plugin(crate)
        start_watchdog()
    return crates


def takes(
    options: type[Options], keywords: Mapping[str, object] | None = None
) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Declares a command of one value: its options are the fields of the class `options`, with `keywords`, names with types, in place of the
    field `keywords`, which gets what they are given by name.

    A class's own fields come before those of its base. Options of `keywords` have no value unless they are given.
    """

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        types = get_type_hints(options, include_extras=True)
        of_class = [list(vars(base).get("__annotations__", {})) for base in options.__mro__]
        names = [name for own in of_class for name in own]
        defaults = {field.name: field.default for field in fields(options)}

        def declared(name: str, annotation: object, default: object) -> Parameter:
            return Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)

        parameters = []
        for name in names:
            if name == "keywords":
                parameters += [
                    declared(key, kind, False if get_args(kind)[0] is bool else None)
                    for key, kind in (keywords or {}).items()
                ]
            else:
                default = Parameter.empty if defaults[name] is MISSING else defaults[name]
                parameters.append(declared(name, types[name], default))

        def run(**given: object) -> None:
            own = {name: given.pop(name) for name in names if name != "keywords"}
            command(options(**own, **({} if keywords is None else {"keywords": given})))

        run.__name__, run.__doc__, run.__module__ = command.__name__, command.__doc__, command.__module__
        vars(run)["__signature__"] = Signature(parameters, return_annotation=None)
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

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
        help="If the flows of the file name programs (exec): start them, with your permissions. Without this option such a file is refused.",
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]

LiveKeys = Annotated[
    str | None,
    typer.Option(
        "--live",
        metavar="KEYS",
        help="With --lane live or linux: the settings of the hosts, as keys of [live] in a file: 'sack = false, receive_buffer = \"256kB\"'.",
    ),
]

Force = Annotated[
    bool, typer.Option("--force", help="With -o: replace a kernel trace, replicates or a reproduction in the folder.")
]
Seeds = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Run N consecutive seeds, starting at the seed: means with 95 % confidence intervals, no pictures.",
    ),
]
Jobs = Annotated[
    str | None, typer.Option(metavar="N", help="With --seeds: number of runs at a time.", show_default="all processors")
]
Threads = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="Threads for one run. They help only if hundreds of flows share one queue; the result does not change.",
        show_default="1",
    ),
]
SnapLength = Annotated[
    str | None,
    typer.Option(
        "--snap-length",
        metavar="SIZE",
        help="With --pcap: bytes of each packet to keep.",
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
        help="Where the flows run: sim, the simulator; live, the running kernel's TCP over emulated links in real time (root); linux, that of a kernel in virtual time (linux:6.12; cwnd linux build makes one).",
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
PageFile = Annotated[
    Path | None,
    typer.Option(
        "--page",
        metavar="FILE.html",
        help="Write a web page that simulates this again when its settings are changed: one file that needs no network.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """How `cwnd run` and `cwnd compare` run their scenario, and what they write of it."""

    seeds: Seeds = None
    jobs: Jobs = None
    threads: Threads = None
    lane: Lane = "sim"
    plugins: Plugins = None
    out: Out = None
    pcap: Pcap = None
    page: PageFile = None
    force: Force = False
    as_json: Json = False
    no_plots: NoPlots = False
