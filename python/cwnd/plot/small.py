# SPDX-License-Identifier: MIT OR Apache-2.0
"""Small pictures, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib as mpl

from cwnd.plot.data import COLOURS
from cwnd.plot.draw import GREY, STYLE, new_figure, short
from cwnd.plot.runs.pictures import queue, windows

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd._internal.json_types import IntervalDocument
    from cwnd.result.result import Result

#: Font size in points, and width in inches.
SMALL = {**STYLE, "font.size": 8.0}
WIDTH = 7.5


def of_run(result: Result) -> Figure:
    """The windows of a run and the queue of its first link."""
    with mpl.rc_context(SMALL):
        figure = new_figure(figsize=(WIDTH, 2.6), layout="constrained")
        if not result.scenario.groups:
            queue(result, ax=figure.subplots())
            return figure
        left, right = figure.subplots(1, 2)
        windows(result, ax=left)
        queue(result, ax=right)
    return figure


def of_intervals(rows: Sequence[tuple[str, IntervalDocument]], words: str) -> Figure:
    """A mean per row, with its confidence interval."""
    with mpl.rc_context(SMALL):
        figure = new_figure(figsize=(WIDTH, 0.6 + 0.28 * max(2, len(rows))), layout="constrained")
        axes = figure.subplots()
        for place, (_, interval) in enumerate(rows):
            centre, low, high = interval.get("mean", interval.get("median")), interval["low"], interval["high"]
            if low is not None and high is not None:
                axes.plot([low, high], [place, place], color=GREY, linewidth=1.2)
            if centre is not None:
                axes.plot(centre, place, marker="o", markersize=4.5, color=COLOURS[place % len(COLOURS)])
        axes.set_yticks(range(len(rows)), [short(name) for name, _ in rows], parse_math=False)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.set_xlabel(words)
    return figure
