# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 5 (experiment 1): throughput of four SACK flows over that of four high-speed flows, RTT 10 ms, 20 Mbit/s to 1 Gbit/s.

Left open: duration, repetitions, kind of background, bandwidths between the ends, and what friendly is (here: SACK has at least half of what the others have).
"""

from __future__ import annotations

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.rhee2005._tcp_friendliness import HIGH_SPEED, draw, measured, points, sweep

TITLE = "TCP friendliness at 10 ms: SACK beside CUBIC, BIC, HSTCP, STCP and H-TCP, 20 Mbit/s to 1 Gbit/s"
CUBIC = "cubic-2005"
RTT_MS = 10
#: Unstated: bandwidths, Mbit/s, and seconds.
ALL, SOME = (20, 50, 100, 200, 500, 1000), (20, 100, 400, 1000)
FULL_S, SHORT_S = 300, {20: 600, 100: 150, 400: 30, 1000: 24}


def grid(setup: Setup) -> list[Point]:
    chosen = setup.pick(ALL, SOME)
    seconds = {rate: setup.seconds(full=FULL_S, short=SHORT_S.get(rate, 60)) for rate in chosen}
    return points(setup, (*HIGH_SPEED, "sack"), RTT_MS, chosen, seconds, setup.seeds(full=5, short=2))


def reduce(run: Result, point: Point) -> Reduced:
    return measured(run)


def claims(results: Results) -> dict[str, Answer]:
    slow, middle, fast = 20, 100, results.swept("rate")[-1]
    at_fast = {name: results.values(f"{name}, {fast}", "ratio") for name in HIGH_SPEED}
    return {
        **{f"{name}-100mbit": Measured(results.values(f"{name}, {middle}", "ratio")) for name in HIGH_SPEED},
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
    draw(results, figure)


WHY = {
    ("bic-worse-at-20", "stcp-worse-at-20"): """
    The authors do not know why BIC and STCP should be less friendly at 20 than at 100 Mbit/s, and mostly they are not. Over three seeds of 600 and 150 s SACK
    beside BIC has 0.99 and 0.89 of BIC's throughput, beside STCP 0.88 and 0.85; with delayed acknowledgements 0.70 and 0.62, 0.90 and 0.86; with a quarter of the
    buffer 0.98 and 0.84, 0.89 and 0.77. Only without background is BIC a little less friendly at 20 (0.99 against 1.03); STCP is not (0.87, 0.80). A window is 4
    packets at 20 Mbit/s, less than any of them needs to leave its TCP mode: differences there are of recovery, not of growth.
    """,
    "worst-order": """
    STCP is by far the worst, at 0.18 in the shortened run (two seeds) and 0.21 in the full one (five). BIC and HSTCP lie within each other's spread: 0.48 and 0.44 shortened, the wrong way round,
    0.45 and 0.47 full, in the paper's order; from seed to seed each varies by 0.01 to 0.02.
    """,
    "bic-1gbit": """
    BIC and HSTCP lie close to each other at 1 Gbit/s (0.42 and 0.46, two seeds of 24 s), and their halving from 100 Mbit/s close to the bound (0.47 for both);
    STCP is far below (0.22), CUBIC (0.90) and H-TCP (0.78) far above. In the full run (five seeds) BIC keeps 0.504 of its ratio and HSTCP 0.485: a half, as nearly as can be told.
    """,
}
