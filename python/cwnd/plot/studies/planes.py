# SPDX-License-Identifier: MIT OR Apache-2.0
"""Planes of two measures of a study, with an ellipse over the seeds of each point: fairness, and throughput against delay."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypedDict, Unpack

from cwnd._internal.input_errors import refused, unfit
from cwnd.metrics.names import measure_named
from cwnd.plot.arguments import checked
from cwnd.plot.studies.canvas import Canvas, Width
from cwnd.plot.studies.captions import missing, seeds_in_words, set_up
from cwnd.plot.studies.factors import Cell, Where
from cwnd.plot.studies.layout import Layout, lay_out
from cwnd.plot.studies.panels import panels_of
from cwnd.plot.studies.selection import Chosen, RunRow, choose
from cwnd.plot.studies.tracks import Track, draw_better, draw_shares, draw_tracks, label_tracks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cwnd.study.results import Study

#: A run: the values of its factors, and its seed.
RunKey = tuple[tuple[Cell, ...], int]
#: Capacities that differ by at most this share one line.
SAME_CAPACITY = 0.01
RATES = ("throughput_mbps", "goodput_mbps", "share")
SHARE = "share"


def run_key(row: RunRow) -> RunKey:
    """The run that a row is of."""
    return tuple(row["factors"].values()), row["seed"]


def by_run(chosen: Chosen) -> dict[RunKey, list[RunRow]]:
    """The rows of each run."""
    found: dict[RunKey, list[RunRow]] = {}
    for row in chosen.runs():
        found.setdefault(run_key(row), []).append(row)
    return found


class FairnessSettings(TypedDict, total=False):
    """More keywords of `cwnd.plot.fairness`."""

    #: the factor whose levels have points of their own
    x: str | None
    #: `"column"`, `"page"` or `"slide"` (`"page"`)
    width: Width
    #: axes of matplotlib to draw into
    ax: Axes | None


@checked
def fairness(
    study: Study,
    of: str | None = None,
    against: str | None = None,
    measure: str | None = None,
    where: Where | None = None,
    **settings: Unpack[FairnessSettings],
) -> Figure:
    """Draws the throughput of one group of flows against that of another group on the same link, with the lines of equal shares and of full capacity.

    `of` (across) and `against` (up) are names or labels of groups, by default the first two of each run. `measure` is `throughput_mbps`, `goodput_mbps` or `share`: throughput by default, share where capacities differ.
    There is a point for each variant and each level of the factor `x` (by default the numeric factor with the most levels), with its ellipse of one standard deviation over the seeds; a thin line joins the levels. `where` fixes factors, as in `response`.
    Shares are compared per flow: for a group of two flows against a group of one flow, the line of equal shares has slope ½.

    Draws into `ax` if it is given and there is one panel. Returns the figure. Raises `ScenarioError` for studies without two groups that share a link.
    """
    x, width, ax = settings.get("x"), settings.get("width", "page"), settings.get("ax")
    if measure is not None:
        measure = measure_named("measure", measure, RATES, "a rate of groups")
    known = capacities(study, where)
    # A line of full capacity is that of every point, so none is drawn where a point has no rate.
    capacity = None if None in known else one_number([each for each in known if each is not None], SAME_CAPACITY)
    # Where a point has no rate, its flows have no share.
    by_default = SHARE if None not in known and capacity is None else RATES[0]
    chosen = choose(study, measure or by_default, where, of=("group",))
    both = {key: two_groups(rows, of, against) for key, rows in by_run(chosen).items()}
    flows = by_run(choose(study, "flows", where, of=("group",)))
    slope = one_number([ratio_of_flows(flows[key], pair) for key, pair in both.items()], 0)
    layout = lay_out(chosen, x=x)
    panels = panels_of(layout, [ours for ours, _ in both.values()])
    tracks = [
        [
            track
            for line in panel.lines
            if (track := Track.of(line, {key: pair[1]["value"] for key, pair in both.items()}, run_key))
        ]
        for panel in panels
    ]
    full = 100.0 if chosen.measure == SHARE else capacity
    canvas = Canvas.of([panel.title for panel in panels], width, ax, height=24 if len(panels) < 3 else 18)
    ends = [end for own in tracks for track in own for spread in track.spreads.values() for end in spread.reach]
    top = 1.06 * max([full or 0.0, *ends])
    notes = []
    for axes, own in zip(canvas.grid, tracks, strict=True):
        axes.set_xlim(0, top)
        axes.set_ylim(0, top)
        axes.set_aspect("equal")
        notes.append(draw_shares(axes, full, slope, top))
        draw_tracks(canvas, axes, own, in_order=layout.in_order)
    titles = [
        f"{called([pair[number] for pair in both.values()])}: {chosen.noun} ({chosen.shown_unit})" for number in (0, 1)
    ]
    canvas.finish(titles[1], titles[0], [*set_up(layout), *of_ellipses(layout, tracks), *missing(chosen)])
    label_tracks(canvas, tracks, notes)
    return canvas.figure


class DelaySettings(TypedDict, total=False):
    """More keywords of `cwnd.plot.delay_throughput`."""

    #: the factor whose levels have points of their own
    x: str | None
    #: the link whose delay is drawn (the first)
    link: str | None
    #: `"column"`, `"page"` or `"slide"` (`"page"`)
    width: Width
    #: axes of matplotlib to draw into
    ax: Axes | None


@checked
def delay_throughput(
    study: Study,
    delay: str | None = None,
    measure: str | None = None,
    where: Where | None = None,
    **settings: Unpack[DelaySettings],
) -> Figure:
    """Draws the throughput of each group of flows against the queueing delay of the link, whose axis is reversed: up and to the right is better.

    `delay` is a measure of links, `queue_mean_ms` by default (`queue_p95_ms`), `measure` one of groups, `throughput_mbps` by default; `link` names the link, by default the first.
    There is a point for each variant and each level of the factor `x` (by default the numeric factor with the most levels), the mean over the seeds, with the ellipse of one standard deviation; a thin line joins the levels.
    `where` fixes factors, as in `response`.

    Draws into `ax` if it is given and there is one panel. Returns the figure. Raises `ScenarioError` for names that the study does not have.
    """
    x, link = settings.get("x"), settings.get("link")
    width, ax = settings.get("width", "page"), settings.get("ax")
    chosen = choose(study, measure, where, of=("group",))
    factors = {name: values for name, values in chosen.where.items() if name in chosen.factors}
    links = study.means.filter(study.means["of"].to_numpy(zero_copy_only=False) == "link")["name"].unique().to_pylist()
    if link not in (None, *links):
        raise refused("link", link, "the name of a link", links)
    wanted = {**factors, **({} if link is None else {"name": link})}
    of_link = choose(study, "queue_mean_ms" if delay is None else delay, wanted, of=("link",), argument="delay")
    delays = {run_key(row): row["value"] for row in of_link.runs()}
    layout = lay_out(chosen, x=x)
    panels = panels_of(layout, chosen.runs())
    tracks = [
        [track for line in panel.lines if (track := Track.of(line, delays, run_key, swapped=True))] for panel in panels
    ]
    canvas = Canvas.of([panel.title for panel in panels], width, ax, height=24 if len(panels) < 3 else None, shared="y")
    ends = [at[1] for own in tracks for track in own for spread in track.spreads.values() for at in spread.border(24)]
    bottom, top = ends_of_axis(ends)
    for axes, own in zip(canvas.grid, tracks, strict=True):
        farthest = max((spread.reach[0] for track in own for spread in track.spreads.values()), default=1.0)
        axes.set_ylim(bottom, top)
        # A little beyond 0, for the markers of what waits for nothing.
        axes.set_xlim(1.08 * farthest or 1.0, -0.03 * farthest)
        draw_tracks(canvas, axes, own, in_order=layout.in_order)
        # The narrow panels of a column have no room next to their titles; the axis says that it is reversed.
        if width != "column" or len(tracks) == 1:
            draw_better(axes)
    words = [*set_up(layout), *of_ellipses(layout, tracks), *missing(chosen)]
    canvas.finish(chosen.title, f"{of_link.title}, reversed", words)
    label_tracks(canvas, tracks, [[] for _ in tracks])
    return canvas.figure


def ends_of_axis(values: Sequence[float]) -> tuple[float, float]:
    """An axis from 0 on, or, where that would leave its lower half empty, over the values, at least a twentieth of them."""
    low, high = min(values), max(values)
    if low < 0.5 * high:
        return 0.0, 1.08 * high or 1.0
    span = max(high - low, 0.05 * high)
    middle = (low + high) / 2
    return middle - 0.7 * span, middle + 0.7 * span


def capacities(study: Study, where: Where | None) -> list[float | None]:
    """The capacity of each group's link, from its throughput and its share; `None` without a rate. A group that sent nothing has no entry."""
    rates, shares = (choose(study, measure, where, of=("group",)).runs() for measure in (RATES[0], SHARE))
    return [
        rate["value"] / (share["value"] / 100) if share["value"] is not None else None
        for rate, share in zip(rates, shares, strict=True)
        if rate["value"] and share["value"] != 0
    ]


