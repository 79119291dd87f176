# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, min_max_ratio, rates
from cwnd.papers.leith2007.setups import testbed, two_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

RATES = (10, 250, 500)
#: Unstated: measured from here on, s after the second start.
SETTLED_S = 600


@dataclass(frozen=True, slots=True)
class Fig3Numbers:
    """What a run is reduced to."""

    settled: float
    whole: float
    time_s: list[float]
    cwnd: list[list[float]]


class Fig3(Experiment[Fig3Numbers]):
    """Figure 3: over a sufficiently long period two CUBIC flows get about the same throughput.

    Left open: everything (the caption is lost). So this is the set-up of figure 2, for half an hour (short) or two hours, measured from 600 s after
    the second start: long after the 300 s that convergence is said to exceed often.
    """

    title = "Two CUBIC flows, the second later: long-term throughput at 10, 250 and 500 Mbit/s"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=7200, short=1800)
        return [
            Point(
                str(rate),
                testbed(rate, end, two_flows(setup.cubic)),
                seeds=setup.seeds(full=5, short=2 if rate < 500 else 1),
            )
            for rate in RATES
        ]

    def reduce(self, run: Result, point: Point) -> Fig3Numbers:
        since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s

        def ratio(begin: float) -> float:
            got = rates(
                run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=end - begin, begin_s=begin, end_s=end
            )
            return min_max_ratio(got.mbps[:, 0]).value or 0.0

        every = np.arange(0, end, 5)
        windows = [window.round(1).tolist() for window in curves(run.cwnd, every).values()]
        return Fig3Numbers(settled=ratio(since + SETTLED_S), whole=ratio(since), time_s=every.tolist(), cwnd=windows)

    def claims(self, results: Results[Fig3Numbers]) -> dict[str, Answer]:
        whole = ", ".join(f"{results.mean(key, 'whole'):.2f} at {key} Mbit/s" for key in results)
        note = f"from {SETTLED_S} s after the second start; from the second start: {whole}"
        return {"long-term-equal": Measured({f"{key} Mbit/s": results.values(key, "settled") for key in results}, note)}

    def plot(self, results: Results[Fig3Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 7.2)
        for axes, key in zip(figure.subplots(3, 1, sharex=True), results):
            run = results[key][0]
            for number, (window, dash) in enumerate(zip(run.cwnd, ("-", (0, (4, 1.2))))):
                axes.plot(run.time_s, window, linestyle=dash, linewidth=0.9, label=f"flow {number + 1}")
            settled = [value for time, value in zip(run.time_s, run.cwnd[0]) if time > 20]
            axes.set(
                title=f"{key} Mbit/s", ylabel="cwnd (packets)", xlim=(0, run.time_s[-1]), ylim=(0, 1.1 * max(settled))
            )
        axes.set_xlabel("time (s)")
        figure.axes[0].legend(ncols=2)
