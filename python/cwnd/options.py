# SPDX-License-Identifier: MIT OR Apache-2.0
"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plug(crates: list[Path] | None) -> list[Path] | None:
    """Loads algorithms from outside the tree, before the command that names them runs."""
    from cwnd.own import load_plugin

    for crate in crates or []:
        load_plugin(crate)
    return crates


Plugins = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="CRATE",
        callback=plug,
        help="An algorithm of your own: its crate's folder (see cwnd new), built if it has changed. May be repeated.",
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
