# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd._internal.json_types import number
from cwnd.metrics import curves, rates
from cwnd.metrics.run import converged
from cwnd.metrics.trace import near_last_maximum
from cwnd.papers.rhee2005.setups.simulation import background, host_flow
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

RATE_MBPS, RTT_MS = 500, 100
LABELS = ("CUBIC 1", "CUBIC 2", "TCP-SACK 1", "TCP-SACK 2")
#: Unstated: a buffer of one BDP as in section III; the second CUBIC flow starts 50 s later, or there would be no convergence; SACK starts with the first.
LIMIT, STARTS = "1bdp", ("0s", "50s", "0s", "0s")
#: Unstated: the first 50 s, with one CUBIC flow, are not measured.
WARM_UP_S = 50
#: Plateaus: this much of the time above this part of W_max, the window before the last reduction. Smooth: one reduction to 0.8 within a second.
FLAT, PART, SMOOTH = 0.7, 0.9, 1.25
#: Seconds after the second flow's start that smoothness leaves out: its slow start.
SLOW_START_S = 10


@dataclass(frozen=True, slots=True)
class Fig3_4Numbers:
    """What a run is reduced to."""

    cubic: float
    sack: float
    utilisation: float
    converged_s: float
    smooth: float
    largest_change: float
    plateau: float
    cwnd: list[list[float]]


class Fig3_4(Experiment[Fig3_4Numbers]):
    """Figures 3 and 4: windows of two CUBIC and two SACK flows, 500 Mbit/s, 100 ms, with background traffic in both directions.

    The CUBIC windows have plateaus around W_max; the two flows converge "nicely around 220 seconds", very smooth; 98 % of the link is used: 78 % by
    CUBIC, 11 % by SACK, 9 % by the background. Left open: buffer, start times, duration, background, and what plateaus and smooth mean.
    """

    title = "Two CUBIC and two SACK flows, 500 Mbit/s, 100 ms, with background traffic"
    cubic = "cubic-2005"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=600, short=350)
        algorithms = (setup.cubic, setup.cubic, "sack", "sack")
        scenario: JsonObject = {
            "duration": f"{end:g}s",
            "measure": [f"{WARM_UP_S}s", f"{end:g}s"],
            "link": {"rate": f"{RATE_MBPS}Mbit/s", "rtt": f"{RTT_MS}ms", "queue": {"kind": "droptail", "limit": LIMIT}},
            "flow": [host_flow(cc, RATE_MBPS, start=start) for cc, start in zip(algorithms, STARTS)],
            "traffic": background(),
        }
        return [Point("two and two", scenario, seeds=setup.seeds(full=10, short=2))]

    def reduce(self, run: Result, point: Point) -> Fig3_4Numbers:
        shares = [number(flow, "share") for flow in run.summary["flows"]]
        begin, end = run.scenario.measured_s
        settled, size = begin + SLOW_START_S, run.scenario.packet_bytes
        mbps = rates(run.cwnd, packet_bytes=size, interval_s=1, begin_s=settled, end_s=end).mbps[:2]
        changes = np.maximum(mbps[:, 1:], mbps[:, :-1]) / np.maximum(1e-9, np.minimum(mbps[:, 1:], mbps[:, :-1]))
        flat = [
            near_last_maximum(run.cwnd, run.events, flow, part=PART, begin_s=WARM_UP_S, end_s=end) for flow in (0, 1)
        ]
        return Fig3_4Numbers(
            cubic=sum(shares[:2]),
            sack=sum(shares[2:4]),
            utilisation=number(run.summary["link"], "utilization"),
            converged_s=converged(run, [0, 1]),
            smooth=float((changes <= SMOOTH).mean(axis=1).mean()),
            largest_change=float(changes.max()),
            plateau=float(np.mean(flat)),
            cwnd=[window.round(1).tolist() for window in curves(run.cwnd, np.arange(0, end, 1)).values()][:4],
        )

    def claims(self, results: Results[Fig3_4Numbers]) -> dict[str, Answer]:
        key = "two and two"
        changes, flat = results.values(key, "largest_change"), results.values(key, "plateau")
        return {
            "plateaus": Holds(
                f"at least {100 * FLAT:.0f} % of the time the window is above {PART} of that before the last reduction",
                [part >= FLAT for part in flat],
                flat,
                within=(FLAT, None),
            ),
            "convergence-time": Measured(results.values(key, "converged_s"), "From the second flow's start."),
            "smooth": Holds(
                f"from {SLOW_START_S} s after the second start on, from one second to the next, neither flow's throughput changes by more than a factor of {SMOOTH}",
                [change <= SMOOTH for change in changes],
                changes,
                within=(None, SMOOTH),
            ),
            "utilisation": Measured(results.values(key, "utilisation")),
            "cubic-share": Measured(results.values(key, "cubic")),
            "sack-share": Measured(results.values(key, "sack")),
            "background-share": Measured(results.at(key, lambda run: run.utilisation - run.cubic - run.sack)),
        }

    def plot(self, results: Results[Fig3_4Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 7)
        run = results["two and two"][0]
        for axes, until in zip(figure.subplots(2, 1), (100, len(run.cwnd[0]))):
            for window, label, dash in zip(run.cwnd, LABELS, ("-", "--", "-.", ":")):
                axes.plot(window[:until], linewidth=1.1, linestyle=dash, label=label)
            top = max(max(window[20:until]) for window in run.cwnd)
            axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, until), ylim=(0, 1.1 * top))
        figure.axes[0].legend(ncols=4, fontsize="small")
