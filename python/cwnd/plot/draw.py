# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws a run with matplotlib, without a display; the same run gives the same bytes."""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cwnd._internal.temporary_files import replacing
from cwnd.plot.data import COLOURS, DASHES, NAMED, LineStyle, RunData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

    from cwnd.result.result import Result

__all__ = ["COLOURS", "DASHES", "MARKERS", "STYLE", "draw", "save", "title"]

#: Marks of points, as matplotlib names them.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: The style of all pictures.
STYLE = {
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

GREY = "#333333"
#: The mark of a connection that ended by a fault, as keywords of a line, and its name.
END = {"marker": "X", "markersize": 8, "markeredgecolor": "black", "markeredgewidth": 0.8, "linestyle": "none"}
END_NAME = "connection ended"
#: How many letters of a heading's two lines may be left free where it is wrapped: a long word.
WRAPPED = 20
# Of more links than this only the busiest are drawn.
MAX_LINKS = 12


def draw_marks(run: RunData, axes: Axes, *, link: str | None = None, named: bool = True) -> None:
    """Draws actions on flows and links as lines over the panel, with their names at its top."""
    for action in run.marks_of(link):
        axes.axvline(action.time_s, color=GREY, linewidth=0.7, linestyle=(0, (2, 2)), alpha=0.7, zorder=0.5)
        if named:
            text = textwrap.shorten(action.text, 44, placeholder=" …")
            late = action.time_s > 0.97 * run.scenario.duration_s
            axes.annotate(
                text,
                (action.time_s, 0.985),
                xycoords=("data", "axes fraction"),
                xytext=(-2 if late else 2, 0),
                textcoords="offset points",
                rotation=90,
                va="top",
                ha="right" if late else "left",
                fontsize=7,
                color=GREY,
                parse_math=False,
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.75},
            )


def set_time_axis(run: RunData, axes: Axes) -> None:
    """Sets the time axis to the whole run."""
    axes.set_xlabel("time (s)")
    axes.set_xlim(0, run.scenario.duration_s)
    axes.set_ylim(bottom=0)


def draw_ends(run: RunData, axes: Axes, colours: Mapping[int, str] | None = None) -> None:
    """A cross at the end of each window line (of these `colours`) whose connection ended by a fault, on the panel's top where the line leaves it."""
    until, top = axes.get_xlim()[1], axes.get_ylim()[1]
    for number, (end_s, cwnd) in run.ends.items():
        if end_s <= until and number in run.series:
            colour = run.style(number)["color"] if colours is None else colours[number]
            axes.plot(end_s, min(cwnd, top), **END, color=colour, clip_on=False, zorder=6, gid=END_NAME)  # type: ignore[arg-type]


def panel_top(run: RunData) -> float:
    """The top of a window panel: it leaves room for the measured interval, not for the overshoot of slow start."""
    measured = [cwnd[time >= run.scenario.measured_s[0]] for time, cwnd, _ in run.series.values()]
    return 1.15 * float(max((part.max() for part in measured if part.size), default=0))


def exceeding_windows(run: RunData) -> list[tuple[int, float, float]]:
    """Of each label whose windows exceed that panel: the flow, time and size of the largest window in samples and events, the earliest first."""
    top = panel_top(run)
    exceeding = []
    for flows in run.flows_of.values():
        peak, time_s, largest = 0.0, 0.0, flows[0]
        for flow in flows:
            time, cwnd, _ = run.series[flow]
            if cwnd.size and cwnd.max() > peak:
                peak, time_s, largest = float(cwnd.max()), float(time[cwnd.argmax()]), flow
            if cwnd.size and flow in run.peaks and run.peaks[flow][1] > peak:
                (time_s, peak), largest = run.peaks[flow], flow
        if peak > top > 0:
            exceeding.append((largest, time_s, peak))
    return sorted(exceeding, key=lambda row: row[1])


