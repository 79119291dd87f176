# SPDX-License-Identifier: MIT OR Apache-2.0
"""Networks for claims about the comparators that one connection alone cannot show.

H-TCP counts acknowledged segments, as its module of Linux did from 2.6.18 at the latest (net/ipv4/tcp_htcp.c), and `sack` acknowledgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from cwnd.metrics.series import by_flow
from cwnd.reproduce import Answer, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

K = TypeVar("K")
#: Unstated: two round trips for H-TCP and FAST, on figure 9's link.
FAR_MS, NEAR_MS = 162, 40
#: The set that has Hybla's growth rules.
HYBLA = "hybla-growth"
#: Hybla: the document's reference, and round trips below and above it, ms.
REFERENCE_MS, BELOW_MS, ABOVE_MS = 20, (5, 10, 15), (40, 80, 160)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Throughput of the flow with the longer round trip over the other's."""

    ratio: float


@dataclass(frozen=True, slots=True)
class Throughput:
    """A flow among random losses."""

    mbps: float


@dataclass(frozen=True, slots=True)
class Gaps:
    """Times between packets in the second half of a run, s: the largest, and those of evenly spaced packets."""

    largest: float
    even: float


@dataclass(frozen=True, slots=True)
class Growth:
    """A flow without a limit: its window in each round trip."""

    by_round_trip: list[float]


#: The numbers of all networks.
Network = Ratio | Throughput | Gaps | Growth


def points(setup: Setup) -> list[Point]:
    """Round trips that differ, random losses, gaps between packets, growth without a limit."""
    end, seeds = setup.seconds(full=600, short=120), setup.seeds(full=10, short=3)
    points = []
    for name in ("sack", "htcp", "fast"):
        flows: Sequence[JsonObject] = [
            {"cc": name, "rtt": f"{rtt}ms", "start": {"uniform": ["0s", "1s"]}, "overhead": "30us"}
            for rtt in (FAR_MS, NEAR_MS)
        ]
        link: JsonObject = {"rate": "400Mbit/s", "rtt": f"{FAR_MS}ms", "queue": {"kind": "droptail", "limit": "2MB"}}
        scenario: JsonObject = {
            "duration": f"{end:g}s",
            "measure": [f"{end / 4:g}s", f"{end:g}s"],
            "link": link,
            "flow": flows,
        }
        points.append(Point(f"RTTs, {name}", scenario, seeds=seeds))
    for name in ("westwood", "newreno"):
        # The same recovery for both, so that only the window after a loss differs.
        link = {"rate": "10Mbit/s", "rtt": "100ms", "loss": "random:0.01"}
        points.append(
            Point(
                f"random, {name}",
                {"duration": "200s", "link": link, "flow": [{"cc": name, "recovery": "newreno"}]},
                seeds=seeds,
            )
        )
    unlimited: JsonObject = {"rate": "10Gbit/s", "queue": {"kind": "droptail", "limit": "1bdp"}}
    paced: JsonObject = {"cc": "fast", "rwnd": 100, "ack_every": 1}
    record: JsonObject = {"interval": "100us"}
    points.append(
        Point("gaps", {"duration": "5s", "link": {**unlimited, "rtt": "100ms"}, "flow": [paced], "record": record})
    )
    for rtt in (*BELOW_MS, *ABOVE_MS):
        for name in (HYBLA, "newreno"):
            reference = {"rtt0_ms": REFERENCE_MS} if name == HYBLA else {}
            flow: JsonObject = {"cc": name, "initial_ssthresh": 10, "ack_every": 1, **reference}
            growth: JsonObject = {
                "duration": f"{0.1 * rtt:g}s",
                "link": {**unlimited, "rtt": f"{rtt}ms"},
                "flow": [flow],
                "record": {"interval": f"{rtt}ms"},
            }
            points.append(Point(f"growth, {name}, {rtt} ms", growth))
    return points


def reduced(run: Result, point: Point) -> Network:
    """The numbers that the claims of a point need."""
    flows = run.summary["flows"]
    if point.key.startswith("RTTs"):
        return Ratio(ratio=flows[0]["throughput_mbps"] / flows[1]["throughput_mbps"])
    if point.key.startswith("random"):
        return Throughput(mbps=flows[0]["throughput_mbps"])
    _, (times, left, windows) = next(by_flow(run.cwnd, "time_s", "forwarded", "cwnd"))
    if point.key == "gaps":
        # The second half of the run: the window stands at its limit. Times at which packets had left, to a tenth of a millisecond.
        sent = times[1:][np.diff(left) > 0]
        gaps = np.diff(sent[sent > times[-1] / 2])
        return Gaps(largest=float(gaps.max()), even=float(times[-1] / 2 / np.diff(left)[len(left) // 2 :].sum()))
    return Growth(by_round_trip=[float(window) for window in windows])


def answers(results: Results[K]) -> dict[str, Answer]:
    """Answers to the claims about networks."""
    gaps = results.of(Gaps, "gaps")
    windows = {key: results.of(Growth, key).by_round_trip for key in results if key.startswith("growth")}

    def above(rtt: int) -> float:
        hybla, newreno = (windows[f"growth, {name}, {rtt} ms"] for name in (HYBLA, "newreno"))
        return float((hybla[-1] - hybla[len(hybla) // 2]) / (newreno[-1] - newreno[len(newreno) // 2]))

    return {
        "htcp-rtt-fairness": Measured(results.ratio("RTTs, htcp", "RTTs, sack", "ratio")),
        "fast-paced": Holds(
            "with a window of 100 packets and a round trip of 100 ms, no gap between packets is larger than twice an even gap",
            gaps.largest <= 2 * gaps.even,
            gaps.largest / gaps.even,
            "the largest gap over an even one",
        ),
        "fast-rtt-fairness": Measured(results.ratio("RTTs, fast", "RTTs, sack", "ratio")),
        "westwood-random-loss": Measured(results.ratio("random, westwood", "random, newreno", "mbps")),
        "hybla-below-reference": Holds(
            f"at {BELOW_MS} ms its window is NewReno's in each of a hundred round trips, within a packet",
            all(
                abs(a - b) <= 1
                for rtt in BELOW_MS
                for a, b in zip(windows[f"growth, {HYBLA}, {rtt} ms"], windows[f"growth, newreno, {rtt} ms"])
            ),
        ),
        "hybla-above-reference": Measured({f"{rtt} ms": above(rtt) for rtt in ABOVE_MS}),
    }
