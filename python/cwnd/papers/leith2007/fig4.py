# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics import Rates, convergence_time, rates
from cwnd.metrics.run import DEFAULT, converged
from cwnd.papers.leith2007.setups import testbed, two_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup, Undecidable

if TYPE_CHECKING:
    from numpy.typing import NDArray

CASES = {"web": "200 web flows", "synchronised": "no web traffic"}


@dataclass(frozen=True, slots=True)
class Fig4Numbers:
    """What a run is reduced to."""

    converged_s: float
    mbps: list[list[float]]


def ensemble(results: Results[Fig4Numbers], key: str) -> NDArray[np.float64]:
    """Mean over the runs of both throughputs, every 10 s after the second start, up to the end of the shortest run."""
    shortest = min(len(run.mbps[0]) for run in results[key])
    runs = np.array([[flow[:shortest] for flow in run.mbps] for run in results[key]], np.float64)
    return np.asarray(runs.mean(axis=0), np.float64)


class Fig4(Experiment[Fig4Numbers]):
    """Figure 4: with 200 web flows, 100 each way, the ensemble mean converges as slowly as in the synchronised case.

    250 Mbit/s, 200 ms, queue of one BDP, the second flow later; 25 runs in the text, 20 in the caption. Each time after the second start is the mean over
    all runs; the synchronised case (no web traffic) is treated in the same way. Left open: when the second flow starts, and what convergence is.
    """

    title = "Two CUBIC flows, the second later, with 200 web flows: mean over the runs, 250 Mbit/s"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        plain = testbed(250, setup.seconds(full=1500, short=1150), two_flows(setup.cubic))
        seeds = setup.seeds(full=25, short=5)
        web = {**plain, "traffic": [{"preset": "leith2007-fig4"}]}
        return [Point("web", web, seeds=seeds), Point("synchronised", plain, seeds=seeds)]

    def reduce(self, run: Result, point: Point) -> Fig4Numbers:
        since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s
        mean_rates = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=10, begin_s=since, end_s=end)
        return Fig4Numbers(
            converged_s=converged(run), mbps=[mean_rates.mbps[flow].round(3).tolist() for flow in (0, 1)]
        )

    def claims(self, results: Results[Fig4Numbers]) -> dict[str, Answer]:
        times = {}
        for key in CASES:
            mean = Rates(0, DEFAULT.interval_s, (0, 1), ensemble(results, key))
            time_s = convergence_time(mean, delta=DEFAULT.delta, hold_s=DEFAULT.hold_s, since_s=0).value
            times[key] = math.inf if time_s is None else time_s
        if math.isinf(times["synchronised"]):
            return {"ensemble-as-slow": Undecidable("the synchronised case does not converge within the run")}
        single = ", ".join(f"{label} {median(results.values(key, 'converged_s')):g} s" for key, label in CASES.items())
        note = f"{times['web']:g} s over {times['synchronised']:g} s; medians of the single runs: {single}"
        return {"ensemble-as-slow": Measured(times["web"] / times["synchronised"], note)}

    def plot(self, results: Results[Fig4Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        panels = figure.subplots(2, 1, sharex=True)
        for axes, (key, title) in zip(panels, CASES.items()):
            for number, (mbps, dash) in enumerate(zip(ensemble(results, key), ("-", (0, (4, 1.2))))):
                axes.plot(10 * np.arange(len(mbps)) + 5, mbps, linestyle=dash, label=f"flow {number + 1}")
            axes.set(title=title, ylabel="throughput (Mbit/s)", ylim=(0, 260), xlim=(0, None))
        panels[1].set_xlabel("time after the second start (s)")
        panels[0].legend()
