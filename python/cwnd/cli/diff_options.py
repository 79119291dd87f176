# SPDX-License-Identifier: MIT OR Apache-2.0
"""The options of `cwnd diff`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.options import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """What `cwnd diff` is given."""

    folders: Annotated[list[Path], typer.Argument(metavar="A [B]", help="Folders of results; one with --between.")]
    between: Annotated[
        str | None,
        typer.Option(
            metavar="KEY=VALUE,VALUE", help="Two values of a factor of one study: beta=0.7,0.85 (B is the second)."
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Only points where a factor has this value. May be repeated."),
    ] = None
    measures: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="Measures to compare, such as queue_p95_ms or 'p95 completion time'; all compares every measure.",
            show_default="the main ones",
        ),
    ] = None
    each: Annotated[bool, typer.Option("--each", help="Show every point separately.")] = False
    fail_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="Exit with 1 if this condition is met: 'p95 queueing delay > +5%', 'throughput of reno < -2Mbit/s'. May be repeated.",
        ),
    ] = None
    strict: Annotated[bool, typer.Option("--strict", help="Also exit with 1 if a condition is undecided.")] = False
    unpaired: Annotated[bool, typer.Option("--unpaired", help="Do not pair A and B by seed; use Welch's interval.")] = (
        False
    )
    margin: Annotated[
        str | None,
        typer.Option(
            metavar="N%", help="Report which numbers are equivalent within this part of A (two one-sided tests)."
        ),
    ] = None
    level: Annotated[str, typer.Option(metavar="N%", help="Confidence level of the intervals.")] = "95%"
    bootstrap: Annotated[
        bool, typer.Option("--bootstrap", help="Compute the intervals by bootstrap (BCa) instead of Student's t.")
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="FILE",
            help="Write all effects, overall and per point, to FILE.csv, .parquet or .json.",
        ),
    ] = None
    as_json: Json = False
