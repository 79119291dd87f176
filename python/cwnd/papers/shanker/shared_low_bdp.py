# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.shanker.setups import shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup


@dataclass(frozen=True, slots=True)
class SharedLowBdpNumbers:
    """What a run is reduced to."""

    cubic: float
    tahoe: float
    cwnd: list[list[float]]


class SharedLowBdp(Experiment[SharedLowBdpNumbers]):
    """Tahoe and CUBIC on one link, compared with each of them alone: read as the link of 2.64 Mbit/s and 88 ms.

    In the post, Tahoe falls below and CUBIC rises above its throughput alone. Left open: see `setups.py`.
    """

    title = "Tahoe and CUBIC on one link of 2.64 Mbit/s, 88 ms each way, and each alone"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=8)
        sides = {"cubic": [setup.cubic], "tahoe": ["tahoe"], "both": [setup.cubic, "tahoe"]}
        return [Point(name, shared_link(flows, seconds), seeds=seeds) for name, flows in sides.items()]

    def reduce(self, run: Result, point: Point) -> SharedLowBdpNumbers:
        rates = [flow["throughput_mbps"] for flow in run.summary["flows"]]
        cubic, tahoe = rates if point.key == "both" else (rates[0], rates[0])
        windows = curves(run.cwnd, np.arange(0, 120, 0.25)).values()
        return SharedLowBdpNumbers(cubic=cubic, tahoe=tahoe, cwnd=[window.tolist() for window in windows])

    def claims(self, results: Results[SharedLowBdpNumbers]) -> dict[str, Answer]:
        return {
            "tahoe-falls": Measured(results.ratio("both", "tahoe", "tahoe")),
            "cubic-rises": Measured(results.ratio("both", "cubic", "cubic")),
        }

    def plot(self, results: Results[SharedLowBdpNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        times = np.arange(0, 120, 0.25)
        looks = (("CUBIC", "#D55E00", "-"), ("Tahoe", "#0072B2", (0, (4, 1.2))))
        for window, (label, colour, dash) in zip(results["both"][0].cwnd, looks):
            axes.plot(times, window, color=colour, linestyle=dash, linewidth=1.1, label=label)
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, 120), ylim=(0, None))
        axes.legend(ncols=2)
