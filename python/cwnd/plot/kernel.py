# SPDX-License-Identifier: MIT OR Apache-2.0
"""The picture of a kernel trace: windows and thresholds, round trips, and states over time."""

from __future__ import annotations

import hashlib
import json
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from cwnd._internal.escapes import one_line
from cwnd.kernel.result import headline
from cwnd.plot.data import Dash, Numbers
from cwnd.plot.draw import COLOURS, STYLE, save_pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from cwnd.kernel.result import KernelTrace

NAME = "trace"
#: Of more connections than this only those with most rows are drawn.
MAX_CONNECTIONS = 8
#: A curve of more points than this is drawn with two per column of the picture: the smallest and the largest.
MAX_POINTS = 6000
#: `ssthresh` before it is set.
UNSET_SSTHRESH = 1 << 30
#: States of a connection, and their colours; `open` is the background.
STATES = {"open": "#DDDDDD", "disorder": "#56B4E9", "cwr": "#E69F00", "recovery": "#0072B2", "loss": "#D55E00"}


def draw(trace: KernelTrace, folder: Path) -> list[Path]:
    """Writes `trace.png` and `trace.svg` to `folder`; returns them, or an empty list if no connection was recorded."""
    if "cwnd" not in trace.names or not trace.rows("cwnd"):
        return []
    digest = hashlib.sha256(json.dumps(trace.summary, sort_keys=True).encode()).hexdigest()[:16]
    with rc_context({**STYLE, "svg.hashsalt": digest}):
        figure = picture(trace)
        return save_pair(figure, folder / NAME, f"trace {digest}")


def picture(trace: KernelTrace) -> Figure:
    """Three panels with the same time axis: windows with thresholds, round trips, states."""
    table = trace.table("cwnd")
    flow = table["flow"].to_numpy()
    time = table["time_s"].to_numpy()
    time = time - time.min()
    numbers, counts = np.unique(flow, return_counts=True)
    chosen = sorted(numbers[np.argsort(-counts, kind="stable")][:MAX_CONNECTIONS].tolist())
    figure = Figure(figsize=(11, 7.2 + 0.22 * len(chosen)), layout="constrained")
    FigureCanvasAgg(figure)
    heights = (3.2, 1.6, 0.5 + 0.22 * len(chosen))
    windows, round_trips, states = figure.subplots(3, 1, sharex=True, height_ratios=heights)
    for index, number in enumerate(chosen):
        rows = np.flatnonzero(flow == number)
        colour = COLOURS[index % len(COLOURS)]

        def column(name: str, rows: NDArray[np.intp] = rows) -> Numbers:
            values: Numbers = table[name].to_numpy()[rows].astype(float)
            return values

        ssthresh = column("ssthresh")
        ssthresh[ssthresh >= UNSET_SSTHRESH] = np.nan
        line(windows, time[rows], column("cwnd"), colour)
        line(windows, time[rows], ssthresh, colour, (0, (1, 1.2)), 0.8)
        srtt_ms = column("srtt_ms")
        srtt_ms[srtt_ms == 0] = np.nan
        line(round_trips, time[rows], srtt_ms, colour)
        strip(states, index, time[rows], table["ca_state"].to_numpy(zero_copy_only=False)[rows])
    windows.set_ylabel("segments")
    round_trips.set_ylabel("smoothed RTT (ms)")
    for axes in (windows, round_trips):
        axes.set_ylim(bottom=0)
    states.set_ylabel("state")
    states.set_yticks(range(len(chosen)), [f"connection {number}" for number in chosen], fontsize=8)
    states.set_ylim(len(chosen) - 0.5, -0.5)
    states.grid(visible=False)
    states.set_xlabel("time since the first row (s)")
    states.set_xlim(0, max(float(time.max()), 1e-3))
    legends(figure, windows, chosen)
    figure.suptitle(title(trace, len(chosen), len(numbers)), fontsize=12, parse_math=False)
    return figure


def line(axes: Axes, time: Numbers, values: Numbers, colour: str, dash: Dash = "-", alpha: float | None = None) -> None:
    """Draws a curve that is constant between two rows; of many points, the smallest and the largest of each column."""
    if values.size > MAX_POINTS:
        edges = np.linspace(0, values.size, MAX_POINTS // 2 + 1).astype(int)
        parts = [(begin, end) for begin, end in pairwise(edges) if not np.isnan(values[begin:end]).all()]
        ends = [
            (begin + int(np.nanargmin(values[begin:end])), begin + int(np.nanargmax(values[begin:end])))
            for begin, end in parts
        ]
        drawn = np.array(sorted({row for pair in ends for row in pair}), dtype=int)
        time, values = time[drawn], values[drawn]
    axes.plot(time, values, drawstyle="steps-post", color=colour, linewidth=1.0, linestyle=dash, alpha=alpha)


def strip(axes: Axes, index: int, time: Numbers, states: Numbers) -> None:
    """Draws the states of a connection as coloured bars."""
    changes = np.flatnonzero(np.append(True, states[1:] != states[:-1]))
    ends = np.append(time[changes[1:]], time[-1])
    names = states[changes]
    for name, colour in STATES.items():
        rows = np.flatnonzero(names == name)
        bars = [(float(time[changes[k]]), float(ends[k] - time[changes[k]])) for k in rows]
        # With an edge, a state that is shorter than a line is visible too.
        width = 0.0 if name == "open" else 0.6
        axes.broken_barh(bars, (index - 0.38, 0.76), facecolor=colour, edgecolor=colour, linewidth=width)


def legends(figure: Figure, windows: Axes, chosen: list[int]) -> None:
    """The legends: line styles, connections, and colours of states."""
    kinds: list[Line2D | Patch] = [
        Line2D([], [], color="#333333", linewidth=1.2, label="cwnd"),
        Line2D([], [], color="#333333", linewidth=1.2, linestyle=(0, (1, 1.2)), label="ssthresh"),
    ]
    if len(chosen) > 1:
        kinds += [
            Patch(color=COLOURS[index % len(COLOURS)], label=f"connection {number}")
            for index, number in enumerate(chosen)
        ]
    windows.legend(handles=kinds, loc="upper right", ncols=min(5, len(kinds)), fontsize=8, framealpha=0.85)
    figure.legend(
        handles=[Patch(color=colour, label=name) for name, colour in STATES.items()],
        loc="outside lower center",
        ncols=len(STATES),
        fontsize=8,
        frameon=False,
    )


def title(trace: KernelTrace, drawn: int, seen: int) -> str:
    """The heading: what was traced, and the kernel's version."""
    summary = trace.summary
    kernel = summary["versions"].get("kernel")
    text = one_line(headline(summary) + (f" · Linux {kernel}" if kernel else ""))
    if drawn < seen:
        text += f"\n(the {drawn} connections with most rows)"
    return text
