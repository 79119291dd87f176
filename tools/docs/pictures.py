# SPDX-License-Identifier: MIT OR Apache-2.0
"""The pictures of docs/: each algorithm's window after one loss, and figure 1 of the CUBIC paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import cwnd
from cwnd.plot.draw import COLOURS, DASHES
from tools.plot_style import STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RTT_S = 0.1


@dataclass(frozen=True)
class Trace:
    """A window over time: seconds since the loss was noticed, segments."""

    time: NDArray[np.float64]
    window: NDArray[np.int64]


def after_one_loss(
    name: str, window: int, seconds: float, rate: str | None = None, loss: int = 2, **settings: str | int | bool
) -> Trace:
    """The window of one flow that stands at `window` segments when one packet is lost, RTT 100 ms.

    Without a `rate` the link is so fast that nothing waits; with one its queue holds what the path does.
    """
    # Flow checks its keys itself.
    flow = cwnd.Flow(name, ack_every=1, initial_cwnd=window, initial_ssthresh=window, **settings)  # type: ignore[arg-type]
    result = cwnd.run(
        cwnd.dumbbell(
            [flow],
            rate=rate or "100Gbit/s",
            rtt=f"{RTT_S * 1e3:g}ms",
            buffer="1bdp" if rate else "100000000packets",
            loss=f"at:{loss},{2**60}",
            duration=f"{seconds + 10:g}s",
            interval="25ms",
        )
    )
    reductions = [row["time_s"] for row in result.events.to_pylist() if row["kind"] == "state" and row["value"] >= 3]
    table = result.cwnd
    time = table["time_s"].to_numpy() - reductions[0]
    shown = (time >= -seconds / 20 if rate else time >= -2 * RTT_S) & (time <= seconds)
    return Trace(time[shown], table["cwnd"].to_numpy()[shown].astype(np.int64))


def one_loss(names: list[str], window: int, seconds: float, rate: str | None, loss: int, path: Path) -> None:
    """Draws the sets of one algorithm after one loss."""
    with mpl.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(6, 2.9), layout="constrained")
        top = float(window)
        for index, name in enumerate(names):
            trace = after_one_loss(name, window, seconds, rate, loss)
            top = max(top, min(trace.window.max(), 2 * window))
            axes.plot(
                trace.time,
                trace.window,
                color=COLOURS[index % len(COLOURS)],
                linestyle=DASHES[index % len(DASHES)],
                linewidth=1.4,
                label=name,
            )
        if rate is None:
            axes.axhline(window, color="#777777", linewidth=0.8, linestyle=(0, (1, 2)), label="window at the loss")
        axes.set(xlabel="time since the loss was noticed (s)", ylabel="cwnd (segments)", ylim=(0, 1.08 * top))
        axes.set_xlim(right=seconds)
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(handles)), fontsize=8)
        save(figure, path, dpi=100)
        plt.close(figure)


def figure_1(path: Path) -> None:
    """Ha, Rhee and Xu (2008), figure 1: the growth functions of BIC and CUBIC, simulated."""
    window, kept = 1000, 0.8
    with mpl.rc_context(STYLE):
        figure, both = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        bic = after_one_loss("bic", window, 11.0)
        cubic = after_one_loss("cubic-2.2", window, 17.0)
        plateau = kept_at(bic, window)
        growth(both[0], bic, plateau, "(a) BIC")
        mark(both[0], bic, 840, "additive\nincrease", (0.8, 805), "left")
        mark(both[0], bic, 998, "binary search", (3.4, 955), "left")
        mark(both[0], bic, 1060, "max probing", (8.2, 1120), "right")
        growth(both[1], cubic, plateau, "(b) CUBIC (2.2)")
        k = ((window * (1 - kept)) / 0.4) ** (1 / 3)
        time = np.linspace(0, 17, 200)
        curve = 0.4 * (time - RTT_S - k) ** 3 + plateau  # the epoch begins when the repair is over
        both[1].plot(time, curve, color="#000000", linewidth=0.9, linestyle=(0, (2, 2)), label="C(t − K)³ + W_max")
        both[1].axvline(k + RTT_S, color="#777777", linewidth=0.8, linestyle=(0, (1, 2)))
        both[1].annotate("K", (k + RTT_S, 775), xytext=(4, 0), textcoords="offset points", color="#555555")
        mark(both[1], cubic, 880, "concave", (3.2, 850), "left")
        mark(both[1], cubic, 1080, "max probing,\nconvex", (11.4, 1180), "right")
        for axes in both:
            axes.set_ylim(760, 1300)
            axes.legend(loc="upper left", fontsize=8)
        save(figure, path, dpi=110)
        plt.close(figure)


def kept_at(trace: Trace, window: int) -> int:
    """The window that the loss was noticed at: that of the last sample before it, or the one it started with."""
    before = trace.window[trace.time < 0]
    return int(before[-1]) if before.size else window


def growth(axes: Axes, trace: Trace, plateau: int, title: str) -> None:
    """A growth function with its W_max."""
    axes.plot(trace.time, trace.window, color=COLOURS[1], linewidth=1.6, label="simulated")
    axes.axhline(plateau, color="#777777", linewidth=0.8, linestyle=(0, (1, 2)), label="W_max")
    axes.set(xlabel="time since the loss was noticed (s)", ylabel="cwnd (segments)", title=title)
    axes.set_xlim(0, trace.time[-1])


def mark(axes: Axes, trace: Trace, window: int, text: str, at: tuple[float, float], side: str) -> None:
    """Writes the label at the point where the window is reached."""
    time = trace.time[(trace.time > 0) & (trace.window >= window)][0]
    arrow = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.8}
    axes.annotate(text, (time, window), xytext=at, ha=side, va="center", arrowprops=arrow, color="#333333")


def save(figure: Figure, path: Path, dpi: int) -> None:
    """A picture without date or version inside: the same run gives the same bytes."""
    figure.savefig(path, dpi=dpi, metadata={"Software": "cwnd"})
