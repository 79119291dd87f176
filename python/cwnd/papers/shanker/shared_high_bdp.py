# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.shanker.setups import HIGH, shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup


@dataclass(frozen=True, slots=True)
class SharedHighBdpNumbers:
    """What a run is reduced to."""

    cubic: float
    tahoe: float
    cwnd: list[list[float]]


class SharedHighBdp(Experiment[SharedHighBdpNumbers]):
    """Tahoe and CUBIC on a "high BDP network": read as 100 Mbit/s and 88 ms each way, as the post gives no numbers."""

    title = "Tahoe and CUBIC on a long fat link of 100 Mbit/s, 88 ms each way"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=4)
        return [Point("both", shared_link([setup.cubic, "tahoe"], seconds, HIGH), seeds=seeds)]

    def reduce(self, run: Result, point: Point) -> SharedHighBdpNumbers:
        cubic, tahoe = (flow["throughput_mbps"] for flow in run.summary["flows"])
        return SharedHighBdpNumbers(
            cubic=cubic,
            tahoe=tahoe,
            cwnd=[window.tolist() for window in curves(run.cwnd, np.arange(0, 300, 1.0)).values()],
        )

    def claims(self, results: Results[SharedHighBdpNumbers]) -> dict[str, Answer]:
        return {"ratio": Measured(results.at("both", lambda run: run.cubic / run.tahoe))}

    def plot(self, results: Results[SharedHighBdpNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        looks = (("CUBIC", "#D55E00", "-"), ("Tahoe", "#0072B2", (0, (4, 1.2))))
        for window, (label, colour, dash) in zip(results["both"][0].cwnd, looks):
            axes.plot(np.arange(0, 300, 1.0), window, color=colour, linestyle=dash, linewidth=1.1, label=label)
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, 300), ylim=(0, None))
        axes.legend(ncols=2)
