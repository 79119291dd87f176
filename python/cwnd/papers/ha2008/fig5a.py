# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 5 a: one CUBIC and one SACK flow on 400 Mbit/s, 8 ms.

At this round trip "even TCP-SACK can use the full bandwidth of the path", and CUBIC, in its TCP-friendly mode, "shares the bandwidth fair"
and keeps a window "similar with that of TCP-SACK". What is left open: setups/cubic_and_sack.py.
"""

from __future__ import annotations

from cwnd.papers.ha2008.setups.cubic_and_sack import draw, points, reduced
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "One CUBIC and one SACK flow, 400 Mbit/s, 8 ms"
CUBIC, SECOND = "cubic-2.2-linux", "cubic-2.2"


def grid(setup: Setup) -> list[Point]:
    return points(setup, 8, full=300, short=120, sample_ms=20)


def reduce(run: Result, point: Point) -> Reduced:
    return reduced(run)


def claims(results: Results) -> dict[str, Answer]:
    return {
        "throughput-ratio": Measured(results.values("pair", "throughput")),
        "windows-alike": Measured(results.values("pair", "windows")),
        "tcp-region": Measured(
            results.values("pair", "region"), "packets acknowledged while W_tcp is above the cubic function"
        ),
        "full": Measured(results.values("pair", "utilisation")),
    }


def plot(results: Results, figure: Figure) -> None:
    draw(results, figure)
