# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 10: large excursions of a CUBIC window where drops are not synchronised, and how little of them the throughput shows.

Set-up as of figure 6 (three long flows, 25 on-off sessions, 250 Mbit/s, 200 ms, one BDP of buffer). Left open: whether figure 10 has
that set-up, and the time scale of "throughput": here a second, for window and throughput.
"""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.leith2007._long_flows import unsynchronised
from cwnd.metrics import curves

TITLE = "Excursions of CUBIC's windows among on-off sessions, 250 Mbit/s, 200 ms"
CUBIC, SECOND = "cubic-2.0", "cubic-2.6.18"


def grid(setup: Setup) -> list[Point]:
    seconds, seeds = setup.seconds(full=3600, short=900), setup.seeds(full=5, short=3)
    return [Point("CUBIC", unsynchronised({"cc": setup.cubic}, seconds), seeds=seeds)]


def reduce(run: Result, point: Point) -> Reduced:
    seconds = np.arange(run.scenario.measured_s[0], run.scenario.duration_s)
    windows = list(curves(run.cwnd, seconds).values())[:3]
    rates = [np.diff(sent) for sent in list(curves(run.cwnd, seconds, "forwarded").values())[:3]]
    return {
        "excursion": [float(window.max() / window.mean()) for window in windows],
        "cwnd_cv": [float(window.std(ddof=1) / window.mean()) for window in windows],
        "rate_cv": [float(rate.std(ddof=1) / rate.mean()) for rate in rates],
        "cwnd": [window[::2] for window in windows],
    }


def claims(results: Results) -> dict[str, Answer]:
    return {
        "excursions": Measured(results.at("CUBIC", lambda run: sum(run["excursion"]) / 3), "mean over the three flows"),
        "throughput-steadier": Measured(
            results.at("CUBIC", lambda run: sum(run["rate_cv"]) / sum(run["cwnd_cv"])), "means over the three flows"
        ),
    }


def plot(results: Results, figure: Figure) -> None:
    from cwnd.plot import COLOURS, DASHES

    axes = figure.subplots()
    for number, window in enumerate(results["CUBIC"][0]["cwnd"]):
        times = 100 + 2 * np.arange(len(window))
        axes.plot(
            times, window, color=COLOURS[number], linestyle=DASHES[number], linewidth=1, label=f"flow {number + 1}"
        )
    axes.set(xlabel="time (s)", ylabel="cwnd (packets)", ylim=(0, None))
    axes.legend(ncols=3)


WHY = {
    "excursions": (
        "Over 900 s the largest window is 1.3 to 1.4 times the mean (three seeds, three flows each: 1.29 to 1.53), over an hour (two seeds, with CUBIC 2.0's clamp of 160 packets a second) 1.3 to 1.6: "
        "a rare event, whose size grows with the length of the run, and the document's hour is about where the bound is. H-TCP with backoff 0.8 comes to 1.6 to 2.0, with its own to 2.0 to 2.7."
    ),
    "throughput-steadier": (
        "Both vary alike: the coefficient of variation of the windows is 0.11 to 0.19, that of the throughput, over one second, 0.12 to 0.19 (three seeds, three flows each). What throughput varies by from second to "
        "second is mostly the sessions' traffic. With the printed clamp of 20 packets a second the windows vary more (0.10 to 0.23) and throughput less (0.10 to 0.13), and the claim holds: its flows drift apart for minutes."
    ),
}
