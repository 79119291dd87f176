# SPDX-License-Identifier: MIT OR Apache-2.0
"""A measure of a study over two factors, as cells with their values; of two variants also their difference or ratio."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from cwnd._internal.input_errors import flag_of, refused
from cwnd.diff.statistics import Samples, median_difference
from cwnd.metrics.confidence_intervals import Interval, mean_interval
from cwnd.metrics.rates import is_unfinished
from cwnd.plot.arguments import checked
from cwnd.plot.studies.canvas import Canvas, Width
from cwnd.plot.studies.captions import failed_points, of_means, seeds_in_words, set_up
from cwnd.plot.studies.cells import Cells, draw_cells
from cwnd.plot.studies.factors import Cell, Factor, Where
from cwnd.plot.studies.layout import MOST_PANELS, Layout, axis, goes_with, lay_out
from cwnd.plot.studies.panels import Line, Panel, panels_of
from cwnd.plot.studies.selection import PARTS, Chosen, MeanRow, RunRow, choose
from cwnd.replicates.document import TIMES, is_never

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cwnd.study.results import Study

#: How two variants are compared.
Comparison = Literal["difference", "ratio"]
Place = tuple[Cell, Cell]


class HeatmapSettings(TypedDict, total=False):
    """More keywords of `cwnd.plot.heatmap`."""

    #: the first of two variants to compare, by its label
    of: str | None
    #: the second
    against: str | None
    #: whether cells have the ratio of the two, and not their difference
    ratio: bool
    #: `"column"`, `"page"` or `"slide"` (`"page"`)
    width: Width
    #: axes of matplotlib to draw into
    ax: Axes | None


@checked
def heatmap(
    study: Study,
    x: str | None = None,
    y: str | None = None,
    measure: str | None = None,
    where: Where | None = None,
    **settings: Unpack[HeatmapSettings],
) -> Figure:
    """Draws a measure (throughput of the groups of flows by default) over two factors: a cell per point, with its mean over the seeds, and a panel per variant.

    `x` and `y` are by default the two factors with the most levels, numeric factors first. `where` fixes factors, as in `response`.
    With `of` and `against`, the names of two variants (labels such as `"cubic beta=0.85"`), the cells have their difference, paired by seed, or with `ratio=True` their ratio (the geometric mean of the seeds').
    Cells are hatched, with their numbers in parentheses, where the 95 % interval contains no difference: there the study does not decide which of the
    two has more.

    Draws into `ax` if it is given and there is one panel. Returns the figure. Raises `ScenarioError` for names that the study does not have, for studies of one factor, and for more than six panels.
    """
    of, against, ratio = settings.get("of"), settings.get("against"), settings.get("ratio", False)
    width, ax = settings.get("width", "page"), settings.get("ax")
    comparison: Comparison = "ratio" if flag_of("ratio", ratio) else "difference"
    if (of is None) != (against is None):
        name = "against" if against is None else "of"
        raise refused(name, None, "the names of two variants, of= and against=, or none")
    chosen = choose(study, measure, where)
    across, up = two_factors(chosen, x, y)
    rows = chosen.means()
    if goes_with(rows, across.name, up.name) or goes_with(rows, up.name, across.name):
        expected = (
            f"a factor that is crossed with {across.name}; {up.name} changes with it: cwnd.plot.response draws that"
        )
        raise refused("y", up.name, expected)
    layout = lay_out(chosen, x=across.name, free=[up.name])
    if of is not None and against is not None:
        return compared(layout, up, (of, against), comparison, width, ax)
    panels = panels_of(layout, chosen.means())
    several = len({line.name for panel in panels for line in panel.lines}) > 1
    drawn = [
        (", ".join(part for part in (line.name if several else "", panel.title) if part), line)
        for panel in panels
        for line in panel.lines
    ]
    check_count(layout, [line for _, line in drawn])
    cells = [Cells(title, values_of(line, up), frozenset()) for title, line in drawn]
    canvas = Canvas.of([each.title for each in cells], width, ax)
    draw_cells(canvas, cells, (across, up), chosen.title, None)
    canvas.finish(up.title, across.title, [*set_up(layout), *of_means(chosen, "")])
    return canvas.figure


def two_factors(chosen: Chosen, x: str | None, y: str | None) -> tuple[Factor, Factor]:
    """The factors of the axes."""
    given = [axis(chosen, argument, name) if name is not None else None for argument, name in (("x", x), ("y", y))]
    if given[0] is not None and given[0] is given[1]:
        raise refused("y", y, f"another factor than x, {x}")
    order = sorted(
        chosen.varied(), key=lambda each: (each.name in chosen.variants, each.numbers is None, -len(each.levels))
    )
    rest = iter(factor for factor in order if factor not in given)
    found = [each if each is not None else next(rest, None) for each in given]
    across, up = found
    if across is None or up is None:
        names = ", ".join(factor.name for factor in chosen.varied())
        raise refused(
            "y",
            y,
            f"a second factor with several levels; what is drawn varies {names or 'nothing'}: cwnd.plot.response draws that",
        )
    return across, up


def check_count(layout: Layout, lines: Sequence[Line[MeanRow]]) -> None:
    if len(lines) > MOST_PANELS:
        name = lines[0].name
        raise refused(
            "where",
            dict(layout.chosen.where),
            f"at most {MOST_PANELS} panels, not {len(lines)}: fix a factor, or choose variants, such as where={{'label': {name!r}}} (--where 'label={name}')",
        )


def values_of(line: Line[MeanRow], up: Factor) -> dict[Place, float]:
    """The mean of each cell; cells whose points failed are not there."""
    return {
        (level, row["factors"][up.name]): row["value"]
        for level, rows in line.rows.items()
        for row in rows
        if row["value"] is not None
    }


def compared(
    layout: Layout, up: Factor, names: tuple[str, str], comparison: Comparison, width: Width, ax: Axes | None
) -> Figure:
    """The map of the difference or ratio of two variants."""
    chosen = layout.chosen
    panels = panels_of(layout, chosen.runs())
    titles = [panel.title for panel in panels]
    paired = [pairs(panel, up, names, chosen.measure) for panel in panels]
    intervals = [{place: interval_of(both, comparison, chosen) for place, both in each.items()} for each in paired]
    for panel, found in zip(panels, intervals, strict=True):
        for place in unended(panel, up, names) & found.keys():
            found[place] = replace(found[place], low=None, high=None, level=None)
    canvas = Canvas.of(titles, width, ax)
    cells = [
        Cells(
            title,
            {place: each.centre for place, each in found.items() if each.centre is not None},
            frozenset(place for place, each in found.items() if not is_decided(each, comparison)),
        )
        for title, found in zip(titles, intervals, strict=True)
    ]
    none = 1.0 if comparison == "ratio" else 0.0
    sign = "/" if comparison == "ratio" else "−"
    points = "percentage points" if chosen.measure in PARTS else chosen.shown_unit
    unit = f" ({points})" if points and comparison == "difference" else ""
    canvas.head(f"{chosen.noun}: {names[0]} {sign} {names[1]}")
    draw_cells(canvas, cells, (layout.x or up, up), f"{comparison}{unit}", none)
    counts = [each.n for found in intervals for each in found.values()]
    of_times = chosen.measure in TIMES
    what = "geometric means of the ratios" if comparison == "ratio" else "means of the differences"
    what = "medians of the differences" if of_times else what
    has_none = any(each.low is None for found in intervals for each in found.values())
    undecided = (
        f"the 95 % interval of the paired {comparison}s contains {none:g}{', or there is none' if has_none else ''}"
    )
    marked = (
        f"hatched, in parentheses: {undecided}"
        if any(each.undecided for each in cells)
        else f"no cell in which {undecided}"
    )
    words = [f"{what} over {seeds_in_words(counts)}", marked, *failed_points(chosen), *without_value(panels, names)]
    ends = {each.centre for found in intervals for each in found.values() if each.centre is not None}
    words += [f"+∞: never reached with {names[0]}"] * (math.inf in ends) + [f"−∞: never reached with {names[1]}"] * (
        -math.inf in ends
    )
    assert layout.x is not None
    canvas.finish(up.title, layout.x.title, [*set_up(layout), *words])
    return canvas.figure


def pairs(
    panel: Panel[RunRow], up: Factor, names: tuple[str, str], measure: str
) -> dict[Place, list[tuple[float, float]]]:
    """The values of two variants under the same seed, by cell."""
    lines = {line.name: line for line in panel.lines}
    by_cell: list[Mapping[Place, Mapping[int, float]]] = []
    for argument, name in zip(("of", "against"), names, strict=True):
        if name not in lines:
            raise refused(argument, name, "the name of a variant", list(lines))
        found: dict[Place, dict[int, float]] = {}
        for level, rows in lines[name].rows.items():
            for row in rows:
                # A time that was not reached is later than all that were.
                value = math.inf if row["value"] is None and is_never(measure, row["why"]) else row["value"]
                if value is not None:
                    found.setdefault((level, row["factors"][up.name]), {})[row["seed"]] = value
        by_cell.append(found)
    if names[0] == names[1]:
        raise refused("against", names[1], "another variant than that of of=")
    ours, theirs = by_cell
    both = {
        place: [(values[seed], theirs[place][seed]) for seed in sorted(values.keys() & theirs[place].keys())]
        for place, values in ours.items()
        if place in theirs
    }
    return {place: values for place, values in both.items() if values}


def unended(panel: Panel[RunRow], up: Factor, names: tuple[str, str]) -> set[Place]:
    """The cells in which transfers of a variant did not end under some seed: the pairs of the other seeds decide nothing there."""
    return {
        (level, row["factors"][up.name])
        for line in panel.lines
        if line.name in names
        for level, rows in line.rows.items()
        for row in rows
        if row["value"] is None and is_unfinished(row["why"])
    }


def without_value(panels: Sequence[Panel[RunRow]], names: tuple[str, str]) -> list[str]:
    """How many runs of the two variants have no value."""
    rows = [
        row
        for panel in panels
        for line in panel.lines
        if line.name in names
        for each in line.rows.values()
        for row in each
    ]
    empty = sum(row["value"] is None for row in rows)
    return [f"{empty} of {len(rows)} runs have no value"] if empty else []


def interval_of(values: Sequence[tuple[float, float]], comparison: Comparison, chosen: Chosen) -> Interval:
    """The mean difference, or the geometric mean of the ratios, with its interval; of times the median difference, as `cwnd diff` has it."""
    if chosen.measure in TIMES:
        if comparison == "ratio":
            raise refused("ratio", True, f"a difference: {chosen.noun} may never be reached, which has no ratio")
        ours, theirs = zip(*values, strict=True)
        return median_difference(Samples(theirs, ours, paired=True), 0.95)
    if comparison == "difference":
        return mean_interval([ours - theirs for ours, theirs in values])
    if any(ours <= 0 or theirs <= 0 for ours, theirs in values):
        raise refused("ratio", True, f"a difference: {chosen.noun} is 0 in some run, which has no ratio")
    logs = mean_interval([math.log(ours / theirs) for ours, theirs in values])
    centre, low, high = (None if end is None else math.exp(end) for end in (logs.centre, logs.low, logs.high))
    return Interval(centre, low, high, logs.n, logs.level)


def is_decided(interval: Interval, comparison: Comparison) -> bool:
    """Whether the interval has no difference outside; one seed decides nothing."""
    none = 1.0 if comparison == "ratio" else 0.0
    return interval.low is not None and interval.high is not None and not interval.low <= none <= interval.high
