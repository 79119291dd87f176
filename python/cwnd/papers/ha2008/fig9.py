# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd._internal.json_types import number
from cwnd.metrics import rates
from cwnd.metrics.trace import exponent
from cwnd.papers.ha2008.setups.testbed import LABELS, NAMES, algorithm, panels, scenario
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup

LONG_MS = 162
#: Unstated: round trips between the two ends, ms.
ALL_MS, SOME_MS = (16, 27, 54, 81, 162), (16, 54, 162)
#: Unstated: the first quarter of the run is not measured.
WARM_UP = 0.25
#: At the end two flows have converged if over the last minute their throughputs are within 20 % of each other.
LAST_S, ALIKE = 60, 0.8


@dataclass(frozen=True, slots=True)
class Fig9Numbers:
    """What a run is reduced to."""

    ratio: float
    utilisation: float
    last: float


class Fig9(Experiment[Fig9Numbers]):
    """Figure 9: two flows of one algorithm with different round trips: fairness (a) and link utilisation (b).

    One flow has 162 ms, the other 16 to 162 ms (the text has 164 once), on 400 Mbit/s behind 2 Mbyte of buffer, with the background traffic of
    section 6.1. The throughput ratio is read as that of the long round trip over the short one: below 1 where the short one gets more. Left open:
    durations, start times, the points between the ends.
    """

    title = "Two flows of one algorithm, RTT 162 ms against 16 to 162 ms, 400 Mbit/s, 2 Mbyte of buffer"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=160), setup.seeds(full=5, short=2)
        return [
            Point(
                f"{name}, {rtt} ms",
                scenario(
                    algorithm(setup, name), LONG_MS, [{"rtt": f"{each}ms"} for each in (LONG_MS, rtt)], end, WARM_UP
                ),
                seeds=seeds,
                info={"name": name, "rtt": rtt},
            )
            for rtt in setup.pick(ALL_MS, SOME_MS)
            for name in NAMES
        ]

    def reduce(self, run: Result, point: Point) -> Fig9Numbers:
        long, short = (flow["throughput_mbps"] for flow in run.summary["flows"])
        end, size = run.scenario.duration_s, run.scenario.packet_bytes
        last = rates(run.cwnd, packet_bytes=size, interval_s=LAST_S, begin_s=end - LAST_S, end_s=end).mbps[:2, 0]
        utilisation = number(run.summary["link"], "utilization")
        return Fig9Numbers(ratio=long / short, utilisation=utilisation, last=float(min(last) / max(last)))

    def claims(self, results: Results[Fig9Numbers]) -> dict[str, Answer]:
        rtts = results.swept("rtt")
        # Where both are equal there is no long and no short round trip.
        unequal = [rtt for rtt in rtts if rtt != LONG_MS]

        def slopes(name: str) -> list[float]:
            def slope(run: Mapping[str, Fig9Numbers]) -> float:
                return exponent([LONG_MS / rtt for rtt in rtts], [run[f"{name}, {rtt} ms"].ratio for rtt in rtts])

            return results.each(slope)

        def less(name: str) -> list[float]:
            return [slope - sack for slope, sack in zip(slopes(name), slopes("sack"))]

        last = results.values(f"hstcp, {LONG_MS} ms", "last")
        return {
            "sack-slope": Measured(slopes("sack")),
            "cubic-slope": Measured(less("cubic")),
            "cubic-ratios": Measured(
                {f"{rtt} ms": results.ratio(f"cubic, {rtt} ms", f"sack, {rtt} ms", "ratio") for rtt in unequal}
            ),
            "bic-slope": Measured(less("bic")),
            "bic-lowest": Measured(
                {f"{rtt} ms": {name: results.values(f"{name}, {rtt} ms", "ratio") for name in NAMES} for rtt in unequal}
            ),
            "hstcp-slope": Measured([abs(slope) for slope in less("hstcp")]),
            "hstcp-full": Measured({f"{rtt} ms": results.values(f"hstcp, {rtt} ms", "utilisation") for rtt in rtts}),
            "hstcp-not-converged": Holds(
                f"over the last {LAST_S} s one of the two flows has less than {ALIKE:.0%} of the other's throughput",
                [ratio < ALIKE for ratio in last],
                last,
                within=(None, ALIKE),
            ),
        }

    def plot(self, results: Results[Fig9Numbers], figure: Figure) -> None:
        ratio, utilisation = panels(results, figure, LABELS, across=lambda rtt: LONG_MS / rtt)
        ratio.plot([1, 10], [1, 0.1], color="black", linewidth=0.8, linestyle=":", label="1 / RTT ratio")
        ratio.set(xscale="log", yscale="log", ylabel="throughput ratio, long / short RTT")
        utilisation.set(xlabel="RTT ratio", ylim=(0, 105))
        utilisation.set_xticks([1, 2, 3, 4, 6, 8, 10], ["1", "2", "3", "4", "6", "8", "10"], minor=False)
        utilisation.minorticks_off()
        ratio.legend()
