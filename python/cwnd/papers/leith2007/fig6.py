# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from cwnd.metrics import curves, min_max_ratio, rates
from cwnd.papers.leith2007.setups import testbed
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: all start within ten seconds; the first 100 s are not measured. "Throughput" is a mean over ten seconds.
START, WARM_UP_S, MEAN_S = {"uniform": ["0s", "10s"]}, 100, 10
#: A spell: one flow has more than this multiple of another's throughput.
TIMES = 2


@dataclass(frozen=True, slots=True)
class Fig6Numbers:
    """What a run is reduced to."""

    ratio: float
    spell_s: float
    time_s: list[float]
    cwnd: list[list[float]]


class Fig6(Experiment[Fig6Numbers]):
    """Figure 6: three long CUBIC flows and 25 on-off sessions: equal shares over an hour that contains hundreds of seconds of unfairness.

    250 Mbit/s, 200 ms, queue of one BDP; sessions with pauses of 10 s and transfers of 600 packets on average. Left open: the sessions' direction,
    and when the flows start.
    """

    title = "Three CUBIC flows and 25 on-off sessions, 250 Mbit/s, 200 ms, one hour"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        flows: Sequence[JsonObject] = [{"cc": setup.cubic, "count": 3, "start": START}]
        scenario = testbed(250, 3600 + WARM_UP_S, flows, traffic=[{"preset": "leith2007-fig6"}])
        return [Point("hour", scenario, seeds=setup.seeds(full=10, short=2))]

    def reduce(self, run: Result, point: Point) -> Fig6Numbers:
        end = run.scenario.duration_s
        mean_rates = rates(
            run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=MEAN_S, begin_s=WARM_UP_S, end_s=end
        )
        mbps = mean_rates.mbps[:3]
        longest = 0
        for flow, other in permutations(range(3), 2):
            spell = 0
            for above in mbps[flow] > TIMES * mbps[other]:
                spell = spell + 1 if above else 0
                longest = max(longest, spell)
        every = np.arange(0, end, 5)
        return Fig6Numbers(
            ratio=min_max_ratio(mbps.sum(axis=1)).value or 0.0,
            spell_s=longest * MEAN_S,
            time_s=every.tolist(),
            cwnd=[curves(run.cwnd, every)[flow].round(1).tolist() for flow in range(3)],
        )

    def claims(self, results: Results[Fig6Numbers]) -> dict[str, Answer]:
        return {
            "hour-equal": Measured(results.values("hour", "ratio")),
            "long-spells": Measured(results.values("hour", "spell_s"), f"throughputs are means over {MEAN_S} s"),
        }

    def plot(self, results: Results[Fig6Numbers], figure: Figure) -> None:
        from cwnd.plot import DASHES

        figure.set_size_inches(6.4, 6.4)
        panels = figure.subplots(2, 1, sharex=True)
        for axes, run in zip(panels, results["hour"]):
            for number, (window, dash) in enumerate(zip(run.cwnd, DASHES)):
                axes.plot(run.time_s, window, linestyle=dash, linewidth=1, label=f"flow {number + 1}")
            axes.set(ylabel="cwnd (packets)", ylim=(0, None), xlim=(0, 3600))
        panels[1].set_xlabel("time (s)")
        panels[0].legend(ncols=3)
