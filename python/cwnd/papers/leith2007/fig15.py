# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

from cwnd.papers.leith2007.setups import RTTS_MS, long_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

START = {"uniform": ["0s", "10s"]}


@dataclass(frozen=True, slots=True)
class Fig15Numbers:
    """What a run is reduced to."""

    ratio: float


class Fig15(Experiment[Fig15Numbers]):
    """Figure 15: standard TCP (flow 1) against CUBIC (flow 2) at equal round trips, 10 and 250 Mbit/s. The text gives no result.

    Left open: buffer (one BDP), start times (within ten seconds).
    """

    title = "Standard TCP alongside CUBIC at equal round trips, 10 and 250 Mbit/s"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=1200, short=400)
        return [
            Point(
                f"{rate}, {rtt} ms",
                long_flows(
                    [{"cc": "sack", "start": START}, {"cc": setup.cubic, "start": START}],
                    f"{rate}Mbit/s",
                    rtt,
                    end,
                    begin=60,
                ),
                seeds=setup.seeds(full=10, short=6 if rate == 10 else 2),
                info={"rate": rate, "rtt": rtt},
            )
            for rate in (10, 250)
            for rtt in RTTS_MS
        ]

    def reduce(self, run: Result, point: Point) -> Fig15Numbers:
        sack, cubic = (flow["throughput_mbps"] for flow in run.summary["flows"])
        return Fig15Numbers(ratio=sack / cubic)

    def claims(self, results: Results[Fig15Numbers]) -> dict[str, Answer]:
        return {
            f"ratio-{rate}": Measured({f"{rtt} ms": results.values(f"{rate}, {rtt} ms", "ratio") for rtt in RTTS_MS})
            for rate in (10, 250)
        }

    def plot(self, results: Results[Fig15Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        for rate, colour, look in ((10, "#D55E00", "o-"), (250, "#0072B2", "s--")):
            ratios = [results.mean(f"{rate}, {rtt} ms", "ratio") for rtt in RTTS_MS]
            axes.plot(RTTS_MS, ratios, look, color=colour, label=f"{rate} Mbit/s")
        axes.set(xlabel="RTT (ms)", ylabel="throughput ratio, standard TCP / CUBIC", xlim=(0, 210), ylim=(0, None))
        axes.legend()
