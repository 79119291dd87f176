# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd qlog`: what a run has recorded, as qlog."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

#: The options and arguments here that are named otherwise in Python.
OPTIONS = {"path": "-o", "folder": "RUN", "result": "RUN"}


def command(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A folder that cwnd compare, run, kernel trace or linux trace wrote with -o."
        ),
    ],
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Only these flows, by name, label or number, such as 'cubic 1,reno,7'.",
            show_default="all",
        ),
    ] = None,
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="draft-14, or 0.3, which qvis reads.")
    ] = "draft-14",
    mss: Annotated[
        str | None,
        typer.Option(metavar="BYTES", help="Bytes of a segment, for a kernel trace that does not record them."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE.sqlog", help="Where to write it.", show_default="standard output"),
    ] = None,
) -> None:
    """Write a run's records as qlog, for QUIC tools: windows, round trip times, states, drops, timeouts.

    The file is a JSON text sequence. docs/guide/qlog.md lists the events and what qvis shows of them.
    """
    from cwnd._internal.messages import note, shows_progress
    from cwnd._native import ScenarioError
    from cwnd.cli.entry import fail
    from cwnd.cli.progress import shown_rows
    from cwnd.load import NoResultError
    from cwnd.qlog.api import result_of
    from cwnd.qlog.file import pieces, records_of, write_qlog

    if mss is not None and not mss.isdecimal():
        fail(f"--mss: {mss} is not accepted; expected a whole number of bytes")
    options = {"mss": None if mss is None else int(mss), "format": format}
    try:
        result = result_of(run)
        flows = None if flow is None else flow_list(flow, result.table("flows"))
        if out is None:
            for piece in pieces(records_of(result, flow=flows, **options)):  # type: ignore[arg-type]
                sys.stdout.write(piece)
            return
        with shown_rows("writing", shows_progress()) as progress:
            write_qlog(result, out, flow=flows, **options, progress=progress)  # type: ignore[arg-type]
    except NoResultError as error:
        fail(f"RUN: {str(error).removeprefix('folder: ')}")
    except ScenarioError as error:
        field, _, rest = str(error).partition(":")
        fail(f"{OPTIONS.get(field, f'--{field}')}:{rest}")
    note(f"written to {out}")


def flow_list(text: str, flows: object) -> list[str | int]:
    """`--flow`: a name, even one with a comma, or a list of names and numbers."""
    names = flows.column("name").to_pylist() if "name" in flows.column_names else []  # type: ignore[attr-defined]
    if text in names:
        return [text]
    parts = [part.strip() for part in text.split(",")]
    return [int(part) if part.isdecimal() and part not in names else part for part in parts]
