# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.against_sack import AgainstSack, Shares, against_sack
from cwnd.papers.ha2008.setups.testbed import LABELS, NAMES, algorithm
from cwnd.reproduce import Answer, Figure, Measured, Point, Results, Setup

#: Unstated. Mbit/s; a BDP of 8, 16, 83 and 166 packets. The buffer is as large: two flows have windows of half to one BDP each.
RATES = (100, 200, 1000, 2000)
#: Where the BDP is above 38 packets, and a flow's window above 14.
ABOVE = (1000, 2000)


class Sec6_4Cutoffs(AgainstSack):
    """Section 6.4, fixed cutoffs: BIC and HSTCP leave their TCP mode at 14 and 38 packets, also at a round trip of 1 ms; CUBIC does not.

    "Even with 1ms RTT, if BDP is larger than 38 packets, HSTCP will operate in a scalable mode." The paper gives an argument and no run; this
    experiment runs one flow of X and one SACK flow. Left open: bandwidths, how many flows; no background here.
    """

    title = "One flow of X and one SACK flow at 1 ms, BDP below and above the cutoffs of 14 and 38 packets"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=300, short=20), setup.seeds(full=10, short=3)
        return [
            Point(
                f"{name}, {rate} Mbit/s",
                against_sack(algorithm(setup, name), rate=rate, rtt_ms=1, seconds=end, each=1, with_background=False),
                seeds=seeds,
                info={"name": name, "rate": rate},
            )
            for rate in RATES
            for name in NAMES
        ]

    def claims(self, results: Results[Shares]) -> dict[str, Answer]:
        def taken(name: str, rates: tuple[int, ...]) -> dict[str, list[float]]:
            return {
                f"{rate} Mbit/s": results.at(f"{name}, {rate} Mbit/s", lambda run: run.x / run.sack) for rate in rates
            }

        return {
            "bic-above-cutoff": Measured(taken("bic", ABOVE)),
            "hstcp-above-cutoff": Measured(taken("hstcp", ABOVE)),
            "cubic-not": Measured(taken("cubic", RATES)),
        }

    def plot(self, results: Results[Shares], figure: Figure) -> None:
        from cwnd.plot import MARKERS

        axes = figure.subplots()
        for name, marker in zip(NAMES[:3], MARKERS):
            runs = [results[f"{name}, {rate} Mbit/s"] for rate in RATES]
            means = [sum(run.x / run.sack for run in seeds) / len(seeds) for seeds in runs]
            axes.plot([rate / 12 for rate in RATES], means, marker=marker, label=LABELS[name])
        axes.axhline(1, color="black", linewidth=0.8)
        for cutoff in (14, 38):
            axes.axvline(cutoff, color="#888888", linestyle=":", linewidth=1)
        axes.set(xlabel="BDP (packets)", ylabel="throughput, X / SACK", xscale="log", ylim=(0, None))
        axes.legend()
