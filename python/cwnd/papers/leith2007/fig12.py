# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cwnd.papers.leith2007.setups import LONG_MS, long_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

SHORT_MS = (16, 40, 80, 120, 162)
START = {"uniform": ["0s", "100s"]}
#: In lane live, points of a fast link run one at a time: they are shorter there, or ten of them would take an hour and a half.
LIVE_S = 200


@dataclass(frozen=True, slots=True)
class Fig12Numbers:
    """What a run is reduced to."""

    ratio: float


class Fig12(Experiment[Fig12Numbers]):
    """Figure 12: throughput ratio of two flows, 162 ms against 16 to 162 ms, at 10 and 250 Mbit/s; CUBIC and standard TCP.

    No web traffic. The buffer is one BDP; the document does not say of which round trip, so it is the longer one's. Also left open: the second
    flow's round trips, and start times, on which the ratio depends (figure 13). They are random here, and the mean over the seeds is judged.
    """

    title = "Throughput ratio of two flows, 162 ms against 16 to 162 ms, at 10 and 250 Mbit/s"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"
    live = True
    live_note = f"the points of 250 Mbit/s run for {LIVE_S} s, measured in the second half"

    def live_scenario(self, point: Point) -> JsonObject:
        assert isinstance(point.scenario, Mapping)
        if point.info["rate"] == 10:
            return dict(point.scenario)
        return {**point.scenario, "duration": f"{LIVE_S}s", "measure": [f"{LIVE_S // 2}s", f"{LIVE_S}s"]}

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=1200, short=500)
        return [
            Point(
                f"{name}, {rate}, {rtt} ms",
                long_flows(
                    [{"cc": cc}, {"cc": cc, "rtt": f"{rtt}ms", "start": START}],
                    f"{rate}Mbit/s",
                    LONG_MS,
                    end,
                    begin=100,
                ),
                seeds=setup.seeds(full=10, short=8 if rate == 10 else 2),
                info={"name": name, "rate": rate, "rtt": rtt},
            )
            for rate in (10, 250)
            for name, cc in (("CUBIC", setup.cubic), ("SACK", "sack"))
            for rtt in SHORT_MS
        ]

    def reduce(self, run: Result, point: Point) -> Fig12Numbers:
        first, second = (flow["throughput_mbps"] for flow in run.summary["flows"])
        return Fig12Numbers(ratio=first / second)

    def claims(self, results: Results[Fig12Numbers]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for rate in (10, 250):

            def off(name: str, rtt: int, rate: int = rate) -> float:
                return abs(math.log(results.mean(f"{name}, {rate}, {rtt} ms", "ratio")))

            nearer = [off("CUBIC", rtt) < off("SACK", rtt) for rtt in SHORT_MS]
            answers |= {
                f"cubic-floor-{rate}": Measured(
                    {f"{rtt} ms": results.values(f"CUBIC, {rate}, {rtt} ms", "ratio") for rtt in SHORT_MS}
                ),
                f"cubic-nearer-one-{rate}": Measured(
                    sum(nearer) / len(nearer), "of the means over the seeds; nearer: on a logarithmic scale"
                ),
            }
        return answers

    def plot(self, results: Results[Fig12Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.8)
        for axes, rate in zip(figure.subplots(2, 1, sharex=True), (10, 250)):
            for name, look in (("CUBIC", "o-"), ("SACK", "s--")):
                colour = "#D55E00" if name == "CUBIC" else "#0072B2"
                ratios = [results.mean(f"{name}, {rate}, {rtt} ms", "ratio") for rtt in SHORT_MS]
                axes.plot(SHORT_MS, ratios, look, color=colour, label=name.replace("SACK", "standard TCP"))
            axes.set(title=f"{rate} Mbit/s", ylabel="throughput ratio", ylim=(0, None))
        axes.set(xlabel="RTT of flow 2 (ms)", xlim=(0, 165))
        figure.axes[0].legend()
