# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 9: two flows of one algorithm with different round trips: fairness (a) and link utilisation (b).

One flow has 162 ms, the other 16 to 162 ms (the text has 164 once), on 400 Mbit/s behind 2 Mbyte of buffer, with the background traffic of
section 6.1. The throughput ratio is read as that of the long round trip over the short one: below 1 where the short one wins. Left open:
durations, start times, the points between the ends.
"""

from __future__ import annotations

from math import log

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.ha2008._impact import LABELS, NAMES, algorithm
from cwnd.experiments.ha2008._testbed import OVERHEAD, background
from cwnd.metrics import rates

TITLE = "Two flows of one algorithm, RTT 162 ms against 16 to 162 ms, 400 Mbit/s, 2 Mbyte of buffer"
CUBIC = "cubic-2.2"
LONG_MS = 162
#: Unstated: round trips between the two ends, ms.
ALL_MS, SOME_MS = (16, 27, 54, 81, 162), (16, 54, 162)
#: Unstated: both start within ten seconds, and the first quarter of the run is not measured.
START, WARM_UP = {"uniform": ["0s", "10s"]}, 0.25
#: At the end two flows have converged if over the last minute their throughputs are within 20 % of each other.
LAST_S, ALIKE = 60, 0.8


def grid(setup: Setup) -> list[Point]:
    end = setup.seconds(full=600, short=160)
    return [
        Point(
            f"{name}, {rtt} ms",
            {
                "duration": f"{end:g}s",
                "measure": [f"{WARM_UP * end:g}s", f"{end:g}s"],
                "link": {"rate": "400Mbit/s", "rtt": f"{LONG_MS}ms", "queue": {"kind": "droptail", "limit": "2MB"}},
                "flow": [
                    {"cc": algorithm(setup, name), "rtt": f"{one}ms", "start": START, "overhead": OVERHEAD}
                    for one in (LONG_MS, rtt)
                ],
                "traffic": background(),
                "record": {"interval": "1s"},
            },
            seeds=setup.seeds(full=5, short=2),
            info={"name": name, "rtt": rtt},
        )
        for rtt in setup.pick(ALL_MS, SOME_MS)
        for name in NAMES
    ]


def reduce(run: Result, point: Point) -> Reduced:
    long, short = (flow["throughput_mbps"] for flow in run.summary["flows"])
    end, size = run.scenario.duration_s, run.scenario.packet_bytes
    last = (
        rates(run.cwnd, packet_bytes=size, interval_s=LAST_S, begin_s=end - LAST_S, end_s=end).only([0, 1]).mbps[:, 0]
    )
    return {
        "ratio": long / short,
        "utilisation": run.summary["link"]["utilization"],
        "last": float(min(last) / max(last)),
    }


def claims(results: Results) -> dict[str, Answer]:
    rtts = sorted({point.info["rtt"] for point in results.points.values()})
    # Where both are equal there is no long and no short round trip.
    unequal = [rtt for rtt in rtts if rtt != LONG_MS]

    def slopes(name: str) -> list[float]:
        across = [log(LONG_MS / rtt) for rtt in rtts]

        def slope(run: dict[str, Reduced]) -> float:
            return float(np.polyfit(across, [log(run[f"{name}, {rtt} ms"]["ratio"]) for rtt in rtts], 1)[0])

        return results.each(slope)  # type: ignore[arg-type]

    def less(name: str) -> list[float]:
        return [one - sack for one, sack in zip(slopes(name), slopes("sack"))]

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
        "hstcp-slope": Measured([abs(one) for one in less("hstcp")]),
        "hstcp-full": Measured({f"{rtt} ms": results.values(f"hstcp, {rtt} ms", "utilisation") for rtt in rtts}),
        "hstcp-not-converged": Held(
            f"over the last {LAST_S} s one of the two flows has less than {ALIKE:.0%} of the other's throughput",
            [one < ALIKE for one in last],
            last,
        ),
    }


def plot(results: Results, figure: Figure) -> None:
    from cwnd.plot import MARKERS

    figure.set_size_inches(6.4, 6.4)
    panels = figure.subplots(2, 1, sharex=True)
    for axes, measure, label in zip(
        panels, ("ratio", "utilisation"), ("throughput ratio, long / short RTT", "link utilisation (%)")
    ):
        for name, marker in zip(NAMES, MARKERS):
            keys = [key for key, point in results.points.items() if point.info["name"] == name]
            across = [LONG_MS / results.points[key].info["rtt"] for key in keys]
            means = [results.mean(key, measure) * (100 if measure == "utilisation" else 1) for key in keys]
            axes.plot(across, means, marker=marker, label=LABELS[name])
        axes.set_ylabel(label)
    panels[0].plot([1, 10], [1, 0.1], color="black", linewidth=0.8, linestyle=":", label="1 / RTT ratio")
    panels[0].set(xscale="log", yscale="log")
    panels[1].set(xlabel="RTT ratio", ylim=(0, 105))
    panels[1].set_xticks([1, 2, 3, 4, 6, 8, 10], ["1", "2", "3", "4", "6", "8", "10"], minor=False)
    panels[1].minorticks_off()
    panels[0].legend()


WHY = {
    ("bic-slope", "bic-lowest"): "fig9-bic.md",
    ("sack-slope", "cubic-slope", "cubic-ratios"): "fig9-slopes.md",
}