def windows(run: RunData, axes: Axes, *, named: bool = True) -> None:
    """cwnd against time. A window that exceeds the panel is marked at its top with its largest value."""
    for number in run.series:
        axes.plot(*run.window(number), **run.style(number))
    set_time_axis(run, axes)
    if top := panel_top(run):
        axes.set_ylim(0, top)
    draw_ends(run, axes)
    for index, (flow, time_s, peak) in enumerate(exceeding_windows(run)):
        colour = run.colour[run.labels[flow]]
        name = f"{run.summary['flows'][flow]['name']}: " if len(run.labels) > 1 else ""
        axes.plot(time_s, top, marker="^", markersize=7, color=colour, clip_on=False, zorder=5)
        late = time_s > 0.6 * run.scenario.duration_s
        axes.annotate(
            f"{name}largest recorded {peak:g}",
            (time_s, top),
            xytext=(-8 if late else 8, -3 - 13 * index),
            textcoords="offset points",
            ha="right" if late else "left",
            va="top",
            fontsize=8,
            color=colour,
            bbox={"boxstyle": "square,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.85},
            zorder=5,
            parse_math=False,
        )
    axes.set_ylabel("cwnd (segments)")
    draw_marks(run, axes, named=named)


def slow_start(run: RunData, axes: Axes) -> None:
    """The windows around the first one that exceeds the panel of `windows`, in full."""
    largest, peak_s, _ = exceeding_windows(run)[0]
    begin = min(run.summary["flows"][flow]["start_s"] for flow in run.flows_of[run.labels[largest]])
    begin = begin if begin < peak_s else 0.0
    end = min(begin + 3 * (peak_s - begin), run.scenario.duration_s)
    top = 0.0
    for number in run.series:
        time, cwnd = run.window(number)
        shown = (time >= begin) & (time <= end)
        axes.plot(time[shown], cwnd[shown], **run.style(number))
        top = max(top, float(cwnd[shown].max(initial=0)))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("cwnd (segments)")
    axes.set_xlim(begin, end)
    axes.set_ylim(0, 1.05 * top)
    draw_ends(run, axes)
    axes.set_title("slow start, by samples", fontsize=10)


def throughput(run: RunData, axes: Axes, *, named: bool = True) -> None:
    """Wire bits that left each flow's last link, means over a second (over a fiftieth of a short run), or over as long as lies between two samples."""
    between = (float(np.median(np.diff(time))) for time, *_ in run.series.values() if time.size > 2)
    width = max(min(1.0, run.scenario.duration_s / 50), next(between, 0.0))
    edges = np.arange(0, run.scenario.duration_s + width / 2, width)
    for number, (time, _, forwarded) in run.series.items():
        if time.size < 2:
            continue
        bits = np.interp(edges, time, forwarded) * run.scenario.packet_bytes * 8
        axes.plot(edges[1:], np.diff(bits) / width / 1e6, **run.style(number))
    set_time_axis(run, axes)
    changing = [(link, capacity) for link, capacity in enumerate(run.capacity) if capacity and not capacity.is_constant]
    if len(changing) == 1:
        link, capacity = changing[0]
        # Many changes, such as those of a trace, are drawn as means over the same time as those of the flows.
        times, mbps = np.append(capacity.times_s, run.scenario.duration_s), capacity.mbps
        if run.has_many_changes(capacity):
            times, mbps = edges, capacity.mean_mbps(edges)
        axes.step(times, np.append(mbps, mbps[-1]), where="post", color=GREY, linewidth=0.9)
        axes.set_ylim(top=1.08 * mbps.max())
        rate = f"rate of {run.summary['links'][link]['name']}" if len(run.capacity) > 1 else "rate of the link"
        end = (run.scenario.duration_s, mbps[-1])
        axes.annotate(rate, end, (-3, 3), textcoords="offset points", ha="right", fontsize=7, color=GREY)
    axes.set_ylabel(f"throughput (Mbit/s, {width:g} s means)")
    draw_marks(run, axes, named=named)


def queue(run: RunData, axes: Axes, link: int | None = None, *, named: bool = True) -> None:
    """A link's backlog, in packets (in kB if their sizes differ) and in the time that it takes to send; by default of the first link with a queue."""
    link = run.queued[0] if link is None else link
    time, packets, size = run.queues[link]
    capacity = run.capacity[link]
    assert capacity is not None, "a link without a rate has no queue"
    same_size = bool((size == packets * run.scenario.packet_bytes).all())
    backlog = packets if same_size else size / 1e3
    axes.plot(time, backlog, color=GREY, linewidth=0.8)
    set_time_axis(run, axes)
    axes.set_ylim(0, 1.05 * max(1, backlog.max(initial=0)))
    axes.set_ylabel("queue (packets)" if same_size else "queue (kB)")
    name = run.summary["links"][link]["name"]
    if len(run.queues) > 1:
        axes.set_title(name, fontsize=10, parse_math=False)
    draw_marks(run, axes, link=name, named=named)
    if capacity.is_constant:
        ms_per_unit = (run.scenario.packet_bytes if same_size else 1000) * 8 / capacity.mbps[0] / 1e3

        def to_ms(count: ArrayLike) -> ArrayLike:
            delays_ms: ArrayLike = np.asarray(count) * ms_per_unit
            return delays_ms

        def from_ms(ms: ArrayLike) -> ArrayLike:
            counts: ArrayLike = np.asarray(ms) / ms_per_unit
            return counts

        axes.secondary_yaxis("right", functions=(to_ms, from_ms)).set_ylabel("queueing delay (ms)")
        return
    # If the rate changes, the delay is a separate curve.
    waits = 1e3 * capacity.wait_s(time, size * 8 / 1e6)
    finite = np.where(np.isfinite(waits), waits, np.nan)
    second = axes.twinx()
    second.plot(time, finite, color=COLOURS[1], linewidth=0.8, alpha=0.8)
    second.set_ylim(0, 1.05 * max(1e-3, np.nan_to_num(finite).max(initial=0)))
    second.set_ylabel("queueing delay (ms)", color=COLOURS[1])
    second.tick_params(axis="y", colors=COLOURS[1])
    second.spines["right"].set_visible(True)
    second.grid(visible=False)


def shares(run: RunData, axes: Axes, *, named: bool = True) -> None:
    """Each group's share of the link, its flows stacked."""
    del named  # no time axis
    flows = run.summary["flows"]
    x_max = 100.0
    # Of many flows wide edges would cover the bars.
    edge = min(0.8, 40 / max(len(flows), 1))
    for row, (label, members) in enumerate(run.flows_of.items()):
        left = 0.0
        for number in members:
            share = 100 * (flows[number]["share"] or 0.0)
            axes.barh(row, share, left=left, color=run.colour[label], edgecolor="white", linewidth=edge, height=0.5)
            left += share
        # A flow over no rate has no share.
        of_link = "no rate" if any(flows[number]["share"] is None for number in members) else f"{left:.1f} %"
        label_text = f"{short(label)} ({len(members)}): {of_link}"
        axes.annotate(label_text, (0, row - 0.25), (3, 2), textcoords="offset points", fontsize=9, parse_math=False)
        x_max = max(x_max, left)
    axes.set_yticks([])
    # A single bar is as thick as one of several.
    axes.set_ylim(max(2.5, len(run.flows_of)) - 0.6, -0.6)
    axes.set_xlim(0, x_max)
    begin, end = run.scenario.measured_s
    same_path = len({tuple(flow["path"]) for flow in flows}) == 1
    axes.set_xlabel(f"share of {'the link' if same_path else 'its slowest link, added up'} (%), {begin:g} to {end:g} s")


PANELS = {"cwnd": windows, "throughput": throughput, "queue": queue, "shares": shares}


def legend(run: RunData, figure: Figure, columns: int = 4, *, windows: bool = True) -> None:
    """A legend below the panels: an entry per flow, or per label if there are many flows; with `windows` one for connections that ended, if any did."""
    entries: list[tuple[str, LineStyle]]
    if len(run.series) <= NAMED:
        entries = [(run.summary["flows"][number]["name"], run.style(number)) for number in run.series]
    else:
        entries = [(label, {**run.style(flows[0]), "alpha": 1.0}) for label, flows in run.flows_of.items()]
    if not entries:
        return
    thick: list[LineStyle] = [{**style, "linewidth": 1.8} for _, style in entries]
    handles = [Line2D([], [], **style) for style in thick]
    names = [short(name) for name, _ in entries]
    if windows and run.ends:
        handles.append(Line2D([], [], **END, color=GREY))  # type: ignore[arg-type]
        names.append(END_NAME)
    columns = max(1, min(columns, len(names), 30 * columns // max(map(len, names))))
    drawn_legend = figure.legend(
        handles, map(str, range(len(names))), loc="outside lower center", ncols=columns, frameon=False, fontsize=9
    )
    # Set here: matplotlib takes names for mathematics, and drops those that begin with an underscore.
    for text, name in zip(drawn_legend.get_texts(), names):
        text.set_parse_math(False)
        text.set_text(name)


def short(name: str) -> str:
    """A name, shortened to 60 characters."""
    return textwrap.shorten(name, 60, placeholder=" …") or name


def title(name: str, width: int) -> str:
    """A scenario's name in at most two lines."""
    lines = textwrap.wrap(name, width)
    return "\n".join(
        lines if len(lines) <= 2 else [lines[0], textwrap.shorten(" ".join(lines[1:]), width, placeholder=" …")]
    )


def heading(run: RunData, width: int, more: str = "") -> str:
    """The heading of a picture: the scenario's name, and its setup, which has a second line for jitter."""
    name = title(run.name + more, width)
    if run.others():
        return f"{name}\n{title(run.setup(2 * width - WRAPPED), width)}"
    return f"{name}\n{textwrap.shorten(run.setup(width), width, placeholder=' …')}"


def new_figure(*, figsize: tuple[float, float], layout: Literal["constrained"]) -> Figure:
    """A new figure, made without pyplot, whose state belongs to the caller."""
    figure = Figure(figsize=figsize, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def queues(run: RunData) -> Figure:
    """The backlog of each link with a queue, one panel each; with many links, only the busiest."""
    links = run.summary["links"]
    busiest = sorted(run.queued, key=lambda link: -(links[link]["utilization"] or 0.0))[:MAX_LINKS]
    chosen = sorted(busiest)
    rows = -(-len(chosen) // 2)
    figure = new_figure(figsize=(13, 0.9 + 2.6 * rows), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False)
    for axes, link in zip(grid.flat, chosen):
        queue(run, axes, link)
    for axes in grid.flat[len(chosen) :]:
        axes.set_visible(False)
    note = f" (the {MAX_LINKS} busiest of {len(run.queued)} links)" if len(run.queued) > MAX_LINKS else ""
    figure.suptitle(heading(run, 110, note), fontsize=12, parse_math=False)
    return figure


def draw(result: Result, folder: Path) -> None:
    """Writes `cwnd`, `throughput`, `queue`, `shares` and `overview`, each as PNG and SVG, to `folder`.

    Of a run of traffic alone, `queue` and `overview`. Without a rate on any path there are no `shares`, and without a queue at any link no `queue`.
    """
    run = RunData(result)
    digest = hashlib.sha256(result.scenario.to_json().encode()).hexdigest()[:16]
    empty = {"shares"} if all(flow["share"] is None for flow in run.summary["flows"]) else set()
    empty |= {"queue"} if not run.queued else set()
    of_run = PANELS if run.series else {"queue": queue}
    panels = {name: panel for name, panel in of_run.items() if name not in empty}
    if not panels:
        return
    with mpl.rc_context({**STYLE, "svg.hashsalt": digest}):
        for name, panel in panels.items():
            if name == "queue" and len(run.queued) > 1:
                save(queues(run), folder / name, digest)
                continue
            size = (8, 4.5 if name != "shares" else 1.6 + 0.55 * max(2.5, len(run.colour)))
            figure = new_figure(figsize=size, layout="constrained")
            if name == "cwnd" and exceeding_windows(run):
                first_axes, axes = figure.subplots(1, 2, width_ratios=(1, 2.4))
                slow_start(run, first_axes)
            else:
                axes = figure.subplots()
            panel(run, axes)
            figure.suptitle(heading(run, 80), fontsize=11, parse_math=False)
            if name in ("cwnd", "throughput"):
                legend(run, figure, 3, windows=name == "cwnd")
            save(figure, folder / name, digest)
        shape = (-(-len(panels) // 2), min(len(panels), 2))
        figure = new_figure(figsize=(13, 4.1 * shape[0]), layout="constrained")
        grid = figure.subplots(*shape, squeeze=False)
        for index, (axes, panel) in enumerate(zip(grid.flat, panels.values())):
            panel(run, axes, named=index == 0 or panel is queue)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        figure.suptitle(heading(run, 110), fontsize=13, parse_math=False)
        legend(run, figure)
        save(figure, folder / "overview", digest)


def save(figure: Figure, path: Path, digest: str) -> None:
    """PNG and SVG with the scenario's hash inside, and no date."""
    save_pair(figure, path, f"scenario {digest}")


def save_pair(figure: Figure, path: Path, description: str) -> list[Path]:
    """Writes a picture as PNG and SVG, each whole, with this description in it; returns the files."""
    metadata: dict[str, dict[str, str | None]] = {
        "png": {"Description": description, "Software": "cwnd"},
        "svg": {"Description": description, "Date": None, "Creator": "cwnd"},
    }
    files = [path.with_suffix(f".{form}") for form in metadata]
    for file, (form, about) in zip(files, metadata.items(), strict=True):
        with replacing(file) as part:
            figure.savefig(part, format=form, dpi=130, metadata=about)
    return files
