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

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from cwnd.result import Result

# Okabe and Ito's colours, which the colour-blind can tell apart; one per kind of flow.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
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
# More flows than this are drawn thin and without a legend entry each.
NAMED = 12

Series = dict[int, tuple["np.ndarray[Any, Any]", ...]]


class Run:
    """What the panels draw, as arrays per flow."""

    def __init__(self, result: Result) -> None:
        self.summary = result.summary
        self.scenario = result.scenario
        table = result.cwnd
        flow = table["flow"].to_numpy()
        columns = [table[name].to_numpy() for name in ("time_s", "cwnd", "forwarded")]
        order = np.argsort(flow, kind="stable")
        counts = np.bincount(flow, minlength=len(self.summary["flows"]))
        bounds = np.concatenate(([0], np.cumsum(counts)))
        parts = [column[order] for column in columns]
        self.series: Series = {
            number: tuple(part[bounds[number] : bounds[number + 1]] for part in parts) for number in range(len(counts))
        }
        queue = result.queue
        self.queue = (queue["time_s"].to_numpy(), queue["packets"].to_numpy())
        kinds = list(dict.fromkeys(self.kind(number) for number in range(len(counts))))
        self.colour = {kind: COLOURS[place % len(COLOURS)] for place, kind in enumerate(kinds)}

    def kind(self, number: int) -> str:
        """What flows are grouped by: the algorithm, and the round trip where it differs."""
        flows = self.summary["flows"]
        many = len({flow["rtt_ms"] for flow in flows if flow["cc"] == flows[number]["cc"]}) > 1
        return f"{flows[number]['cc']}, {flows[number]['rtt_ms']:g} ms" if many else str(flows[number]["cc"])

    def style(self, number: int) -> dict[str, Any]:
        """Colour by kind, dashes and lightness by number within the kind."""
        kind = self.kind(number)
        place = [other for other in self.series if self.kind(other) == kind].index(number)
        few = len(self.series) <= NAMED
        return {
            "color": self.colour[kind],
            "linestyle": DASHES[place % len(DASHES)] if few else "-",
            "alpha": 1.0 - 0.15 * (place % 4) if few else 0.5,
            "linewidth": 1.1 if few else 0.6,
            "label": self.summary["flows"][number]["name"] if few else None,
        }


def windows(run: Run, axes: Axes) -> None:
    """cwnd against time."""
    for number, (time, cwnd, _) in run.series.items():
        axes.plot(time, cwnd, **run.style(number))
    # The overshoot of slow start would press everything else to the floor.
    settled = [cwnd[time >= run.scenario.measured_s[0]] for time, cwnd, _ in run.series.values()]
    top = max((part.max() for part in settled if part.size), default=0)
    if top > 0:
        axes.set_ylim(0, 1.15 * top)
    axes.set(xlabel="time (s)", ylabel="cwnd (segments)")


def throughput(run: Run, axes: Axes) -> None:
    """Wire bits that left the bottleneck, means over a second (over a fiftieth of a short run)."""
    width = min(1.0, run.scenario.duration_s / 50)
    edges = np.arange(0, run.scenario.duration_s + width / 2, width)
    for number, (time, _, forwarded) in run.series.items():
        if time.size < 2:
            continue
        bits = np.interp(edges, time, forwarded) * run.scenario.packet_bytes * 8
        axes.plot(edges[1:], np.diff(bits) / width / 1e6, **run.style(number))
    axes.set(xlabel="time (s)", ylabel=f"throughput (Mbit/s, {width:g} s means)")
    axes.set_ylim(bottom=0)


def queue(run: Run, axes: Axes) -> None:
    """The bottleneck's backlog, in packets and in the time that it takes to send."""
    time, packets = run.queue
    axes.plot(time, packets, color="#333333", linewidth=0.8)
    axes.set(xlabel="time (s)", ylabel="queue (packets)")
    axes.set_ylim(bottom=0)
    ms_per_packet = run.scenario.packet_bytes * 8 / run.scenario.rate_mbps / 1e3

    def to_ms(count: Any) -> Any:  # noqa: ANN401 (matplotlib passes scalars and arrays)
        return count * ms_per_packet

    def to_packets(ms: Any) -> Any:  # noqa: ANN401
        return ms / ms_per_packet

    second = axes.secondary_yaxis("right", functions=(to_ms, to_packets))
    second.set_ylabel("queueing delay (ms)")


def shares(run: Run, axes: Axes) -> None:
    """Each kind's share of the link, its flows stacked."""
    flows = run.summary["flows"]
    labels = []
    for place, kind in enumerate(run.colour):
        members = [number for number in run.series if run.kind(number) == kind]
        left = 0.0
        for number in members:
            share = 100 * flows[number]["share"]
            axes.barh(place, share, left=left, color=run.colour[kind], edgecolor="white", linewidth=0.8, height=0.6)
            left += share
        labels.append(f"{kind} ({len(members)}): {left:.1f} %")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    begin, end = run.scenario.measured_s
    axes.set_xlabel(f"share of the link (%), {begin:g} to {end:g} s")


PANELS = {"cwnd": windows, "throughput": throughput, "queue": queue, "shares": shares}


def legend(run: Run, figure: Figure) -> None:
    """One entry per flow, or per kind where there are many, below the panels."""
    if len(run.series) <= NAMED:
        handles = [plt.Line2D([], [], **{**run.style(number), "linewidth": 1.8}) for number in run.series]
    else:
        handles = [plt.Line2D([], [], color=colour, label=kind) for kind, colour in run.colour.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)), frameon=False, fontsize=9)


def title(name: str, width: int) -> str:
    """A scenario's name in two lines at most."""
    lines = textwrap.wrap(name, width)
    return "\n".join(
        lines if len(lines) <= 2 else [lines[0], textwrap.shorten(" ".join(lines[1:]), width, placeholder=" …")]
    )


def draw(result: Result, folder: Path) -> None:
    """Writes `cwnd`, `throughput`, `queue`, `shares` and `overview`, each as PNG and SVG, to `folder`."""
    run = Run(result)
    digest = hashlib.sha256(result.scenario.to_json().encode()).hexdigest()[:16]
    with mpl.rc_context({**STYLE, "svg.hashsalt": digest}):
        for name, panel in PANELS.items():
            figure, axes = plt.subplots(
                figsize=(8, 4.5 if name != "shares" else 2.2 + 0.35 * len(run.colour)), layout="constrained"
            )
            panel(run, axes)
            axes.set_title(title(result.scenario.name, 80), fontsize=11)
            if name in ("cwnd", "throughput"):
                legend(run, figure)
            save(figure, folder / name, digest)
        figure, grid = plt.subplots(2, 2, figsize=(13, 8), layout="constrained")
        for axes, panel in zip(grid.flat, PANELS.values()):
            panel(run, axes)
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
