# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

from cwnd._internal.json_types import number
from cwnd.metrics import min_max_ratio
from cwnd.metrics.run import defined
from cwnd.papers.ha2008.setups.against_sack import falls
from cwnd.papers.ha2008.setups.testbed import NAMES, algorithm, panels, scenario
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup

#: Unstated: the first fifth of the run is not measured.
WARM_UP = 0.2
#: Unstated: round trips between the two ends, ms.
ALL_MS, SOME_MS = (16, 42, 82, 162, 324), (16, 82, 324)
#: From the shortest to the longest RTT, SACK's utilisation falls by more than BY; at no RTT it is more than SLACK above that at a shorter one.
BY, SLACK = 0.05, 0.01


@dataclass(frozen=True, slots=True)
class Fig8Numbers:
    """What a run is reduced to."""

    ratio: float
    utilisation: float


class Fig8(Experiment[Fig8Numbers]):
    """Figure 8: intra-protocol fairness (a) and link utilisation (b).

    Two flows of CUBIC, BIC, HSTCP or SACK with the same round trip, 16 to 324 ms, on 400 Mbit/s behind 2 Mbyte of buffer (250 % of the BDP
    at 16 ms, 12 % at 324 ms), with background traffic of about 15 % in both directions (section 6.1). The fairness is the throughput
    ratio of the two flows; read as the smaller over the larger. Left open: durations, start times, the points between the ends.
    """

    title = "Two flows of one algorithm and one RTT: fairness and utilisation, 400 Mbit/s, 2 Mbyte of buffer"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=150), setup.seeds(full=5, short=3)
        return [
            Point(
                f"{name}, {rtt} ms",
                scenario(algorithm(setup, name), rtt, [{"count": 2}], end, WARM_UP),
                seeds=seeds,
                info={"name": name, "rtt": rtt},
            )
            for rtt in setup.pick(ALL_MS, SOME_MS)
            for name in NAMES
        ]

    def reduce(self, run: Result, point: Point) -> Fig8Numbers:
        ratio = defined(min_max_ratio([flow["throughput_mbps"] for flow in run.summary["flows"]]))
        return Fig8Numbers(ratio=ratio, utilisation=number(run.summary["link"], "utilization"))

    def claims(self, results: Results[Fig8Numbers]) -> dict[str, Answer]:
        rtts = results.swept("rtt")

        def ratios(*names: str) -> dict[str, dict[str, list[float]]]:
            return {f"{rtt} ms": {name: results.values(f"{name}, {rtt} ms", "ratio") for name in names} for rtt in rtts}

        def use(name: str) -> dict[str, list[float]]:
            return {f"{rtt} ms": results.values(f"{name}, {rtt} ms", "utilisation") for rtt in rtts}

        longer = {
            name: {rtt: row for rtt, row in ratios(name, "sack", "hstcp").items() if rtt != "16 ms"}
            for name in ("cubic", "bic")
        }
        return {
            "cubic-above": Measured(longer["cubic"]),
            "bic-above": Measured(longer["bic"]),
            "sack-best-short": Measured(ratios(*NAMES)["16 ms"]),
            **{f"{name}-full": Measured(use(name)) for name in ("cubic", "bic", "hstcp")},
            "sack-use-falls": Holds(
                "SACK's utilisation at 324 ms is more than 5 points below that at 16 ms, and at no RTT more than 1 point above that at a shorter one",
                results.each(lambda run: falls([run[f"sack, {rtt} ms"].utilisation for rtt in rtts], BY, SLACK)),
                results.each(lambda run: run["sack, 324 ms"].utilisation - run["sack, 16 ms"].utilisation),
                within=(None, -BY),
            ),
        }

    def plot(self, results: Results[Fig8Numbers], figure: Figure) -> None:
        ratio, utilisation = panels(results, figure, {name: name.upper() for name in NAMES}, across=float)
        ratio.set(ylabel="throughput ratio", ylim=(0, 1.05))
        utilisation.set(xlabel="RTT (ms)", xlim=(0, 340), ylim=(0, 105))
        ratio.legend(ncols=4)
