# SPDX-License-Identifier: MIT OR Apache-2.0
"""Drawing a run with matplotlib, without a display; the same run gives the same bytes."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from cwnd.plot.run import COLOURS, DASHES, NAMED, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cwnd.result import Result

__all__ = ["COLOURS", "DASHES", "MARKERS", "STYLE", "draw", "save", "title"]

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
#: How every picture looks.
STYLE = {
    "font.size": 10,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
}

GREY = "#333333"
# More links than this are not drawn, but for the busiest.
LINKS = 12


def mark(run: Run, axes: Axes, *, link: str | None = None, named: bool = True) -> None:
    """What was done to flows and links, as lines over the panel; their names at its top."""
    for one in run.marks_of(link):
        axes.axvline(one.time_s, color=GREY, linewidth=0.7, linestyle=(0, (2, 2)), alpha=0.7, zorder=0.5)
        if named:
            text = textwrap.shorten(one.text, 44, placeholder=" …")
            late = one.time_s > 0.97 * run.scenario.duration_s
            axes.annotate(
                text,
                (one.time_s, 0.985),
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


def over_time(run: Run, axes: Axes) -> None:
    """An axis of the whole run's time."""
    axes.set_xlabel("time (s)")
    axes.set_xlim(0, run.scenario.duration_s)
    axes.set_ylim(bottom=0)


def ceiling(run: Run) -> float:
    """The top of a window panel: room for what happens in the measured interval. The overshoot of slow start would press it to the floor."""
    settled = [cwnd[time >= run.scenario.measured_s[0]] for time, cwnd, _ in run.series.values()]
    return 1.15 * float(max((part.max() for part in settled if part.size), default=0))


def clipped(run: Run) -> list[tuple[str, float, float]]:
    """Whose windows leave a panel of that height: label, time of its largest window and that window, of samples and events, the earliest
    first."""
    top = ceiling(run)
    found = []
    for label, flows in run.kinds.items():
        peak, time_s = 0.0, 0.0
        for flow in flows:
            time, cwnd, _ = run.series[flow]
            if cwnd.size and cwnd.max() > peak:
                peak, time_s = float(cwnd.max()), float(time[cwnd.argmax()])
            if cwnd.size and flow in run.turns and run.turns[flow][1] > peak:
                time_s, peak = run.turns[flow]
        if peak > top > 0:
            found.append((label, time_s, peak))
    return sorted(found, key=lambda one: one[1])


