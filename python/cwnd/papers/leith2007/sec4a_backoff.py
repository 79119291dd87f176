# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section IV.A: a backoff factor of 0.8 in place of 0.5 releases bandwidth more slowly, which slows convergence.

Two flows, the second later, as in figure 2. Left open: rates, how often.
"""

from __future__ import annotations

import numpy as np

from cwnd.metrics import rates
from cwnd.metrics.run import converged
from cwnd.papers.leith2007.setups import testbed, two_flows
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "Two CUBIC flows, the second later: backoff factors 0.8 and 0.5"
CUBIC, SECOND = "cubic-2.0", "cubic-2.6.18"
#: Unstated: two of figure 2's rates, Mbit/s.
RATES, FACTORS = (10, 250), (0.8, 0.5)


def grid(setup: Setup) -> list[Point]:
    end = setup.seconds(full=3000, short=1500)
    return [
        Point(
            f"{factor}, {rate}",
            testbed(rate, end, two_flows(setup.cubic, beta=factor)),
            seeds=setup.seeds(full=10, short=3),
            info={"factor": factor, "rate": rate},
        )
        for rate in RATES
        for factor in FACTORS
    ]


def reduce(run: Result, point: Point) -> Reduced:
    since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s
    mbps = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=10, begin_s=since, end_s=end).mbps
    # Not converged within the run: it took longer than what was left of it.
    return {"seconds": min(converged(run), end - since), "share": (mbps[1] / mbps.sum(axis=0)).round(4)}


def claims(results: Results) -> dict[str, Answer]:
    ratios = {f"{rate} Mbit/s": results.ratio(f"0.8, {rate}", f"0.5, {rate}", "seconds") for rate in RATES}
    return {"slower": Measured(ratios, "a run that does not converge counts with its whole length")}


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 6.0)
    panels = figure.subplots(2, 1, sharex=True)
    for axes, rate in zip(panels, RATES):
        for factor, dash in zip(FACTORS, ("-", (0, (4, 1.2)))):
            share = 100 * np.array(results[f"{factor}, {rate}"][0]["share"])
            axes.plot(10 * np.arange(len(share)) + 5, share, linestyle=dash, label=f"backoff factor {factor}")
        axes.set(title=f"{rate} Mbit/s", ylabel="second flow's share (%)", ylim=(0, 100), xlim=(0, None))
        axes.axhline(50, color="0.5", linewidth=0.8)
    panels[1].set_xlabel("time after the second start (s)")
    panels[0].legend(ncols=2)
