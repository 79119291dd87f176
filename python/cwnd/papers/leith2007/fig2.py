# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.metrics.run import converged
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

#: Unstated: the first flow is alone for this long, long enough to have lost packets; its position in the epoch is then random.
ALONE = {"uniform": ["100s", "150s"]}
RATES = (10, 250, 500)
#: Against phase effects: hosts add up to one packet's time at the bottleneck, at random, before each packet.
OVERHEAD_US = {rate: 12_000 // rate for rate in RATES}
#: Unstated. In the shortened run, the two flows converge at 250 Mbit/s, and have not yet converged at 500.
FULL_S, SHORT_S = 3000, {10: 1500, 250: 1200, 500: 900}


@dataclass(frozen=True, slots=True)
class Fig2Numbers:
    """What a run is reduced to."""

    converged_s: float
    time_s: list[float]
    cwnd: list[list[float]]


class Fig2(Experiment[Fig2Numbers]):
    """Figure 2: convergence of two CUBIC flows, of which the second starts later, at 10, 250 and 500 Mbit/s.

    Round trip 200 ms, queue of one BDP, no web traffic. "Slow convergence, prolonged unfairness": it slows as the BDP grows, and often takes
    more than 300 s; read: at 250 and 500 Mbit/s. Left open: when the second flow starts, and how often it was run.
    """

    title = "Two CUBIC flows, the second later: convergence at 10, 250 and 500 Mbit/s, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        ends = {rate: setup.seconds(full=FULL_S, short=SHORT_S[rate]) for rate in RATES}
        hosts = {rate: {"cc": setup.cubic, "overhead": f"{OVERHEAD_US[rate]}us"} for rate in RATES}
        return [
            Point(
                str(rate),
                {
                    "duration": f"{ends[rate]:g}s",
                    "link": {"rate": f"{rate}Mbit/s", "rtt": "200ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                    "flow": [hosts[rate], {**hosts[rate], "start": ALONE}],
                    "record": {"interval": "1s"},
                },
                seeds=setup.seeds(full=10, short=3 if rate < 500 else 2),
                info={"rate": rate},
            )
            for rate in RATES
        ]

    def reduce(self, run: Result, point: Point) -> Fig2Numbers:
        every = np.arange(0, run.scenario.duration_s, 2)
        windows = curves(run.cwnd, every).values()
        return Fig2Numbers(
            converged_s=converged(run), time_s=every.tolist(), cwnd=[window.round(1).tolist() for window in windows]
        )

    def claims(self, results: Results[Fig2Numbers]) -> dict[str, Answer]:
        note = "never: not within the run; the times are then medians over the seeds"
        times = {key: results.values(key, "converged_s") for key in results}
        return {
            "slows-with-bdp": Measured(times, note),
            "above-300s-250": Measured(times["250"], note),
            "above-300s-500": Measured(times["500"], note),
        }

    def plot(self, results: Results[Fig2Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 7.2)
        shown = min(results[key][0].time_s[-1] for key in results)
        for axes, key in zip(figure.subplots(3, 1, sharex=True), results):
            run = results[key][0]
            for number, window in enumerate(run.cwnd):
                axes.plot(run.time_s, window, label=f"flow {number + 1}", linewidth=1.1)
            settled = [value for time, value in zip(run.time_s, run.cwnd[0]) if time > 20]
            axes.set(title=f"{key} Mbit/s", ylabel="cwnd (packets)", xlim=(0, shown), ylim=(0, 1.1 * max(settled)))
        axes.set_xlabel("time (s)")
        figure.axes[0].legend(ncols=2)
