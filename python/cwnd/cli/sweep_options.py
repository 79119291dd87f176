# SPDX-License-Identifier: MIT OR Apache-2.0
"""The options of `cwnd sweep`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.options import AllowExec, Plugins

Folder = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="DIR", help="Save the runs and the tables in this folder.")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepOptions:
    """What `cwnd sweep` is given."""

    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FLOW... | FILE.toml",
            help="Flows as in cwnd compare, with axes in braces; or the file of a scenario or a study.",
        ),
    ]
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE,...",
            help="In place of --rate: a trace or a series of rates, as in cwnd compare; several, separated by commas, are an axis. With a file: for its first link.",
        ),
    ] = None
    netem: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="The link in tc netem or tc tbf syntax, as in cwnd compare; several in braces are an axis: '{delay 20ms loss 1%,delay 20ms loss 2%}'. With a file: for its first link, as in cwnd run.",
            show_default=False,
        ),
    ] = None
    keywords: Mapping[str, object]
    axis: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="An axis by its key in a scenario: 'flow[0].initial_cwnd=10,32', 'link.queue.kind=droptail,codel'. May be repeated.",
        ),
    ] = None
    zip_axes: Annotated[
        list[str] | None,
        typer.Option(
            "--zip",
            metavar="KEY,KEY",
            help="Axes that change together: the first value of each, then the second, and so on. May be repeated.",
        ),
    ] = None
    latin: Annotated[
        str | None,
        typer.Option(metavar="POINTS", help="Draw this many points of a Latin hypercube; ranges are then FROM..TO."),
    ] = None
    seeds: Annotated[
        str | None, typer.Option(metavar="N", help="Seeds of each point.", show_default="1; 5 with --until")
    ] = None
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PART%",
            help="Add seeds until half the width of each 95 % interval is at most this part of its mean: '2%' (of throughputs), '5% of p95 queueing delay, share'.",
        ),
    ] = None
    most_seeds: Annotated[
        str | None,
        typer.Option(metavar="N", help="With --until: the largest number of seeds of a point.", show_default="1000"),
    ] = None
    measures: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="What the tables show: 'p95 completion time', throughput, queue_p95_ms and so on; for links, only the first.",
            show_default="throughput, share, losses, retransmits; use and delay of the link",
        ),
    ] = None
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="Number of runs at a time.", show_default="all processors")
    ] = None
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the workers of a Dask cluster: its scheduler's address, tcp://HOST:PORT, or its file (.json).",
        ),
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Run part I of N of the study and write no tables, for job arrays. cwnd merge, or the command without --shard, writes the tables.",
        ),
    ] = None
    points: Annotated[
        Path | None,
        typer.Option(
            "--points",
            metavar="DIR",
            help="With -o: save the runs in this folder, which several studies may share.",
            show_default="DIR/points",
        ),
    ] = None
    dry: Annotated[bool, typer.Option("--dry-run", help="Print what would be run: points, time, size.")] = False
    how_far: Annotated[
        bool, typer.Option("--status", help="With -o: print what is done and what is left, and run nothing.")
    ] = False
    lane: Annotated[
        str,
        typer.Option(
            "--lane",
            metavar="LANE",
            help="sim; live, the running kernel's TCP (root); or linux, that of a kernel in virtual time (linux:6.12).",
        ),
    ] = "sim"
    plugins: Plugins = None
    allow_exec: AllowExec = False
    out: Folder = None
    force: Annotated[bool, typer.Option("--force", help="With -o: replace another result of cwnd.")] = False
