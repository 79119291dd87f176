# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 5 b: one CUBIC and one SACK flow on 400 Mbit/s, 82 ms.

"Where Standard TCP has the under-utilization problem", CUBIC "runs a cubic window growth function". What is left open: setups/cubic_and_sack.py.
"""

from __future__ import annotations

from cwnd.papers.ha2008.setups.cubic_and_sack import draw, points, reduced
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "One CUBIC and one SACK flow, 400 Mbit/s, 82 ms"
CUBIC, SECOND = "cubic-2.2-linux", "cubic-2.2"


def grid(setup: Setup) -> list[Point]:
    return points(setup, 82, full=600, short=180, sample_ms=50)


def reduce(run: Result, point: Point) -> Reduced:
    return reduced(run)


def claims(results: Results) -> dict[str, Answer]:
    return {
        "cubic-region": Measured(
            results.values("pair", "region"), "packets acknowledged while W_tcp is above the cubic function"
        ),
        "sack-share": Measured(results.values("pair", "sack")),
    }


def plot(results: Results, figure: Figure) -> None:
    draw(results, figure)
