# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.papers.leith2007.setups import STARTS_S, TEN_MINUTES, joined_later, ratio_over_ten_minutes
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

#: The service time of a packet at 10 Mbit/s.
PACKET = "1200us"


@dataclass(frozen=True, slots=True)
class Fig13Numbers:
    """What a run is reduced to."""

    early: float
    late: float


def ratios(results: Results[Fig13Numbers], name: str, when: str) -> list[float]:
    """At 10 Mbit/s, by start time."""
    return results.line(results.where(name=name, rate=10), "start", when)[1]


class Fig13(Experiment[Fig13Numbers]):
    """Figure 13: the throughput ratio of two CUBIC flows of 162 ms and a shorter round trip for different start times of the second.

    The caption is lost; read: 10 Mbit/s and the shortest round trip of the testbed, and in the long form also 250 Mbit/s. Twelve start times; the
    ratio of the ten minutes after the start, and of the next ten minutes. To find the cause, the same runs are repeated with packets that leave up to
    a packet's time late at random, and with standard TCP.
    """

    title = "Throughput ratio of two CUBIC flows, 162 and 16 ms, against the second's start time"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        cubic = {"cc": setup.cubic}
        forms = {"CUBIC": cubic, "CUBIC, random": {**cubic, "overhead": PACKET}, "SACK": {"cc": "sack"}}
        return [
            Point(
                f"{name}, {rate}, {start}",
                joined_later(flow, rate, start),
                # The same start time with twelve random streams shows the effect of randomness alone.
                seeds=len(STARTS_S) if name == "CUBIC, random" and not start else 1,
                info={"name": name, "rate": rate, "start": start},
            )
            for rate in setup.pick((10, 250), (10,))
            for name, flow in forms.items()
            for start in STARTS_S
        ]

    def reduce(self, run: Result, point: Point) -> Fig13Numbers:
        start = point.number("start")
        return Fig13Numbers(
            early=ratio_over_ten_minutes(run, start), late=ratio_over_ten_minutes(run, start + TEN_MINUTES)
        )

    def claims(self, results: Results[Fig13Numbers]) -> dict[str, Answer]:
        def spread(name: str, when: str) -> float:
            ratios_of_starts = ratios(results, name, when)
            return max(ratios_of_starts) / min(ratios_of_starts)

        early, late = (ratios(results, "CUBIC", when) for when in ("early", "late"))
        lasting = float(np.corrcoef(early, late)[0, 1])
        chance = results.values("CUBIC, random, 10, 0", "late")
        note = (
            f"{len(STARTS_S)} start times; ratios {{:.2f}} to {{:.2f}}. The spread is {{:.2f}} with packets that leave up to {PACKET} late at random, "
            f"and {{:.2f}} with standard TCP. At one start time, {len(chance)} seeds of that randomness give a spread of "
            f"{max(chance) / min(chance):.2f} in the later ten minutes; the ratios of the first and the later ten minutes correlate by {lasting:.2f}."
        )
        return {
            name: Measured(
                spread("CUBIC", when),
                note.format(
                    min(ratios_of_starts), max(ratios_of_starts), spread("CUBIC, random", when), spread("SACK", when)
                ),
            )
            for name, when, ratios_of_starts in (("start-time-matters", "early", early), ("after-10-min", "late", late))
        }

    def plot(self, results: Results[Fig13Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        looks = (("CUBIC", "#D55E00", "o-"), ("CUBIC, random", "#E69F00", "^:"), ("SACK", "#0072B2", "s--"))
        for name, colour, look in looks:
            label = {"SACK": "standard TCP", "CUBIC, random": "CUBIC, random times of departure"}.get(name, name)
            axes.plot(STARTS_S, ratios(results, name, "late"), look, color=colour, label=label)
        axes.set(xlabel="start of flow 2 (s)", ylabel="throughput ratio after ten minutes", ylim=(0, 5))
        axes.legend()
