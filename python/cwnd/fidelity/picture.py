# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws the first run of each lane: windows and queue of the simulator and of the kernel on one time axis."""

from __future__ import annotations

import hashlib
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from cwnd.fidelity.documents import outcome
from cwnd.fidelity.runner import Fidelity
from cwnd.plot import COLOURS, STYLE, save
from cwnd.result.result import Result

#: Flows whose windows are drawn.
MOST_FLOWS = 4


def draw(fidelity: Fidelity, path: Path) -> None:
    """Draws the picture to a file."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": "cwnd"}):
        figure = Figure(figsize=(9, 6), layout="constrained")
        FigureCanvasAgg(figure)
        above, below = figure.subplots(2, 1, sharex=True)
        lanes: list[tuple[Result, str, str]] = [
            (fidelity.simulated, "simulator", "--"),
            (fidelity.measured, "Linux", "-"),
        ]
        flows = fidelity.measured.summary["flows"]
        shown = [number for number, flow in enumerate(flows) if flow["cwnd_mean"] > 0][:MOST_FLOWS]
        top = 0.0
        for result, lane, style in lanes:
            windows, queue = result.cwnd, result.queue
            for place, number in enumerate(shown):
                mine = windows["flow"].to_numpy() == number
                cwnd = windows["cwnd"].to_numpy()[mine]
                top = max(top, float(cwnd.max(initial=0)))
                above.plot(
                    windows["time_s"].to_numpy()[mine],
                    cwnd,
                    style,
                    color=COLOURS[place % len(COLOURS)],
                    linewidth=1.2,
                    label=f"{flows[number]['name']}, {lane}",
                )
            first = queue["link"].to_numpy() == 0
            below.plot(
                queue["time_s"].to_numpy()[first],
                queue["packets"].to_numpy()[first],
                style,
                color="#333333",
                linewidth=1.0,
                label=lane,
            )
        above.set(ylabel="cwnd (segments)", ylim=(0, top * 1.15 or 1))
        below.set(ylabel="queue (packets)", xlabel="time (s)", ylim=(0, None))
        if shown:
            above.legend(loc="upper right", fontsize=8, ncols=2)
        below.legend(loc="upper right", fontsize=8)
        figure.suptitle(f"{fidelity.scenario.name}: {outcome(fidelity.document())}", fontsize=11)
        digest = hashlib.sha256(fidelity.scenario.to_json().encode()).hexdigest()[:16]
        save(figure, path, digest)
