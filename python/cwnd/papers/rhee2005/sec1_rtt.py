# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics.curve import reached
from cwnd.papers.rhee2005.setups.simulation import ACK_EVERY
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: a queue of one BDP, so that nothing is lost before the link is full.
QUEUE: JsonObject = {"kind": "droptail", "limit": "1bdp"}
GBITS, PACKET_BITS = 1e9, 12_000
TARGET = 30


@dataclass(frozen=True, slots=True)
class Sec1RttNumbers:
    """What a run is reduced to."""

    to_30: float
    to_full: float
    time_s: list[float]
    cwnd: list[float]


class Sec1Rtt(Experiment[Sec1RttNumbers]):
    """Section I: how long standard TCP needs to reach 30 packets, and to fill 1 Gbit/s, at round trips of 1 and 100 ms.

    One packet per round trip from a window of one. Left open: the window at the start (from half the window, as after a loss, it needs half the time).
    """

    title = "Time that standard TCP needs to reach 30 packets, and to fill 1 Gbit/s, at 1 and 100 ms"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        flow: JsonObject = {"cc": "sack", "initial_cwnd": 1, "initial_ssthresh": 2, "ack_every": ACK_EVERY}
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

    def reduce(self, run: Result, point: Point) -> Sec1RttNumbers:
        time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
        rtt_s = point.number("rtt") / 1000
        every = np.arange(0, 110) * rtt_s
        return Sec1RttNumbers(
            to_30=reached(time, window, TARGET),
            to_full=reached(time, window, GBITS * rtt_s / PACKET_BITS),
            time_s=every.round(6).tolist(),
            cwnd=np.interp(every, time, window).round(2).tolist(),
        )

    def claims(self, results: Results[Sec1RttNumbers]) -> dict[str, Answer]:
        return {
            "time-1ms": Measured(results.values("1 ms", "to_30")),
            "time-100ms": Measured(results.values("100 ms", "to_30")),
            "fill-1g": Measured(results.values("1 ms", "to_full"), "Until the window is the BDP, 83 packets."),
        }

    def plot(self, results: Results[Sec1RttNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        for key, dash in zip(results, ("-", "--")):
            run = results[key][0]
            axes.semilogx(
                [1000 * time_s for time_s in run.time_s[1:]], run.cwnd[1:], linestyle=dash, label=f"RTT {key}"
            )
        axes.axhline(TARGET, color="black", linewidth=0.8, linestyle=":", label=f"{TARGET} packets")
        axes.set(xlabel="time (ms)", ylabel="congestion window (packets)", ylim=(0, None))
        axes.legend()
