# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import unsynchronised
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup


@dataclass(frozen=True, slots=True)
class Fig10Numbers:
    """What a run is reduced to."""

    excursion: list[float]
    cwnd_cv: list[float]
    rate_cv: list[float]
    cwnd: list[list[float]]


class Fig10(Experiment[Fig10Numbers]):
    """Figure 10: large excursions of a CUBIC window where drops are not synchronised, which the throughput hardly shows.

    Set-up as of figure 6 (three long flows, 25 on-off sessions, 250 Mbit/s, 200 ms, one BDP of buffer). Left open: whether figure 10 has
    that set-up, and the time scale of "throughput": here one second, for window and throughput.
    """

    title = "Excursions of CUBIC's windows among on-off sessions, 250 Mbit/s, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=3600, short=900), setup.seeds(full=5, short=3)
        return [Point("CUBIC", unsynchronised({"cc": setup.cubic}, seconds), seeds=seeds)]

    def reduce(self, run: Result, point: Point) -> Fig10Numbers:
        seconds = np.arange(run.scenario.measured_s[0], run.scenario.duration_s)
        windows = list(curves(run.cwnd, seconds).values())[:3]
        rates = [np.diff(sent) for sent in list(curves(run.cwnd, seconds, "forwarded").values())[:3]]
        return Fig10Numbers(
            excursion=[float(window.max() / window.mean()) for window in windows],
            cwnd_cv=[float(window.std(ddof=1) / window.mean()) for window in windows],
            rate_cv=[float(rate.std(ddof=1) / rate.mean()) for rate in rates],
            cwnd=[window[::2].tolist() for window in windows],
        )

    def claims(self, results: Results[Fig10Numbers]) -> dict[str, Answer]:
        return {
            "excursions": Measured(
                results.at("CUBIC", lambda run: sum(run.excursion) / 3), "mean over the three flows"
            ),
            "throughput-steadier": Measured(
                results.at("CUBIC", lambda run: sum(run.rate_cv) / sum(run.cwnd_cv)), "means over the three flows"
            ),
        }

    def plot(self, results: Results[Fig10Numbers], figure: Figure) -> None:
        from cwnd.plot import COLOURS, DASHES

        axes = figure.subplots()
        for number, window in enumerate(results["CUBIC"][0].cwnd):
            times = 100 + 2 * np.arange(len(window))
            axes.plot(
                times, window, color=COLOURS[number], linestyle=DASHES[number], linewidth=1, label=f"flow {number + 1}"
            )
        axes.set(xlabel="time (s)", ylabel="cwnd (packets)", ylim=(0, None))
        axes.legend(ncols=3)
