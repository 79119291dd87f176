# SPDX-License-Identifier: MIT OR Apache-2.0
"""How a measure of a study is distributed over its runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cwnd._internal.input_errors import refused
from cwnd.plot.studies.canvas import Canvas, LineLook, Width, plain_numbers
from cwnd.plot.studies.captions import failed_points, seeds_in_words, set_up
from cwnd.plot.studies.drawn_labels import Label, list_names
from cwnd.plot.studies.factors import Where
from cwnd.plot.studies.layout import lay_out
from cwnd.plot.studies.panels import Line, panels_of
from cwnd.plot.studies.selection import RunRow, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cwnd.study.results import Study


def over_runs(
    study: Study,
    measure: str | None = None,
    by: str | None = None,
    where: Where | None = None,
    *,
    width: Width = "page",
    ax: Axes | None = None,
) -> Figure:
    """The distribution of a measure over the runs of a study: see `cwnd.plot.cdf`."""
    chosen = choose(study, measure, where, over_runs=True)
    layout = lay_out(chosen, by=by, needs_x=False)
    panels = panels_of(layout, chosen.runs())
    steps = [[(line, values) for line in panel.lines if (values := values_of(line))[0] < math.inf] for panel in panels]
    if not any(steps):
        raise refused("measure", chosen.measure, "a measure that has values here")
    canvas = Canvas.of([panel.title for panel in panels], width, ax, shared="y")
    for axes, own in zip(canvas.grid, steps, strict=True):
        for line, values in own:
            there = finite(values)
            parts = [number / len(values) for number in range(len(there) + 1)]
            axes.step([there[0], *there], parts, where="post", gid=line.name, **canvas.look(line.number).line)
        axes.set_ylim(0, 1.02)
        plain_numbers(axes)
    counts = [len(values) for own in steps for _, values in own]
    none = sum(len(values) - len(finite(values)) for panel in panels for values in map(values_of, panel.lines))
    words = [
        *set_up(layout),
        f"the fraction of runs at or below this value, over {seeds_in_words(counts)}",
        *failed_points(chosen),
        f"{none} {'run has' if none == 1 else 'runs have'} no value: curves end below 1" if none else "",
    ]
    canvas.finish("fraction of runs", chosen.title, words)
    if any(len(own) > 1 for own in steps):
        names = [[name_of(*each, canvas.look(each[0].number).line) for each in own] for own in steps]
        list_names(canvas, names)
    return canvas.figure


def name_of(line: Line[RunRow], values: Sequence[float], look: LineLook) -> Label:
    """The name of a line, at its median."""
    there = finite(values)
    half = min(0.5, len(there) / len(values) / 2)
    return Label(line.name, there[min(len(there), math.ceil(half * len(values))) - 1], half, look)


def values_of(line: Line[RunRow]) -> list[float]:
    """The values of a line in rising order; those of runs without one are infinite, beyond all others."""
    values = [row["value"] for rows in line.rows.values() for row in rows]
    return sorted(math.inf if value is None else value for value in values)


def finite(values: Sequence[float]) -> list[float]:
    """Those that are there."""
    return [value for value in values if value < math.inf]