def one_number(numbers: Iterable[float], tolerance: float) -> float | None:
    """The number that all of these are, but for a part; none where they differ, or where there are none."""
    numbers = list(numbers)
    if not numbers or max(numbers) - min(numbers) > tolerance * max(numbers):
        return None
    return sum(numbers) / len(numbers)


def two_groups(rows: Sequence[RunRow], of: str | None, against: str | None) -> tuple[RunRow, RunRow]:
    """The rows of the two groups of a run."""
    names = list(dict.fromkeys(name for row in rows for name in (row["name"], row["label"])))
    if len(rows) < 2:
        raise unfit("study", f"two groups of flows that share a link; this has {names[0]} alone")
    found: list[RunRow] = []
    for argument, wanted in (("of", of), ("against", against)):
        matching = [row for row in rows if row not in found and wanted in (None, row["name"], row["label"])]
        if wanted is None:
            matching = [
                row for row in matching if row["name"] not in (of, against) and row["label"] not in (of, against)
            ]
        if not matching:
            raise refused(argument, wanted, "the name of a group of flows of each run", names)
        found.append(matching[0])
    return found[0], found[1]


def ratio_of_flows(rows: Sequence[RunRow], pair: tuple[RunRow, RunRow]) -> float:
    """How many flows the second group has for each of the first."""
    count = {row["name"]: row["value"] or 1.0 for row in rows}
    ours, theirs = pair
    return count[theirs["name"]] / count[ours["name"]]


def called(rows: Sequence[RunRow]) -> str:
    """What the groups of an axis are called."""
    return " or ".join(dict.fromkeys(row["name"] for row in rows))


def of_ellipses(layout: Layout, tracks: Sequence[Sequence[Track]]) -> list[str]:
    """The meaning of points and ellipses, and the level of each point."""
    counts = [spread.n for own in tracks for track in own for spread in track.spreads.values()]
    said = f"means over {seeds_in_words(counts)}"
    if max(counts) > 2:
        said += "; ellipses: one standard deviation (39 % of a normal distribution)"
    if layout.x is None:
        return [said]
    return [said, f"larger markers: larger {layout.x.name}, {layout.x.span}"] if layout.in_order else [said]
