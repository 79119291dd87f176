# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd merge`: the parts of a study as one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    shards: Annotated[list[Path], typer.Argument(metavar="DIR...", help="Folders that cwnd sweep --shard wrote.")],
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="DIR", help="The folder of the whole study; it may be one of the parts."),
    ],
) -> None:
    """Merge the parts of a study that cwnd sweep --shard ran, and write its tables."""
    from cwnd.cli.actions.sweep import merge_parts

    merge_parts(shards, out)
