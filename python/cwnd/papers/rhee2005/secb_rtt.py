# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cwnd.metrics import reductions
from cwnd.metrics.trace import exponent
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

ALL_MS, SOME_MS = (25, 50, 100, 200), (50, 100, 200)
#: Unstated: seconds between losses, and the initial window. BIC's losses are closer together, or its windows would grow beyond 10⁴.
EVERY_S, WINDOW = {"cubic": 8, "sack": 8, "bic": 4}, {"cubic": 1000, "sack": 200, "bic": 500}
#: How many losses; the first two thirds are not measured, so that the windows have settled.
LOSSES = 45
NO_LIMIT = "10000000packets"
PART, RATE = 20, "20Gbit/s"


@dataclass(frozen=True, slots=True)
class SecbRttNumbers:
    """What a run is reduced to."""

    mbps: float
    noticed: int
    timeouts: int


def losses(rtt_ms: float, every_s: float, count: int) -> Sequence[JsonObject]:
    """Actions that make the link drop for a twentieth of a round trip, `count` times."""
    actions: list[JsonObject] = []
    for begin in (every_s * (n + 1) for n in range(count)):
        at, until = f"{begin}s", f"{begin + rtt_ms / 1000 / PART:.6f}s"
        actions += [{"buffer": {"at": at, "to": "1packets"}}, {"rate": {"at": at, "to": "0bit/s"}}]
        actions += [{"rate": {"at": until, "to": RATE}}, {"buffer": {"at": until, "to": NO_LIMIT}}]
    return actions


class SecbRtt(Experiment[SecbRttNumbers]):
    """Section B: with synchronised losses the throughput ratio is proportional to 1/r in CUBIC, and to 1/r² in TCP and BIC (r: ratio of the RTTs).

    Synchronised by construction: the link stops for a twentieth of a round trip every few seconds and drops all arrivals. Nothing else limits a
    flow, so each can run alone. Packets are paced, or a flow might have no packet at that time. Left open: link, round trips, time between losses.
    """

    title = "Throughput by RTT when all flows lose at the same times: CUBIC, SACK, BIC"
    cubic = "cubic-2005"

    def grid(self, setup: Setup) -> list[Point]:
        def scenario(cc: str, rtt_ms: int, every_s: int, window: int) -> JsonObject:
            start = {"initial_cwnd": window, "initial_ssthresh": window}
            return {
                "duration": f"{every_s * (LOSSES + 1)}s",
                "measure": [f"{every_s * LOSSES * 2 // 3}s", f"{every_s * LOSSES}s"],
                "link": {"rate": RATE, "rtt": f"{rtt_ms}ms", "queue": {"kind": "droptail", "limit": NO_LIMIT}},
                "flow": [{"cc": cc, "ack_every": 1, "pacing": True, **start}],
                "action": losses(rtt_ms, every_s, LOSSES),
                "record": {"interval": "1s"},
            }

        return [
            Point(f"{name}, {rtt} ms", scenario(cc, rtt, EVERY_S[name], WINDOW[name]), info={"name": name, "rtt": rtt})
            for name, cc in (("cubic", setup.cubic), ("sack", "sack"), ("bic", "bic"))
            for rtt in setup.pick(ALL_MS, SOME_MS)
        ]

    def reduce(self, run: Result, point: Point) -> SecbRttNumbers:
        flow = run.summary["flows"][0]
        return SecbRttNumbers(
            mbps=flow["throughput_mbps"], noticed=len(reductions(run.events)[0]), timeouts=flow["timeouts_run"]
        )

    def claims(self, results: Results[SecbRttNumbers]) -> dict[str, Answer]:
        def slope(name: str) -> Measured:
            rtts, rates = results.line(results.where(name=name), "rtt", "mbps")
            seen = ", ".join(str(results[f"{name}, {rtt} ms"][0].noticed) for rtt in rtts)
            note = f"Of {LOSSES} losses {seen} were noticed at {', '.join(map(str, rtts))} ms."
            return Measured(exponent(rtts, rates), note)

        return {"cubic-slope": slope("cubic"), "tcp-slope": slope("sack"), "bic-slope": slope("bic")}

    def plot(self, results: Results[SecbRttNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        for name, marker in (("cubic", "s"), ("sack", "o"), ("bic", "D")):
            rtts, rates = results.line(results.where(name=name), "rtt", "mbps")
            axes.loglog(np.divide(rtts, rtts[0]), np.divide(rates, rates[0]), marker=marker, label=name.upper())
        ratios = np.array([1, rtts[-1] / rtts[0]])
        axes.loglog(ratios, 1 / ratios, color="black", linewidth=0.8, linestyle=":", label="1/r")
        axes.loglog(ratios, ratios**-2.0, color="black", linewidth=0.8, linestyle="--", label="1/r²")
        axes.set(xlabel="RTT ratio", ylabel="throughput ratio, long RTT / short RTT")
        axes.legend()
