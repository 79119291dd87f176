# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.freebsd.setups import LOSSES, NEWRENO, Iperf, Lan, lan
from cwnd.reproduce import Answer, Figure, Measured, Point, Results, Setup

CLOCK_HZ = 1_000_000


class Principle(Lan):
    """The principle: "CUBIC should have the same performance with NewReno in LAN or short latency network", by Eq. 4 of RFC 8312.

    The clock is exact, so that the principle is tested and not the clock. The testbed is that of the table; losses: the table's two, and none.
    """

    title = "CUBIC with an exact clock, compared with NewReno in a LAN"
    cubic = "cubic-freebsd"

    def grid(self, setup: Setup) -> list[Point]:
        return [
            Point(
                f"{name}, {loss:.0%}",
                lan(cc, CLOCK_HZ, loss, setup.seconds(full=60, short=20), **more),
                seeds=setup.seeds(full=10, short=8) if loss else 1,
            )
            for name, cc, more in (("CUBIC", setup.cubic, {"clock": "us"}), ("NewReno", NEWRENO, {}))
            for loss in (0.0, *LOSSES)
        ]

    def claims(self, results: Results[Iperf]) -> dict[str, Answer]:
        losses = (0.0, *LOSSES)
        ratios = {
            f"{loss:.0%} lost": results.ratio(f"CUBIC, {loss:.0%}", f"NewReno, {loss:.0%}", "mbps") for loss in losses
        }
        return {"equal": Measured(ratios)}

    def plot(self, results: Results[Iperf], figure: Figure) -> None:
        axes = figure.subplots()
        losses = (0.0, *LOSSES)
        for shift, (name, colour, hatch) in zip((-0.2, 0.2), (("CUBIC", "#D55E00", ""), ("NewReno", "#0072B2", "//"))):
            rates = [results.mean(f"{name}, {loss:.0%}", "mbps") for loss in losses]
            where = [number + shift for number in range(len(losses))]
            axes.bar(where, rates, 0.38, label=name, color=colour, hatch=hatch, edgecolor="white")
        axes.set_xticks(range(len(losses)), [f"{loss:.0%}" for loss in losses])
        axes.set(xlabel="random loss", ylabel="throughput (Mbit/s)", ylim=(0, 1000))
        axes.legend()
