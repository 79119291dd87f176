# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.rhee2005.setups.simulation import NAMES
from cwnd.papers.rhee2005.setups.single_flow import MeanWindow, distance, mean_window, periodic_losses
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

RTT_MS = 1
#: 1/p, and the number of losses.
PERIODS = {100: 200, 1000: 200, 3000: 100, 10_000: 60, 100_000: 30, 1_000_000: 8}
#: Largest window of HSTCP's TCP mode (RFC 3649).
LOW_WINDOW = 38


class SeccShortRtt(Experiment[MeanWindow]):
    """Section C: "when the RTT is very small, CUBIC is much more TCP friendly than HSTCP regardless of loss rates".

    One flow of each alone, which loses every 1/p-th packet at a round trip of 1 ms. HSTCP counts where its mean window exceeds the 38 packets up to
    which it is standard TCP. Left open: the round trip, loss rates, the distribution of losses; delayed acknowledgements are off.
    """

    title = "Mean windows of CUBIC, HSTCP and SACK at 1 ms, by loss rate"
    cubic = "cubic-2005"

    def grid(self, setup: Setup) -> list[Point]:
        sets = {"cubic": setup.cubic, "hstcp": "highspeed", "sack": "sack"}
        return [
            Point(
                f"{name}, 1/{n}",
                periodic_losses(cc, n, RTT_MS, losses),
                info={"name": name, "period": n, "losses": losses},
            )
            for n, losses in PERIODS.items()
            for name, cc in sets.items()
        ]

    def reduce(self, run: Result, point: Point) -> MeanWindow:
        return mean_window(run)

    def claims(self, results: Results[MeanWindow]) -> dict[str, Answer]:
        mean = {key: results.mean(key, "mean") for key in results}
        beyond = [n for n in PERIODS if mean[f"hstcp, 1/{n}"] > LOW_WINDOW]
        return {
            "cubic-nearer": Measured(
                {
                    f"p = 1/{n}": distance(mean[f"cubic, 1/{n}"], mean[f"sack, 1/{n}"])
                    / distance(mean[f"hstcp, 1/{n}"], mean[f"sack, 1/{n}"])
                    for n in beyond
                }
            )
        }

    def plot(self, results: Results[MeanWindow], figure: Figure) -> None:
        axes = figure.subplots()
        for name, marker in (("sack", "o"), ("cubic", "s"), ("hstcp", "D")):
            values = [results.mean(f"{name}, 1/{n}", "mean") for n in PERIODS]
            axes.loglog([1 / n for n in PERIODS], values, marker=marker, fillstyle="none", label=NAMES[name])
        axes.set(xlabel="loss rate p", ylabel="mean window (packets)")
        axes.legend()
