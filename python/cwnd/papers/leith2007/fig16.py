# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cwnd._internal.json_types import number
from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import long_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Reported, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

CUBIC = "cubic-2.0"
LONG_MS, SHORT_MS = 160, 16
START = {"uniform": ["0s", "30s"]}
QUEUES = {"BDP of 160 ms": "1bdp", "BDP of 16 ms": "0.1bdp", "50 packets": "50packets"}
#: Segments count, so that no ratio has to make up for delayed acknowledgements.
SEGMENTS: JsonObject = {"counting": "segments", "ack_ratio": False}
FINER: Mapping[str, JsonObject] = {
    "µs": {"cc": CUBIC, "clock": "us", "updates_per_s": 0},
    "segments": {"cc": CUBIC, "spare_acks": 0, "clock": "us", "updates_per_s": 0, **SEGMENTS},
    "exact": {"cc": "cubic-2.2"},
    "standard TCP": {"cc": "sack"},
}


@dataclass(frozen=True, slots=True)
class Fig16Numbers:
    """What a run is reduced to."""

    first: float
    second: float
    min_max: float
    cwnd: list[list[float]]


class Fig16(Experiment[Fig16Numbers]):
    """Figure 16: CUBIC of 160 ms (flow 1) alongside standard TCP of 16 ms (flow 2) on 1 Mbit/s behind a queue of one BDP: gross unfairness.

    The document says neither which flow gets less nor whose BDP the queue is: read as that of the longer round trip (13 packets), and for comparison
    that of the shorter (1 packet), and 50 packets. The reading follows the rule for all experiments with two round trips, and was decided after a
    first look at all three. Quantisation is suspected, so finer arithmetic runs too, and standard TCP in CUBIC's place.
    """

    title = "CUBIC of 160 ms alongside standard TCP of 16 ms, 1 Mbit/s"
    cubic = CUBIC
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=3600, short=1200)
        forms: Mapping[str, JsonObject] = {"document": {"cc": setup.cubic}, **FINER}
        sides = [(name, flow, queue) for name, flow in forms.items() for queue in QUEUES]
        return [
            Point(
                f"{name}, {queue}",
                long_flows(
                    [{**flow, "start": START}, {"cc": "sack", "rtt": f"{SHORT_MS}ms", "start": START}],
                    "1Mbit/s",
                    LONG_MS,
                    end,
                    begin=100,
                    queue=QUEUES[queue],
                ),
                seeds=setup.seeds(full=10, short=6),
                info={"name": name, "queue": queue},
            )
            for name, flow, queue in sides
        ]

    def reduce(self, run: Result, point: Point) -> Fig16Numbers:
        first, second = (number(flow, "share") for flow in run.summary["flows"])
        windows = curves(run.cwnd, np.arange(0, 600, 2.0)).values()
        return Fig16Numbers(
            first=first,
            second=second,
            min_max=min(first, second) / max(first, second),
            cwnd=[window.tolist() for window in windows],
        )

    def claims(self, results: Results[Fig16Numbers]) -> dict[str, Answer]:
        def shares(queue: str) -> str:
            first, second = (100 * results.mean(f"document, {queue}", name) for name in ("first", "second"))
            return f"{first:.0f} % CUBIC, {second:.0f} % standard TCP behind the {queue}"

        return {
            "gross-unfairness": Measured(results.values("document, BDP of 160 ms", "min_max")),
            "which-flow": Reported("; ".join(map(shares, QUEUES)).replace("the 50", "50")),
            "finer-arithmetic": Measured({key: results.values(key, "min_max") for key in results}),
        }

    def plot(self, results: Results[Fig16Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.8)
        for axes, queue in zip(figure.subplots(2, 1, sharex=True), ("BDP of 160 ms", "BDP of 16 ms")):
            looks = (
                ("flow 1: CUBIC, 160 ms", "#D55E00", "-"),
                ("flow 2: standard TCP, 16 ms", "#0072B2", (0, (4, 1.2))),
            )
            for window, (label, colour, dash) in zip(results[f"document, {queue}"][0].cwnd, looks):
                axes.plot(np.arange(0, 600, 2.0), window, color=colour, linestyle=dash, linewidth=1, label=label)
            axes.set(title=f"queue: {queue}", ylabel="cwnd (packets)", xlim=(0, 600), ylim=(0, None))
        axes.set_xlabel("time (s)")
        figure.axes[0].legend()
