# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, jain, smoothness
from cwnd.metrics.run import converged, defined
from cwnd.papers.ha2008.setups.testbed import OVERHEAD, background
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.iperf import shares
from cwnd.reproduce.numbers import JsonObject

#: Unstated: all start within a second, and the first 20 s are not measured.
START, WARM_UP_S = {"uniform": ["0s", "1s"]}, 20
#: "A short period of time", as we read it.
SOON_S = 60
#: "Very smooth", as we read it: from one second's mean to the next no window changes by more than a reduction to 0.8 does.
SMOOTH = 1.25


@dataclass(frozen=True, slots=True)
class Fig6Numbers:
    """What a run is reduced to."""

    cubic: float
    sack: float
    jain: float
    converged_s: float
    smoothness: float
    cwnd: list[list[float]]


class Fig6(Experiment[Fig6Numbers]):
    """Figure 6: four CUBIC and four SACK flows on 400 Mbit/s, 40 ms, a buffer of one BDP.

    The four CUBIC flows converge "nicely within a short period of time", with smooth windows; the link is used to about 95 %, 72 % of it by
    CUBIC, 23 % by SACK: read as iperf's numbers, which are payload. 72 + 23 leaves no capacity for the 15 % of background traffic of section 6.1, so
    the experiment runs without and with it. Left open: background, duration, start times, and what short and smooth mean.
    """

    title = "Four CUBIC and four SACK flows, 400 Mbit/s, 40 ms, without and with background traffic"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=300, short=150), setup.seeds(full=10, short=6)
        scenario: JsonObject = {
            "duration": f"{end:g}s",
            "measure": [f"{WARM_UP_S}s", f"{end:g}s"],
            "link": {"rate": "400Mbit/s", "rtt": "40ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
            "flow": [{"cc": name, "count": 4, "start": START, "overhead": OVERHEAD} for name in (setup.cubic, "sack")],
        }
        busy: JsonObject = {**scenario, "traffic": background()}
        return [Point("alone", scenario, seeds=seeds), Point("background", busy, seeds=seeds)]

    def reduce(self, run: Result, point: Point) -> Fig6Numbers:
        flows, (begin, end), flow_shares = run.summary["flows"], run.scenario.measured_s, shares(run)
        tenths = curves(run.cwnd, np.arange(0, end, 0.1)).values()
        seconds = [window.reshape(-1, 10).mean(axis=1) for window in tenths]
        changes = [smoothness(window[int(begin) :]).value for window in seconds[:4]]
        return Fig6Numbers(
            cubic=sum(flow_shares[:4]),
            sack=sum(flow_shares[4:]),
            jain=defined(jain([flow["throughput_mbps"] for flow in flows[:4]])),
            converged_s=converged(run, [0, 1, 2, 3]),
            smoothness=max(np.inf if change is None else change for change in changes),
            cwnd=[window.round(1).tolist() for window in seconds],
        )

    def claims(self, results: Results[Fig6Numbers]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for key, suffix in (("alone", ""), ("background", "-background")):
            converged, smooth = results.values(key, "converged_s"), results.values(key, "smoothness")
            answers |= {
                f"total{suffix}": Measured(results.at(key, lambda run: run.cubic + run.sack)),
                f"cubic-share{suffix}": Measured(results.values(key, "cubic")),
                f"sack-share{suffix}": Measured(results.values(key, "sack")),
                f"cubic-converge{suffix}": Holds(
                    f"within {SOON_S} s of the last start, 10 s means come within 20 % of each other and stay so for 60 s",
                    [time <= SOON_S for time in converged],
                    converged,
                    within=(None, SOON_S),
                ),
                f"cubic-jain{suffix}": Measured(results.values(key, "jain")),
                f"smooth-windows{suffix}": Holds(
                    f"no CUBIC window's one-second mean changes by more than {SMOOTH}-fold from one second to the next",
                    [change <= SMOOTH for change in smooth],
                    smooth,
                    within=(None, SMOOTH),
                ),
            }
        return answers

    def plot(self, results: Results[Fig6Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        windows = results["background"][0].cwnd
        for number, window in enumerate(windows):
            label = {0: "CUBIC (4 flows)", 4: "TCP-SACK (4 flows)"}.get(number)
            colour, dash = ("#D55E00", "-") if number < 4 else ("#0072B2", (0, (4, 1.2)))
            axes.plot(window, color=colour, linestyle=dash, linewidth=1, label=label)
        settled = max(max(window[WARM_UP_S:]) for window in windows)
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, None), ylim=(0, 1.1 * settled))
        axes.legend(ncols=2)
