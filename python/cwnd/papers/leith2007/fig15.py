# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 15: standard TCP (flow 1) against CUBIC (flow 2) at equal round trips, 10 and 250 Mbit/s. The text gives no result.

Left open: buffer (one BDP), start times (within ten seconds).
"""

from __future__ import annotations

from cwnd.papers.leith2007.setups import RTTS_MS, long_flows
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "Standard TCP beside CUBIC at equal round trips, 10 and 250 Mbit/s"
CUBIC, SECOND = "cubic-2.0", "cubic-2.6.18"
START = {"uniform": ["0s", "10s"]}


def grid(setup: Setup) -> list[Point]:
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


def reduce(run: Result, point: Point) -> Reduced:
    sack, cubic = (flow["throughput_mbps"] for flow in run.summary["flows"])
    return {"ratio": sack / cubic}


def claims(results: Results) -> dict[str, Answer]:
    return {
        f"ratio-{rate}": Measured({f"{rtt} ms": results.values(f"{rate}, {rtt} ms", "ratio") for rtt in RTTS_MS})
        for rate in (10, 250)
    }


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    for rate, colour, look in ((10, "#D55E00", "o-"), (250, "#0072B2", "s--")):
        ratios = [results.mean(f"{rate}, {rtt} ms", "ratio") for rtt in RTTS_MS]
        axes.plot(RTTS_MS, ratios, look, color=colour, label=f"{rate} Mbit/s")
    axes.set(xlabel="RTT (ms)", ylabel="throughput ratio, standard TCP / CUBIC", xlim=(0, 210), ylim=(0, None))
    axes.legend()
