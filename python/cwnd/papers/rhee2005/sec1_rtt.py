# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section I: how long standard TCP needs to 30 packets, and to fill 1 Gbit/s, at round trips of 1 and 100 ms.

One packet per round trip from a window of one. Left open: where it starts (from half the window, as after a loss, it needs half the time).
"""

from __future__ import annotations

import numpy as np

from cwnd.metrics.curve import reached
from cwnd.papers.rhee2005.setups.simulation import ACK_EVERY
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "Standard TCP to 30 packets, and to a full link of 1 Gbit/s, at 1 and 100 ms"
CUBIC = None
#: Unstated: a queue of one BDP, so that nothing is lost before the link is full.
QUEUE = {"kind": "droptail", "limit": "1bdp"}
GBITS, PACKET_BITS = 1e9, 12_000
TARGET = 30


def grid(setup: Setup) -> list[Point]:
    flow = {"cc": "sack", "initial_cwnd": 1, "initial_ssthresh": 2, "ack_every": ACK_EVERY}
    return [
        Point(
            f"{rtt} ms",
            {
                "duration": f"{0.11 * rtt:g}s",
                "link": {"rate": "1Gbit/s", "rtt": f"{rtt}ms", "queue": QUEUE},
                "flow": [flow],
                "record": {"per_ack": True},
            },
            info={"rtt": rtt},
        )
        for rtt in (1, 100)
    ]


def reduce(run: Result, point: Point) -> Reduced:
    time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
    rtt_s = point.info["rtt"] / 1000
    every = np.arange(0, 110) * rtt_s
    return {
        "to_30": reached(time, window, TARGET),
        "to_full": reached(time, window, GBITS * rtt_s / PACKET_BITS),
        "time_s": every.round(6),
        "cwnd": np.interp(every, time, window).round(2),
    }


def claims(results: Results) -> dict[str, Answer]:
    return {
        "time-1ms": Measured(results.values("1 ms", "to_30")),
        "time-100ms": Measured(results.values("100 ms", "to_30")),
        "fill-1g": Measured(results.values("1 ms", "to_full"), "Until the window is the BDP, 83 packets."),
    }


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    for key, dash in zip(results, ("-", "--")):
        run = results[key][0]
        axes.semilogx(
            [1000 * time_s for time_s in run["time_s"][1:]], run["cwnd"][1:], linestyle=dash, label=f"RTT {key}"
        )
    axes.axhline(TARGET, color="black", linewidth=0.8, linestyle=":", label=f"{TARGET} packets")
    axes.set(xlabel="time (ms)", ylabel="congestion window (packets)", ylim=(0, None))
    axes.legend()
