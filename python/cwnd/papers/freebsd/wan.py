# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.freebsd.setups import LOSSES, PATCHED, Iperf, Lan, lan
from cwnd.reproduce import Answer, Figure, Measured, Point, Results, Setup

RTTS_MS = (10, 20, 50, 100)
#: Unstated.
RATE, QUEUE, CLOCK_HZ = "100Mbit/s", "1bdp", 100


class Wan(Lan):
    """The patch "has little impact on traffic in WAN where RTT > 10ms": patched over tick CUBIC at the table's losses, and without any.

    Left open: rate, round trips beyond 10 ms, queue and clock; read: the clock of 100 Hz, which slows CUBIC in the LAN, 100 Mbit/s, one BDP.
    """

    title = "Patched and tick CUBIC over 10 to 100 ms, 100 Hz, with 2 %, 1 % and no random loss"
    cubic = "cubic-freebsd"

    def grid(self, setup: Setup) -> list[Point]:
        return [
            Point(
                f"{name}, {loss:.0%}, {rtt} ms",
                lan(cc, CLOCK_HZ, loss, setup.seconds(full=600, short=200), rtt=f"{rtt}ms", rate=RATE, queue=QUEUE),
                seeds=setup.seeds(full=10, short=4) if loss else 1,
            )
            for name, cc in (("patched", PATCHED), ("tick", setup.cubic))
            for loss in (0.0, *LOSSES)
            for rtt in RTTS_MS
        ]

    def claims(self, results: Results[Iperf]) -> dict[str, Answer]:
        def change(loss: float) -> Measured:
            return Measured(
                {
                    f"{rtt} ms": results.ratio(f"patched, {loss:.0%}, {rtt} ms", f"tick, {loss:.0%}, {rtt} ms", "mbps")
                    for rtt in RTTS_MS
                }
            )

        return {
            "little-change-loss-1": change(0.01),
            "little-change-loss-2": change(0.02),
            "little-change-lossless": change(0.0),
        }

    def plot(self, results: Results[Iperf], figure: Figure) -> None:
        axes = figure.subplots()
        colours = {0.0: "#000000", 0.01: "#0072B2", 0.02: "#D55E00"}
        for loss, colour in colours.items():
            for name, look in (("patched", "o-"), ("tick", "s--")):
                rates = [results.mean(f"{name}, {loss:.0%}, {rtt} ms", "mbps") for rtt in RTTS_MS]
                axes.loglog(RTTS_MS, rates, look, color=colour, label=f"{name} CUBIC, {loss:.0%} lost")
        axes.set(xlabel="RTT (ms)", ylabel="throughput (Mbit/s)", xticks=RTTS_MS, xticklabels=RTTS_MS)
        axes.minorticks_off()
        axes.legend(fontsize=8)
