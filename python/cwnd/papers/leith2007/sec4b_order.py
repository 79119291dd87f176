# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import testbed
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated.
SIZE, LATER = "5GB", {"uniform": ["60s", "90s"]}
#: Which of the two is the later one.
ORDERS = {"second later": 1, "first later": 0}


@dataclass(frozen=True, slots=True)
class Sec4bOrderNumbers:
    """What a run is reduced to."""

    took: list[float]
    ratio: float
    time_s: list[float]
    cwnd: list[list[float]]


class Sec4bOrder(Experiment[Sec4bOrderNumbers]):
    """Section IV.B: two identical transfers, one started later, "may have very different completion times depending on the order".

    250 Mbit/s, 200 ms, queue one BDP. Left open: size and starts: 5 GB each (160 s of the whole link), the second a minute to a minute and a half
    after the first, which then fills the link; both orders.
    """

    title = "Completion times of two equal CUBIC transfers, one started later"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        def flows(late: int) -> Sequence[JsonObject]:
            return [{"cc": setup.cubic, "size": SIZE, **({"start": LATER} if flow == late else {})} for flow in (0, 1)]

        return [
            Point(key, testbed(250, 600, flows(late)), seeds=setup.seeds(full=10, short=3), info={"late": late})
            for key, late in ORDERS.items()
        ]

    def reduce(self, run: Result, point: Point) -> Sec4bOrderNumbers:
        transfers = sorted(run.table("transfers").to_pylist(), key=lambda row: row["number"])
        took = [math.inf if row["end_s"] is None else row["end_s"] - row["start_s"] for row in transfers]
        every = np.arange(0, run.scenario.duration_s, 2)
        windows = [window.round(1).tolist() for window in curves(run.cwnd, every).values()]
        return Sec4bOrderNumbers(took=took, ratio=max(took) / min(took), time_s=every.tolist(), cwnd=windows)

    def claims(self, results: Results[Sec4bOrderNumbers]) -> dict[str, Answer]:
        def slower(run: Sec4bOrderNumbers, late: int) -> bool:
            return bool(run.took[late] > run.took[1 - late])

        return {
            "completion-ratio": Measured({key: results.values(key, "ratio") for key in results}),
            "order-decides": Holds(
                "in both orders the transfer that started later takes longer",
                results.each(lambda runs: all(slower(runs[key], late) for key, late in ORDERS.items())),
            ),
        }

    def plot(self, results: Results[Sec4bOrderNumbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        panels = figure.subplots(2, 1, sharex=True)
        for axes, key in zip(panels, ORDERS):
            run = results[key][0]
            for number, (window, took, dash) in enumerate(zip(run.cwnd, run.took, ("-", (0, (4, 1.2))))):
                axes.plot(run.time_s, window, linestyle=dash, label=f"flow {number + 1}: {took:.0f} s")
            axes.set(title=key, ylabel="cwnd (packets)", ylim=(0, None))
            axes.legend()
        panels[1].set(xlabel="time (s)", xlim=(0, None))
