# SPDX-License-Identifier: MIT OR Apache-2.0
"""A measure of a study against a factor, a line per variant."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from matplotlib.transforms import ScaledTranslation

from cwnd.plot.arguments import checked
from cwnd.plot.studies.canvas import Canvas, Look, Width, x_axis
from cwnd.plot.studies.captions import of_means, set_up
from cwnd.plot.studies.drawn_labels import Label, name_ends
from cwnd.plot.studies.factors import Factor, Where
from cwnd.plot.studies.layout import Layout, lay_out
from cwnd.plot.studies.panels import Line, Panel, panels_of
from cwnd.plot.studies.selection import MeanRow, choose

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

    from cwnd.study.results import Study

#: From so many levels on intervals are bands rather than bars.
BAND_FROM = 5
#: The largest mean times this is the most that an axis shows of intervals.
HIGHEST = 2.0
#: How far lines with bars are apart at a level of numbers, in points.
ASIDE = 2.5
#: What an axis has beyond its first and last level, as part of their distance.
MARGIN = 0.06
#: The same where bars stand aside of the outer levels.
BARS_MARGIN = 0.15
#: How far apart points of several lines stand at a level that is a text, in parts of the distance of levels.
BESIDE = 0.08


class ResponseSettings(TypedDict, total=False):
    """More keywords of `cwnd.plot.response`."""

    #: `"column"`, `"page"` or `"slide"` (`"page"`)
    width: Width
    #: axes of matplotlib to draw into
    ax: Axes | None


@checked
def response(
    study: Study,
    x: str | None = None,
    measure: str | None = None,
    by: str | None = None,
    where: Where | None = None,
    **settings: Unpack[ResponseSettings],
) -> Figure:
    """Draws a measure (`measure`, throughput of the groups of flows by default) against a factor (`x`, by default the numeric factor with the most levels).

    There is a line per variant, named by its label, or with `by` per level of another factor; further factors have a panel per level, up to six.
    `where` fixes factors: a value or several by name, `{"rtt": "40ms", "label": ["cubic", "reno"]}`; `of`, `name` and `label` are columns of the study's tables.
    Bands and bars are the 95 % intervals over the seeds, and points that have failed are gaps. The axis of x is logarithmic where its levels are spaced by factors.
    A study that varies algorithms alone has a row for each of them, with a dot per seed.

    Draws into `ax` if it is given and there is one panel. Returns the figure. Raises `ScenarioError` for names that the study does not have, and for more than six panels or twelve lines.
    """
    width, ax = settings.get("width", "page"), settings.get("ax")
    chosen = choose(study, measure, where)
    layout = lay_out(chosen, x=x, by=by)
    panels = panels_of(layout, chosen.means())
    if layout.x is None:
        return rows_of_dots(layout, panels, width, ax)
    canvas = Canvas.of([panel.title for panel in panels], width, ax)
    for axes, panel in zip(canvas.grid, panels, strict=True):
        draw_lines(canvas, axes, layout, layout.x, panel)
    rows = [row for panel in panels for line in panel.lines for _, row in points_of(line, layout.x)]
    top, is_cut = top_of(row for row in rows if row is not None)
    for axes in canvas.grid:
        axes.set_ylim(0, top)
    cut = [f"{HIGHEST:g} times the largest mean is where intervals are cut"] if is_cut else []
    drawn_as = "bands" if has_bands(layout, layout.x) else "bars"
    canvas.finish(chosen.title, layout.x.title, [*set_up(layout), *of_means(chosen, drawn_as), *cut])
    name_ends(canvas, [end_labels(canvas, layout, layout.x, panel) for panel in panels])
    return canvas.figure


def has_bands(layout: Layout, x: Factor) -> bool:
    """Whether intervals are drawn as bands, which is the case if lines join many levels."""
    return layout.joined and x.numbers is not None and len(x.levels) >= BAND_FROM


def is_joined(layout: Layout, x: Factor) -> bool:
    """Whether lines join the points."""
    return layout.joined and x.numbers is not None


def draw_lines(canvas: Canvas, axes: Axes, layout: Layout, x: Factor, panel: Panel[MeanRow]) -> None:
    """Draws the lines of a panel with their intervals, with gaps where there is no value."""
    x_axis(axes, x)
    is_text = x.numbers is None
    if not is_text:
        # Set here: what stands aside of its level is not taken for a part of the axis.
        margin = MARGIN if has_bands(layout, x) else BARS_MARGIN
        axes.set_xlim(ends_of(axes, [x.at(level) for level in x.levels], margin))
    for place, line in enumerate(panel.lines):
        shift = BESIDE * (place - (len(panel.lines) - 1) / 2) if is_text else 0.0
        looks = canvas.look(line.number)
        points = points_of(line, x)
        along = [at + shift for at, _ in points]
        middle = [math.nan if row is None or row["value"] is None else row["value"] for _, row in points]
        low = [math.nan if row is None or row["low"] is None else row["low"] for _, row in points]
        high = [math.nan if row is None or row["high"] is None else row["high"] for _, row in points]
        # Bars at one level stand beside each other, by so little that the level is read all the same. Points of a Latin hypercube stand at
        # their own values.
        aside = (
            0.0
            if is_text or not layout.joined or has_bands(layout, x)
            else ASIDE * (place - (len(panel.lines) - 1) / 2)
        )
        shifted = axes.transData + ScaledTranslation(aside * looks.scale / 72, 0, canvas.figure.dpi_scale_trans)
        axes.plot(
            along, middle, gid=line.name, transform=shifted, **(looks.joined if is_joined(layout, x) else looks.dots)
        )
        if has_bands(layout, x):
            axes.fill_between(along, low, high, color=looks.colour, alpha=0.18, linewidth=0)
        else:
            draw_bars(axes, (along, low, high), looks, shifted)


def ends_of(axes: Axes, places: Sequence[float], part: float) -> tuple[float, float]:
    """The ends of an axis over these places, with a margin of this part on both sides."""
    scale = axes.xaxis.get_transform()
    first, last = scale.transform([min(places), max(places)])
    margin = part * (last - first) or 0.5
    begin, end = scale.inverted().transform([first - margin, last + margin])
    return float(begin), float(end)


def draw_bars(axes: Axes, intervals: tuple[Sequence[float], ...], looks: Look, transform: Transform) -> None:
    """Draws intervals (where, from, to) as bars."""
    ends = [(at, *end) for at, *end in zip(*intervals, strict=True) if not any(map(math.isnan, end))]
    if ends:
        at, bottom, top = zip(*ends, strict=True)
        axes.vlines(at, bottom, top, color=looks.colour, linewidth=1.0 * looks.scale, alpha=0.9, transform=transform)


def points_of(line: Line[MeanRow], x: Factor) -> list[tuple[float, MeanRow | None]]:
    """Where each level of x is, and the row there; none at levels that have no row, where points failed."""
    return [(x.at(level), line.rows[level][0] if level in line.rows else None) for level in x.levels]


def top_of(rows: Iterable[MeanRow]) -> tuple[float, bool]:
    """Where the axis ends, and whether intervals are cut there: those of two or three seeds may be many times as long as the means are large."""
    rows = list(rows)
    most = max((row["value"] for row in rows if row["value"] is not None), default=0.0)
    high = max((row["high"] for row in rows if row["high"] is not None), default=0.0)
    if high > HIGHEST * most > 0:
        return HIGHEST * most, True
    return 1.05 * max(most, high) or 1.0, False


def end_labels(canvas: Canvas, layout: Layout, x: Factor, panel: Panel[MeanRow]) -> list[Label]:
    """What stands at the end of each line."""
    found = []
    for line in panel.lines:
        drawn = [(at, row["value"]) for at, row in points_of(line, x) if row is not None and row["value"] is not None]
        if drawn and line.name:
            looks = canvas.look(line.number)
            found.append(Label(line.name, *drawn[-1], looks.joined if is_joined(layout, x) else looks.dots))
    return found


def rows_of_dots(layout: Layout, panels: Sequence[Panel[MeanRow]], width: Width, ax: Axes | None) -> Figure:
    """A row per variant: its mean with its interval, and the value of each seed."""
    chosen = layout.chosen
    names = list(dict.fromkeys(line.name for panel in panels for line in panel.lines))
    canvas = Canvas.of([panel.title for panel in panels], width, ax, height=4 + 2.2 * len(names))
    seeds = {panel.title: panel for panel in panels_of(layout, chosen.runs())}
    for axes, panel in zip(canvas.grid, panels, strict=True):
        for line in panel.lines:
            looks, place = canvas.look(line.number), names.index(line.name)
            (row,) = line.rows[""]
            own = next(each for each in seeds[panel.title].lines if each.number == line.number)
            values = [run["value"] for run in own.rows[""] if run["value"] is not None]
            axes.plot(
                values,
                [place] * len(values),
                "o",
                markersize=2.5 * looks.scale,
                alpha=0.35,
                color=looks.colour,
                mew=0,
                gid="seeds",
            )
            if row["value"] is not None:
                axes.plot([row["value"]], [place - 0.22], gid=line.name, **looks.dots)
            if row["low"] is not None and row["high"] is not None:
                axes.hlines(place - 0.22, row["low"], row["high"], color=looks.colour, linewidth=1.4 * looks.scale)
        axes.set_ylim(len(names) - 0.5, -0.6)
        axes.set_yticks(range(len(names)), names, parse_math=False)
        axes.tick_params(axis="y", length=0)
        axes.grid(visible=False, axis="y")
    canvas.finish("", chosen.title, [*set_up(layout), *of_means(chosen, "bars"), "a dot per seed"])
    return canvas.figure
