# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tahoe and CUBIC on a "high BDP network": read as 100 Mbit/s and 88 ms each way, as the post gives no numbers."""

from __future__ import annotations

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.shanker.setups import HIGH, shared_link
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "Tahoe and CUBIC on a long fat link of 100 Mbit/s, 88 ms each way"
CUBIC = "cubic-2.2"


def grid(setup: Setup) -> list[Point]:
    seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=4)
    return [Point("both", shared_link([setup.cubic, "tahoe"], seconds, HIGH), seeds=seeds)]


def reduce(run: Result, point: Point) -> Reduced:
    cubic, tahoe = (flow["throughput_mbps"] for flow in run.summary["flows"])
    return {"cubic": cubic, "tahoe": tahoe, "cwnd": list(curves(run.cwnd, np.arange(0, 300, 1.0)).values())}


def claims(results: Results) -> dict[str, Answer]:
    return {"ratio": Measured(results.at("both", lambda run: run["cubic"] / run["tahoe"]))}


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    looks = (("CUBIC", "#D55E00", "-"), ("Tahoe", "#0072B2", (0, (4, 1.2))))
    for window, (label, colour, dash) in zip(results["both"][0]["cwnd"], looks):
        axes.plot(np.arange(0, 300, 1.0), window, color=colour, linestyle=dash, linewidth=1.1, label=label)
    axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, 300), ylim=(0, None))
    axes.legend(ncols=2)
