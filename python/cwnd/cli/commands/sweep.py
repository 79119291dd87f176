# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd sweep` and `cwnd merge`, as the command line declares them; what they do is imported when they run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.disciplines import DropHead, Ecn, discipline_options
from cwnd.cli.options import AllowExec, Plugins, with_options
from cwnd.scenario.keywords import DEFAULTS


def axes(example: str) -> str:
    """What an option takes that may be an axis."""
    return f"one value, or an axis: {example} or FROM..TO/COUNT[log]"


Folder = Annotated[
    Path | None, typer.Option("-o", "--out", metavar="DIR", help="Keep the runs, and write the tables, in this folder.")
]


@with_options(discipline_options(), after="buffer")
def command(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FLOW... | FILE.toml",
            help="Flows as in cwnd compare, with axes in braces; or the file of a scenario or a study.",
        ),
    ],
    rate: Annotated[
        str | None,
        typer.Option(help=f"Rate of the bottleneck: {axes('10Mbit/s,100Mbit/s')}.", show_default=DEFAULTS["rate"]),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="FILE,...",
            help="In place of --rate: a trace or a series of rates, as in cwnd compare; several with commas are an axis. With a file: of its first link.",
        ),
    ] = None,
    netem: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS",
            help="The link in the words of tc netem or tc tbf, as in cwnd compare; several in braces are an axis: '{delay 20ms loss 1%,delay 20ms loss 2%}'. With a file: of its first link, as in cwnd run.",
            show_default=False,
        ),
    ] = None,
    rtt: Annotated[
        str | None,
        typer.Option(help=f"Round trip time without queueing: {axes('10ms,40ms')}.", show_default=DEFAULTS["rtt"]),
    ] = None,
    buffer: Annotated[
        str | None, typer.Option(help=f"Queue: {axes('0.5bdp,100packets')}.", show_default=DEFAULTS["buffer"])
    ] = None,
    drop_head: DropHead = False,
    ecn: Ecn = False,
    duration: Annotated[str | None, typer.Option(help="Simulated time.", show_default=DEFAULTS["duration"])] = None,
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="FROM..TO",
            help="What is measured. [default: the last four fifths; the whole run if every flow has a size]",
        ),
    ] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="N", help="The first seed.", show_default=DEFAULTS["seed"])
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="Losses on the link, as in cwnd compare; several in braces: '{random:0.001,random:0.01}'."),
    ] = None,
    jitter: Annotated[
        str | None, typer.Option(metavar="TIME", help=f"Random time on the link: {axes('1ms,5ms')}.")
    ] = None,
    reverse: Annotated[bool, typer.Option("--reverse", help="The reverse path is a link with a queue too.")] = False,
    traffic: Annotated[
        list[str] | None,
        typer.Option(metavar="PRESET|KEYS", help="Background traffic, as in cwnd compare. May be repeated."),
    ] = None,
    packet_size: Annotated[
        str | None,
        typer.Option(help=f"Size of a data packet: {axes('576B,1500B')}.", show_default=DEFAULTS["packet_size"]),
    ] = None,
    axis: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY=VALUES",
            help="An axis by its key in a scenario: 'flow[0].initial_cwnd=10,32', 'link.queue.kind=droptail,codel'. May be repeated.",
        ),
    ] = None,
    zip_axes: Annotated[
        list[str] | None,
        typer.Option(
            "--zip", metavar="KEY,KEY", help="Axes whose values go together, the first with the first. May be repeated."
        ),
    ] = None,
    latin: Annotated[
        str | None,
        typer.Option(metavar="POINTS", help="Draw so many points of a Latin hypercube; ranges are FROM..TO then."),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N", help="Seeds of each point.", show_default="1; 5 with --until")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            metavar="PART%",
            help="Add seeds where half of a 95 % interval is a larger part of its mean: '2%' (of throughputs), '5% of p95 queueing delay, share'.",
        ),
    ] = None,
    most_seeds: Annotated[
        str | None, typer.Option(metavar="N", help="With --until: the most seeds of a point.", show_default="1000")
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,…",
            help="What the tables show: 'p95 completion time', throughput, queue_p95_ms and so on; of links the first.",
            show_default="throughput, share, losses, retransmits; use and delay of the link",
        ),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="How many runs at a time.", show_default="all processors")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Run on the workers of a Dask cluster: its scheduler's address, tcp://HOST:PORT, or its file (.json).",
        ),
    ] = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Run the I-th of N parts of the study, without tables: for arrays of jobs. cwnd merge, or the command without it, makes the tables.",
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            "--points",
            metavar="DIR",
            help="With -o: keep runs in this folder, which studies may share.",
            show_default="DIR/points",
        ),
    ] = None,
    dry: Annotated[bool, typer.Option("--dry-run", help="Say what would be run: points, time, size.")] = False,
    how_far: Annotated[
        bool, typer.Option("--status", help="With -o: say what is done and what is not, and run nothing.")
    ] = False,
    lane: Annotated[
        str, typer.Option("--lane", metavar="LANE", help="sim, or live: the running kernel's TCP (root).")
    ] = "sim",
    plugins: Plugins = None,
    allow_exec: AllowExec = False,
    out: Folder = None,
    force: Annotated[bool, typer.Option("--force", help="With -o: replace another result of cwnd.")] = False,
    **disciplines: str | None,
) -> None:
    """Runs a study; `cwnd.cli.sweep_help.SWEEP` is the help."""
    from cwnd.cli.actions.sweep import Given, invoke

    invoke(
        Given(
            what=what,
            rate=rate,
            trace=trace,
            netem=netem,
            rtt=rtt,
            buffer=buffer,
            drop_head=drop_head,
            ecn=ecn,
            duration=duration,
            measure=measure,
            seed=seed,
            loss=loss,
            jitter=jitter,
            reverse=reverse,
            traffic=traffic,
            packet_size=packet_size,
            axis=axis,
            zip_axes=zip_axes,
            latin=latin,
            seeds=seeds,
            until=until,
            most_seeds=most_seeds,
            measures=measures,
            jobs=jobs,
            dask=dask,
            shard=shard,
            points=points,
            dry=dry,
            how_far=how_far,
            lane=lane,
            allow_exec=allow_exec,
            out=out,
            force=force,
            disciplines=disciplines,
        )
    )
