# SPDX-License-Identifier: MIT OR Apache-2.0
"""Drawing a run with matplotlib, without a display; the same run gives the same bytes."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from cwnd.plot.run import COLOURS, DASHES, NAMED, Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

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
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "edgecolor": "none", "alpha": 0.75},
            )


def over_time(run: Run, axes: Axes) -> None:
    """An axis of the whole run's time."""
    axes.set_xlabel("time (s)")
    axes.set_xlim(0, run.scenario.duration_s)
    axes.set_ylim(bottom=0)


def windows(run: Run, axes: Axes, *, named: bool = True) -> None:
    """cwnd against time."""
    for number, (time, cwnd, _) in run.series.items():
        axes.plot(time, cwnd, **run.style(number))
    over_time(run, axes)
    # The overshoot of slow start would press everything else to the floor.
    settled = [cwnd[time >= run.scenario.measured_s[0]] for time, cwnd, _ in run.series.values()]
    top = max((part.max() for part in settled if part.size), default=0)
    if top > 0:
        axes.set_ylim(0, 1.15 * top)
    axes.set_ylabel("cwnd (segments)")
    mark(run, axes, named=named)


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
        axes.set_title(name, fontsize=10)
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
    """Each kind's share of the link, its flows stacked."""
    del named  # nothing here happens at a time
    flows = run.summary["flows"]
    labels, most = [], 100.0
    for place, kind in enumerate(run.colour):
        members = [number for number in run.series if run.kind(number) == kind]
        left = 0.0
        for number in members:
            share = 100 * flows[number]["share"]
            axes.barh(place, share, left=left, color=run.colour[kind], edgecolor="white", linewidth=0.8, height=0.6)
            left += share
        labels.append(f"{kind} ({len(members)}): {left:.1f} %")
        most = max(most, left)
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, most)
    begin, end = run.scenario.measured_s
    one = len({tuple(flow["path"]) for flow in flows}) == 1
    axes.set_xlabel(f"share of {'the link' if one else 'its slowest link, added up'} (%), {begin:g} to {end:g} s")


PANELS = {"cwnd": windows, "throughput": throughput, "queue": queue, "shares": shares}


def legend(run: Run, figure: Figure) -> None:
    """One entry per flow, or per kind where there are many, below the panels."""
    if len(run.series) <= NAMED:
        handles = [plt.Line2D([], [], **{**run.style(number), "linewidth": 1.8}) for number in run.series]
    else:
        handles = [plt.Line2D([], [], color=colour, label=kind) for kind, colour in run.colour.items()]
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=min(4, len(handles)), frameon=False, fontsize=9
        )


def title(name: str, width: int) -> str:
    """A scenario's name in two lines at most."""
    lines = textwrap.wrap(name, width)
    return "\n".join(
        lines if len(lines) <= 2 else [lines[0], textwrap.shorten(" ".join(lines[1:]), width, placeholder=" …")]
    )


def queues(run: Run) -> Figure:
    """Every link's backlog, one beside the other; of many links the busiest."""
    links = run.summary["links"]
    busiest = sorted(range(len(links)), key=lambda link: -links[link]["utilization"])[:LINKS]
    chosen = sorted(busiest)
    rows = -(-len(chosen) // 2)
    figure: Figure = plt.figure(figsize=(13, 0.9 + 2.6 * rows), layout="constrained")
    grid = figure.subplots(rows, 2, squeeze=False)
    for axes, link in zip(grid.flat, chosen):
        queue(run, axes, link)
    for axes in grid.flat[len(chosen) :]:
        axes.set_visible(False)
    those = f" (the {LINKS} busiest of {len(links)} links)" if len(links) > LINKS else ""
    figure.suptitle(title(run.scenario.name + those, 120), fontsize=12)
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
            figure, axes = plt.subplots(
                figsize=(8, 4.5 if name != "shares" else 2.2 + 0.35 * len(run.colour)), layout="constrained"
            )
            panel(run, axes)
            axes.set_title(title(result.scenario.name, 80), fontsize=11)
            if name in ("cwnd", "throughput"):
                legend(run, figure)
            save(figure, folder / name, digest)
        shape = (2, 2) if len(panels) > 1 else (1, 1)
        figure, grid = plt.subplots(*shape, figsize=(13, 4 * shape[0]), layout="constrained", squeeze=False)
        for place, (axes, panel) in enumerate(zip(grid.flat, panels.values())):
            panel(run, axes, named=place == 0 or panel is queue)
        figure.suptitle(title(result.scenario.name, 120), fontsize=13)
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
    plt.close(figure)
