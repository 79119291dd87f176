# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section 3.7: fast convergence releases bandwidth when another flow joins.

A second flow joins, with fast convergence on in both flows or off in both, all else alike. Left open: rate, round trip, buffer, and when the
second flow starts. Two paths on which the windows are outside the TCP region, a buffer of one BDP, no background traffic.
"""

from __future__ import annotations

from cwnd.papers.ha2008.setups.joining_flow import draw, points, reduced, time_ratios
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "A second flow joins: fast convergence on and off"
CUBIC, SECOND = "cubic-2.2-linux", "cubic-2.2"


def grid(setup: Setup) -> list[Point]:
    return points(setup, {name: {"cc": setup.cubic, "fast_convergence": name == "on"} for name in ("on", "off")})


def reduce(run: Result, point: Point) -> Reduced:
    return reduced(run)


def claims(results: Results) -> dict[str, Answer]:
    return {"on-sooner": Measured(time_ratios(results, "on", "off"))}


def plot(results: Results, figure: Figure) -> None:
    draw(results, figure, {"on": "fast convergence", "off": "without fast convergence"})
