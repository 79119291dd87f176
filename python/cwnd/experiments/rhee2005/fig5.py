# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 5 (experiment 1): throughput of four SACK flows over that of four high-speed flows, RTT 10 ms, 20 Mbit/s to 1 Gbit/s.

Left open: duration, repetitions, kind of background, bandwidths between the ends, and what friendly is (here: SACK has at least half of what the others have).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from cwnd.experiments import Answer, Measured, Point, Reduced, Results, Setup
from cwnd.experiments.rhee2005._friendly import FAST, numbers, picture, points, rates, sweep

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from cwnd.result import Result

TITLE = "TCP friendliness at 10 ms: SACK beside CUBIC, BIC, HSTCP, STCP and H-TCP, 20 Mbit/s to 1 Gbit/s"
CUBIC = "cubic-2005"
RTT_MS = 10
#: Unstated: bandwidths, Mbit/s, and seconds.
ALL, SOME = (20, 50, 100, 200, 500, 1000), (20, 100, 400, 1000)
FULL_S, SHORT_S = 300, {20: 600, 100: 150, 400: 30, 1000: 24}


def grid(setup: Setup) -> list[Point]:
    chosen = setup.pick(ALL, SOME)
    seconds = {rate: setup.seconds(full=FULL_S, short=SHORT_S.get(rate, 60)) for rate in chosen}
    return points(setup, (*FAST, "sack"), RTT_MS, chosen, seconds, setup.seeds(full=10, short=2))


def reduce(run: Result, point: Point) -> Reduced:
    return numbers(run)


def claims(results: Results) -> dict[str, Answer]:
    slow, middle, fast = 20, 100, rates(results)[-1]
    at_fast = {name: results.values(f"{name}, {fast}", "ratio") for name in FAST}
    return {
        **{f"{name}-100mbit": Measured(results.values(f"{name}, {middle}", "ratio")) for name in FAST},
        **{
            f"{name}-1gbit": Measured(results.ratio(f"{name}, {fast}", f"{name}, {middle}", "ratio"))
            for name in ("bic", "hstcp", "stcp")
        },
        "worst-order": Measured({name: at_fast[name] for name in ("hstcp", "bic", "stcp")}),
        "best-two": Measured(at_fast),
        "cubic-throughout": Measured(sweep(results, "cubic")),
        "htcp-throughout": Measured(sweep(results, "htcp")),
        **{
            f"{name}-worse-at-20": Measured(results.ratio(f"{name}, {slow}", f"{name}, {middle}", "ratio"))
            for name in ("bic", "stcp")
        },
        "sack-alone-full": Measured(sweep(results, "sack", "utilisation")),
    }


def plot(results: Results, figure: Figure) -> None:
    picture(results, figure)
