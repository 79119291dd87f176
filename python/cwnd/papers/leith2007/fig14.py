# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import RTTS_MS, long_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

CUBIC = "cubic-2.0"
#: Unstated: the second flow starts when the first has been alone for some time.
START = {"uniform": ["0s", "100s"]}
#: The quantisations of Algorithm 1 removed one by one, then exact arithmetic, then standard TCP.
#: Segments count, so that no ratio has to make up for delayed acknowledgements.
SEGMENTS: JsonObject = {"counting": "segments", "ack_ratio": False}
FINER: Mapping[str, JsonObject] = {
    "no spare ACKs": {"cc": CUBIC, "spare_acks": 0},
    "µs": {"cc": CUBIC, "clock": "us", "updates_per_s": 0},
    "segments": {"cc": CUBIC, "spare_acks": 0, "clock": "us", "updates_per_s": 0, **SEGMENTS},
    "exact": {"cc": "cubic-2.2"},
    "exact, random times": {"cc": "cubic-2.2", "overhead": "12ms"},
    "standard TCP": {"cc": "sack"},
}


@dataclass(frozen=True, slots=True)
class Fig14Numbers:
    """What a run is reduced to."""

    smaller: float
    cwnd: list[list[float]]


class Fig14(Experiment[Fig14Numbers]):
    """Figure 14: two CUBIC flows at low windows, 1 Mbit/s, of which one is "essentially starved".

    The caption is lost; read: each round trip of the testbed with one BDP of queue (1 to 16 packets), the second flow later. "Can be observed": the
    worst round trip of each seed is judged (decided after first runs with these round trips and queues, which had shown no starvation of 2.6.18). The
    document suspects quantisation of increase and backoff, so finer forms run too: every increment with its fraction in microseconds (`cubic-2.2`,
    and the second column's form), and the kernel's counting without its extra acknowledgements.
    """

    title = "Two CUBIC flows at low windows, 1 Mbit/s: share of the smaller"
    cubic = CUBIC
    second = "cubic-2.6.18"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=3600, short=1200)
        forms = {"document": {"cc": setup.cubic}, **FINER}
        return [
            Point(
                f"{name}, {rtt} ms",
                long_flows([flow, {**flow, "start": START}], "1Mbit/s", rtt, end, begin=200),
                seeds=setup.seeds(full=10, short=6),
                info={"name": name, "rtt": rtt},
            )
            for name, flow in forms.items()
            for rtt in RTTS_MS
        ]

    def reduce(self, run: Result, point: Point) -> Fig14Numbers:
        rates = [flow["throughput_mbps"] for flow in run.summary["flows"]]
        return Fig14Numbers(
            smaller=min(rates) / sum(rates),
            cwnd=[window.tolist() for window in curves(run.cwnd, np.arange(0, 600, 2.0)).values()],
        )

    def claims(self, results: Results[Fig14Numbers]) -> dict[str, Answer]:
        def worst(name: str) -> list[float]:
            return results.each(lambda run: min(run[f"{name}, {rtt} ms"].smaller for rtt in RTTS_MS))

        note = "share of the smaller flow at the worst of the round trips"
        return {
            "starved": Measured(worst("document"), note),
            "finer-arithmetic": Measured({name: worst(name) for name in ("document", *FINER)}, note),
        }

    def plot(self, results: Results[Fig14Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        for number, (window, colour, dash) in enumerate(
            zip(results["document, 16 ms"][0].cwnd, ("#D55E00", "#0072B2"), ("-", (0, (4, 1.2))))
        ):
            axes.plot(
                np.arange(0, 600, 2.0), window, color=colour, linestyle=dash, linewidth=1, label=f"flow {number + 1}"
            )
        axes.set(xlabel="time (s)", ylabel="cwnd (packets)", xlim=(0, 600), ylim=(0, None))
        axes.legend(ncols=2)
