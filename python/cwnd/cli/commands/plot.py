# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd plot`, as the command line declares it; what it does is imported when it runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from cwnd.cli.options import Plugins, takes


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotOptions:
    """What `cwnd plot` is given."""

    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR...",
            help="Folders that cwnd compare, run, sweep, kernel trace or linux trace wrote with -o; several runs are drawn side by side.",
        ),
    ]
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="For runs and replicates: windows, throughput, queue or cdf. For a study: response, heatmap, fairness, delay-throughput or cdf.",
            show_default="windows or response",
        ),
    ] = None
    measure: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What to draw. For a study: a measure, such as queue_p95_ms or 'p95 completion time'. For runs with --kind cdf: queueing delay, completion time or throughput.",
            show_default="throughput_mbps, or queue_ms",
        ),
    ] = None
    x: Annotated[
        str | None,
        typer.Option(
            "--x", metavar="FACTOR", help="The factor on the x axis.", show_default="the one with the most levels"
        ),
    ] = None
    y: Annotated[str | None, typer.Option("--y", metavar="FACTOR", help="heatmap: the other factor.")] = None
    by: Annotated[
        str | None,
        typer.Option(
            metavar="FACTOR", help="A line per level of this factor, and a panel per variant.", show_default="label"
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUES", help="Draw only these values: rtt=40ms, 'label=cubic,reno'. May be repeated."
        ),
    ] = None
    of: Annotated[
        str | None,
        typer.Option("--of", metavar="NAME", help="heatmap and fairness: the first of two variants or groups."),
    ] = None
    against: Annotated[str | None, typer.Option(metavar="NAME", help="heatmap and fairness: the second.")] = None
    ratio: Annotated[bool, typer.Option("--ratio", help="heatmap: the ratio of the two, not their difference.")] = False
    delay: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="delay-throughput: the measure of the delay.", show_default="queue_mean_ms"),
    ] = None
    link: Annotated[
        str | None, typer.Option(metavar="NAME", help="queue and delay-throughput: the link.", show_default="the first")
    ] = None
    width: Annotated[str | None, typer.Option(metavar="WIDTH", help="column, page or slide.", show_default="page")] = (
        None
    )
    format: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="png, svg or pdf.", show_default="png")
    ] = None
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Where to write the picture.", show_default="DIR/KIND.png"),
    ] = None
    plugins: Plugins = None


@takes(PlotOptions)
def command(options: PlotOptions) -> None:
    """Draw a picture of runs, replicates or a study. Without --kind, redraw the pictures of a run or a kernel trace in its folder."""
    from cwnd._internal.escapes import one_line
    from cwnd.cli.actions.plot import draw_from

    given = {name: getattr(options, name) for name in ("measure", "x", "y", "by", "of", "against", "delay", "link")}
    drawn = {**given, "ratio": options.ratio or None}
    output = (options.width, options.format, options.out)
    for picture in draw_from(options.folders, options.kind, drawn, options.where or [], output):
        print(one_line(str(picture)))
