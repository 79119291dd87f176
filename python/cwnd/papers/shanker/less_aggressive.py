# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd._internal.json_types import number
from cwnd.papers.shanker.setups import HIGH, LOW, shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

LINKS = {"low BDP": LOW, "high BDP": HIGH}
#: Unstated: how much smaller.
FORMS: Mapping[str, JsonObject] = {
    "default": {},
    "C 0.04": {"c": 0.04},
    "C 0.004": {"c": 0.004},
    "kept 0.5": {"beta": 0.5},
}


@dataclass(frozen=True, slots=True)
class LessAggressiveNumbers:
    """What a run is reduced to."""

    cubic: float
    tahoe: float


class LessAggressive(Experiment[LessAggressiveNumbers]):
    """A "less aggressive CUBIC algorithm" alongside Tahoe: a tenth and a hundredth of C, or half of the window kept; Tahoe then keeps more.

    The post does not say how much less, nor on which of its links: both are run.
    """

    title = "Tahoe alongside CUBIC with a smaller C, or with half of the window kept, on both links"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds = setup.seconds(full=600, short=300)
        return [
            Point(
                f"{form}, {link}",
                shared_link([{"cc": setup.cubic, **keys}, "tahoe"], seconds, LINKS[link]),
                seeds=setup.seeds(full=10, short=4),
            )
            for link in LINKS
            for form, keys in FORMS.items()
        ]

    def reduce(self, run: Result, point: Point) -> LessAggressiveNumbers:
        cubic, tahoe = (number(flow, "share") for flow in run.summary["flows"])
        return LessAggressiveNumbers(cubic=cubic, tahoe=tahoe)

    def claims(self, results: Results[LessAggressiveNumbers]) -> dict[str, Answer]:
        def more(*forms: str) -> Measured:
            return Measured(
                {
                    f"{form}, {link}": results.ratio(f"{form}, {link}", f"default, {link}", "tahoe")
                    for link in LINKS
                    for form in forms
                }
            )

        return {"smaller-c": more("C 0.04", "C 0.004"), "kept-half": more("kept 0.5")}

    def plot(self, results: Results[LessAggressiveNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        for shift, (link, colour, hatch) in zip(
            (-0.2, 0.2), (("low BDP", "#0072B2", ""), ("high BDP", "#D55E00", "//"))
        ):
            shares = [100 * results.mean(f"{form}, {link}", "tahoe") for form in FORMS]
            where = [number + shift for number in range(len(FORMS))]
            axes.bar(where, shares, 0.38, label=link, color=colour, hatch=hatch, edgecolor="white")
        axes.set_xticks(range(len(FORMS)), FORMS)
        axes.set(ylabel="share of Tahoe (%)", ylim=(0, None))
        axes.legend()