def windows(run: Run, axes: Axes, *, named: bool = True) -> None:
    """cwnd against time. What leaves the panel is marked at its top with its largest value."""
    for number, (time, cwnd, _) in run.series.items():
        axes.plot(time, cwnd, **run.style(number))
    over_time(run, axes)
    if top := ceiling(run):
        axes.set_ylim(0, top)
    for place, (label, time_s, peak) in enumerate(clipped(run)):
        colour = run.colour[label]
        axes.plot(time_s, top, marker="^", markersize=7, color=colour, clip_on=False, zorder=5)
        late = time_s > 0.6 * run.scenario.duration_s
        axes.annotate(
            f"{label}: largest recorded {peak:g}" if len(run.kinds) > 1 else f"largest recorded {peak:g}",
            (time_s, top),
            xytext=(-8 if late else 8, -3 - 13 * place),
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
    mark(run, axes, named=named)


def slow_start(run: Run, axes: Axes) -> None:
    """The windows around the first one that leaves the panel of `windows`, whole."""
    label, peak_s, _ = clipped(run)[0]
    begin = min(run.summary["flows"][flow]["start_s"] for flow in run.kinds[label])
    begin = begin if begin < peak_s else 0.0
    end = min(begin + 3 * (peak_s - begin), run.scenario.duration_s)
    top = 0.0
    for number, (time, cwnd, _) in run.series.items():
        shown = (time >= begin) & (time <= end)
        axes.plot(time[shown], cwnd[shown], **run.style(number))
        top = max(top, float(cwnd[shown].max(initial=0)))
    axes.set_xlabel("time (s)")
    axes.set_ylabel("cwnd (segments)")
    axes.set_xlim(begin, end)
    axes.set_ylim(0, 1.05 * top)
    axes.set_title("slow start, by samples", fontsize=10)


def throughput(run: Run, axes: Axes, *, named: bool = True) -> None:
    """Wire bits that left each flow's last link, means over a second (over a fiftieth of a short run)."""
    width = min(1.0, run.scenario.duration_s / 50)
    edges = np.arange(0, run.scenario.duration_s + width / 2, width)
    for number, (time, _, forwarded) in run.series.items():
        if time.size < 2:
            continue
        bits = np.interp(edges, time, forwarded) * run.scenario.packet_bytes * 8
        axes.plot(edges[1:], np.diff(bits) / width / 1e6, **run.style(number))
    over_time(run, axes)
    changing = [link for link, capacity in enumerate(run.capacity) if not capacity.is_constant]
    if len(changing) == 1:
        capacity = run.capacity[changing[0]]
        times = np.append(capacity.times_s, run.scenario.duration_s)
        axes.step(times, np.append(capacity.mbps, capacity.mbps[-1]), where="post", color=GREY, linewidth=0.9)
        axes.set_ylim(top=1.08 * capacity.mbps.max())
        rate = f"rate of {run.summary['links'][changing[0]]['name']}" if len(run.capacity) > 1 else "rate of the link"
        end = (run.scenario.duration_s, capacity.mbps[-1])
        axes.annotate(rate, end, (-3, 3), textcoords="offset points", ha="right", fontsize=7, color=GREY)
    axes.set_ylabel(f"throughput (Mbit/s, {width:g} s means)")
    mark(run, axes, named=named)


def queue(run: Run, axes: Axes, link: int = 0, *, named: bool = True) -> None:
    """A link's backlog, in packets (kB where their sizes differ) and in the time that it takes to send."""
    time, packets, size = run.queues[link]
    capacity = run.capacity[link]
    alike = bool((size == packets * run.scenario.packet_bytes).all())
    backlog = packets if alike else size / 1e3
    axes.plot(time, backlog, color=GREY, linewidth=0.8)
    over_time(run, axes)
    axes.set_ylim(0, 1.05 * max(1, backlog.max(initial=0)))
    axes.set_ylabel("queue (packets)" if alike else "queue (kB)")
    name = run.summary["links"][link]["name"]
    if len(run.queues) > 1:
        axes.set_title(name, fontsize=10, parse_math=False)
    mark(run, axes, link=name, named=named)
    if capacity.is_constant:
        ms_per_unit = (run.scenario.packet_bytes if alike else 1000) * 8 / capacity.mbps[0] / 1e3

        def to_ms(count: Any) -> Any:  # noqa: ANN401 (matplotlib passes scalars and arrays)
            return count * ms_per_unit

        def from_ms(ms: Any) -> Any:  # noqa: ANN401
            return ms / ms_per_unit

        axes.secondary_yaxis("right", functions=(to_ms, from_ms)).set_ylabel("queueing delay (ms)")
        return
    # Where the rate changes, the delay is a curve of its own.
    waits = 1e3 * capacity.wait_s(time, size * 8 / 1e6)
    finite = np.where(np.isfinite(waits), waits, np.nan)
    second = axes.twinx()
    second.plot(time, finite, color=COLOURS[1], linewidth=0.8, alpha=0.8)
    second.set_ylim(0, 1.05 * max(1e-3, np.nan_to_num(finite).max(initial=0)))
    second.set_ylabel("queueing delay (ms)", color=COLOURS[1])
    second.tick_params(axis="y", colors=COLOURS[1])
    second.spines["right"].set_visible(True)
    second.grid(visible=False)


def shares(run: Run, axes: Axes, *, named: bool = True) -> None:
    """Each group's share of the link, its flows stacked."""
    del named  # nothing here happens at a time
    flows = run.summary["flows"]
    most = 100.0
    for place, (label, members) in enumerate(run.kinds.items()):
        left = 0.0
        for number in members:
            share = 100 * flows[number]["share"]
            axes.barh(place, share, left=left, color=run.colour[label], edgecolor="white", linewidth=0.8, height=0.5)
            left += share
        said = f"{short(label)} ({len(members)}): {left:.1f} %"
        axes.annotate(said, (0, place - 0.25), (3, 2), textcoords="offset points", fontsize=9, parse_math=False)
        most = max(most, left)
    axes.set_yticks([])
    # One bar is no thicker than one of several.
    axes.set_ylim(max(2.5, len(run.kinds)) - 0.6, -0.6)
    axes.set_xlim(0, most)
    begin, end = run.scenario.measured_s
    one = len({tuple(flow["path"]) for flow in flows}) == 1
    axes.set_xlabel(f"share of {'the link' if one else 'its slowest link, added up'} (%), {begin:g} to {end:g} s")


PANELS = {"cwnd": windows, "throughput": throughput, "queue": queue, "shares": shares}


def legend(run: Run, figure: Figure, columns: int = 4) -> None:
    """One entry per flow, or per label where there are many, below the panels."""
    if len(run.series) <= NAMED:
        entries = [(run.summary["flows"][number]["name"], run.style(number)) for number in run.series]
    else:
        entries = [(label, {**run.style(flows[0]), "alpha": 1.0}) for label, flows in run.kinds.items()]
    if not entries:
        return
    handles = [Line2D([], [], **{**style, "linewidth": 1.8}) for _, style in entries]
    names = [short(name) for name, _ in entries]
    columns = max(1, min(columns, len(names), 30 * columns // max(map(len, names))))
    made = figure.legend(
        handles, map(str, range(len(names))), loc="outside lower center", ncols=columns, frameon=False, fontsize=9
    )
    # Set here: a name is no mathematics, and may begin with a line below.
    for text, name in zip(made.get_texts(), names):
        text.set_parse_math(False)
        text.set_text(name)


def short(name: str) -> str:
    """A name that leaves room for what it names."""
    return textwrap.shorten(name, 60, placeholder=" …") or name


def title(name: str, width: int) -> str:
    """A scenario's name in two lines at most."""
    lines = textwrap.wrap(name, width)
    return "\n".join(
        lines if len(lines) <= 2 else [lines[0], textwrap.shorten(" ".join(lines[1:]), width, placeholder=" …")]
    )


def head(run: Run, width: int, more: str = "") -> str:
    """What stands over a picture: the scenario's name, and what was simulated."""
    return f"{title(run.name + more, width)}\n{textwrap.shorten(run.setup(width), width, placeholder=' …')}"


def blank(*, figsize: tuple[float, float], layout: Literal["constrained"]) -> Figure:
    """A figure of its own: pyplot, with the caller's figures and backend in it, is not touched."""
    figure = Figure(figsize=figsize, layout=layout)
    FigureCanvasAgg(figure)
    return figure


def queues(run: Run) -> Figure:
    """Every link's backlog, one beside the other; of many links the busiest."""
    links = run.summary["links"]
    busiest = sorted(range(len(links)), key=lambda link: -links[link]["utilization"])[:LINKS]
    chosen = sorted(busiest)
    rows = -(-len(chosen) // 2)
    figure = blank(figsize=(13, 0.9 + 2.6 * rows), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False)
    for axes, link in zip(grid.flat, chosen):
        queue(run, axes, link)
    for axes in grid.flat[len(chosen) :]:
        axes.set_visible(False)
    those = f" (the {LINKS} busiest of {len(links)} links)" if len(links) > LINKS else ""
    figure.suptitle(head(run, 110, those), fontsize=12, parse_math=False)
    return figure


def draw(result: Result, folder: Path) -> None:
    """Writes `cwnd`, `throughput`, `queue`, `shares` and `overview`, each as PNG and SVG, to `folder`.

    Of a run of traffic alone, `queue` and `overview`.
    """
    run = Run(result)
    digest = hashlib.sha256(result.scenario.to_json().encode()).hexdigest()[:16]
    panels = PANELS if run.series else {"queue": queue}
    with mpl.rc_context({**STYLE, "svg.hashsalt": digest}):
        for name, panel in panels.items():
            if name == "queue" and len(run.queues) > 1:
                save(queues(run), folder / name, digest)
                continue
            size = (8, 4.5 if name != "shares" else 1.6 + 0.55 * max(2.5, len(run.colour)))
            figure = blank(figsize=size, layout="constrained")
            if name == "cwnd" and clipped(run):
                beside, axes = figure.subplots(1, 2, width_ratios=(1, 2.4))
                slow_start(run, beside)
            else:
                axes = figure.subplots()
            panel(run, axes)
            figure.suptitle(head(run, 80), fontsize=11, parse_math=False)
            if name in ("cwnd", "throughput"):
                legend(run, figure, 3)
            save(figure, folder / name, digest)
        shape = (2, 2) if len(panels) > 1 else (1, 1)
        figure = blank(figsize=(13, 4.1 * shape[0]), layout="constrained")
        grid = figure.subplots(*shape, squeeze=False)
        for place, (axes, panel) in enumerate(zip(grid.flat, panels.values())):
            panel(run, axes, named=place == 0 or panel is queue)
        figure.suptitle(head(run, 110), fontsize=13, parse_math=False)
        legend(run, figure)
        save(figure, folder / "overview", digest)


def save(figure: Figure, path: Path, digest: str) -> None:
    """PNG and SVG with the scenario's hash inside, and no date."""
    figure.savefig(
        path.with_suffix(".png"), dpi=130, metadata={"Description": f"scenario {digest}", "Software": "cwnd"}
    )
    figure.savefig(
        path.with_suffix(".svg"), metadata={"Description": f"scenario {digest}", "Date": None, "Creator": "cwnd"}
    )
