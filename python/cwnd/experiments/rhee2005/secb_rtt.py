# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section B: with synchronised losses the throughput ratio goes as 1/r in CUBIC, and as 1/r² in TCP and BIC (r: ratio of the RTTs).

Synchronised by construction: the link stands still for a twentieth of a round trip every few seconds and drops what comes; nothing else limits a
flow, so that each can run by itself; packets are paced, or a flow's could all miss the moment. Left open: link, round trips, how far apart losses are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.metrics import reductions

TITLE = "Throughput by RTT when all flows lose at the same times: CUBIC, SACK, BIC"
CUBIC = "cubic-2005"
ALL_MS, SOME_MS = (25, 50, 100, 200), (50, 100, 200)
#: Unstated: seconds between losses, and the window to begin with. BIC's are closer together, or its windows grow beyond 10⁴.
EVERY_S, WINDOW = {"cubic": 8, "sack": 8, "bic": 4}, {"cubic": 1000, "sack": 200, "bic": 500}
#: How many losses; the first two thirds are not measured, so that the windows have settled.
LOSSES = 45
NO_LIMIT = "10000000packets"
PART, RATE = 20, "20Gbit/s"


def losses(rtt_ms: float, every_s: float, count: int) -> list[dict[str, Any]]:
    """What the link does to drop for a twentieth of a round trip, `count` times."""
    actions: list[dict[str, Any]] = []
    for begin in (every_s * (n + 1) for n in range(count)):
        at, until = f"{begin}s", f"{begin + rtt_ms / 1000 / PART:.6f}s"
        actions += [{"buffer": {"at": at, "to": "1packets"}}, {"rate": {"at": at, "to": "0bit/s"}}]
        actions += [{"rate": {"at": until, "to": RATE}}, {"buffer": {"at": until, "to": NO_LIMIT}}]
    return actions


def grid(setup: Setup) -> list[Point]:
    points = []
    for name, cc in (("cubic", setup.cubic), ("sack", "sack"), ("bic", "bic")):
        every = EVERY_S[name]
        for rtt in setup.pick(ALL_MS, SOME_MS):
            flow = {
                "cc": cc,
                "ack_every": 1,
                "pacing": True,
                "initial_cwnd": WINDOW[name],
                "initial_ssthresh": WINDOW[name],
            }
            scenario = {
                "duration": f"{every * (LOSSES + 1)}s",
                "measure": [f"{every * LOSSES * 2 // 3}s", f"{every * LOSSES}s"],
                "link": {"rate": RATE, "rtt": f"{rtt}ms", "queue": {"kind": "droptail", "limit": NO_LIMIT}},
                "flow": [flow],
                "action": losses(rtt, every, LOSSES),
                "record": {"interval": "1s"},
            }
            points.append(Point(f"{name}, {rtt} ms", scenario, info={"name": name, "rtt": rtt}))
    return points


def reduce(run: Result, point: Point) -> Reduced:
    flow = run.summary["flows"][0]
    return {"mbps": flow["throughput_mbps"], "noticed": len(reductions(run.events)[0]), "timeouts": flow["timeouts"]}


def rtts(results: Results) -> list[int]:
    """Round trips of the grid, ms."""
    return sorted({point.info["rtt"] for point in results.points.values()})


def slope(results: Results, name: str) -> float:
    """Of the logarithms of throughput over those of the round trip."""
    rates = [results.mean(f"{name}, {rtt} ms", "mbps") for rtt in rtts(results)]
    return float(np.polyfit(np.log(rtts(results)), np.log(rates), 1)[0])


def claims(results: Results) -> dict[str, Answer]:
    def noticed(name: str) -> str:
        seen = [results[f"{name}, {rtt} ms"][0]["noticed"] for rtt in rtts(results)]
        return (
            f"Of {LOSSES} losses {', '.join(map(str, seen))} were noticed at {', '.join(map(str, rtts(results)))} ms."
        )

    return {
        f"{claim}-slope": Measured(slope(results, name), noticed(name))
        for claim, name in (("cubic", "cubic"), ("tcp", "sack"), ("bic", "bic"))
    }


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    for name, marker in (("cubic", "s"), ("sack", "o"), ("bic", "D")):
        rates = [results.mean(f"{name}, {rtt} ms", "mbps") for rtt in rtts(results)]
        axes.loglog(
            [rtt / rtts(results)[0] for rtt in rtts(results)],
            [one / rates[0] for one in rates],
            marker=marker,
            label=name.upper(),
        )
    ratios = np.array([1, rtts(results)[-1] / rtts(results)[0]])
    axes.loglog(ratios, 1 / ratios, color="black", linewidth=0.8, linestyle=":", label="1/r")
    axes.loglog(ratios, ratios**-2.0, color="black", linewidth=0.8, linestyle="--", label="1/r²")
    axes.set(xlabel="RTT ratio", ylabel="throughput ratio, long RTT / short RTT")
    axes.legend()


WHY = {
    "bic-slope": "secb_rtt.md",
}
