# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import backoffs, testbed, two_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded

RATES = (10, 250, 500)
#: A round trip with a full queue, and a margin: both flows notice within this.
COMMON_S = 0.5


@dataclass(frozen=True, slots=True)
class Fig7Numbers:
    """What a run is reduced to."""

    alternate: float
    pairs: int
    losses: int
    time_s: list[float]
    cwnd: list[list[float]]


class Fig7(Experiment[Fig7Numbers]):
    """Figure 7: with synchronised losses, the adaptation of W_max causes a period-two cycle.

    Epochs end alternately before and after the inflection (the window at the loss below, or not below, the last W_max), "in every second period
    … aggressively probing". Left open: everything (the caption is lost), so this is the set-up of figure 2. A loss counts as synchronised if both
    flows have it, and an epoch if both its ends are.
    """

    title = "Synchronised epochs of two CUBIC flows that end alternately before and after the inflection"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        record = {"interval": "200ms", "inner": recorded(setup.cubic, "w_max")}
        end = setup.seconds(full=3000, short=1000)
        seeds = setup.seeds(full=5, short=1)
        return [
            Point(str(rate), testbed(rate, end, two_flows(setup.cubic), record=record), seeds=seeds) for rate in RATES
        ]

    def reduce(self, run: Result, point: Point) -> Fig7Numbers:
        since = run.summary["flows"][1]["start_s"]
        both = backoffs(run)
        maxima = curves(run.table("inner"), np.arange(0, run.scenario.duration_s, 0.2), "value")
        turns = synchronised = losses = 0
        for flow, other in ((0, 1), (1, 0)):
            others = np.array([time for time, _, _ in both[other]])
            kinds: list[bool | None] = []
            for time, before, _ in both[flow]:
                if time < since + 1:
                    continue
                losses += 1
                common = bool((np.abs(others - time) <= COMMON_S).any())
                last_max = maxima[flow][int((time - 0.4) / 0.2)]
                kinds.append(bool(before < last_max) if common and last_max > 0 else None)
            pairs = [(first, second) for first, second in pairwise(kinds) if first is not None and second is not None]
            synchronised += len(pairs)
            turns += sum(first != second for first, second in pairs)
        every = np.arange(run.scenario.duration_s - 300, run.scenario.duration_s, 0.5)
        return Fig7Numbers(
            alternate=turns / synchronised if synchronised else 0.0,
            pairs=synchronised,
            losses=losses,
            time_s=every.tolist(),
            cwnd=[window.round(1).tolist() for window in curves(run.cwnd, every).values()],
        )

    def claims(self, results: Results[Fig7Numbers]) -> dict[str, Answer]:
        counted = ", ".join(f"{results[key][0].pairs} of {results[key][0].losses} at {key} Mbit/s" for key in results)
        by_rate = {f"{key} Mbit/s": results.values(key, "alternate") for key in results}
        return {"period-two": Measured(by_rate, f"pairs of synchronised losses among all losses: {counted}")}

    def plot(self, results: Results[Fig7Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 7.2)
        for axes, key in zip(figure.subplots(3, 1, sharex=True), results):
            run = results[key][0]
            for number, (window, dash) in enumerate(zip(run.cwnd, ("-", (0, (4, 1.2))))):
                axes.plot(run.time_s, window, linestyle=dash, label=f"flow {number + 1}")
            axes.set(title=f"{key} Mbit/s", ylabel="cwnd (packets)", xlim=(run.time_s[0], run.time_s[-1]))
        axes.set_xlabel("time (s)")
        figure.axes[0].legend(ncols=2)
