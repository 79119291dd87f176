# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd.papers.leith2007.setups import long_flows
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.iperf import shares
from cwnd.reproduce.numbers import JsonObject

RTT_MS = 200
START = {"uniform": ["0s", "10s"]}
#: Buffers, % of the BDP: of both rates; those that count as below 30 %.
BUFFERS = (1, 2.5, 5, 10, 20, 30, 50, 100)
SMALL = (2.5, 5, 10, 20)
BURSTS: Mapping[str, JsonObject] = {"no limit": {}, "4 packets": {"burst": 4}, "paced": {"pacing": True}}


@dataclass(frozen=True, slots=True)
class Fig11Numbers:
    """What a run is reduced to."""

    use: float


class Fig11(Experiment[Fig11Numbers]):
    """Figure 11: utilisation of the link by two flows against the buffer, 1 to 100 % of the BDP, at 10 and 250 Mbit/s.

    The document's sweep begins at 2.5 %, but its text mentions smaller buffers, so 1 % is added. It suspects bursts as the cause of the collapse at
    250 Mbit/s: the small buffers there run without a limit on bursts, with a limit of four packets, and paced. Utilisation is payload, as iperf
    reports it. Left open: round trip (read: 200 ms), start times.
    """

    title = "Utilisation by two flows against the buffer, 10 and 250 Mbit/s, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=1800, short=400)

        def point(name: str, cc: str, rate: int, buffer: float, bursts: str) -> Point:
            flow = {"cc": cc, "count": 2, "start": START, **BURSTS[bursts]}
            return Point(
                f"{name}, {rate}, {buffer:g}, {bursts}",
                long_flows([flow], f"{rate}Mbit/s", RTT_MS, end, begin=end / 4, queue=f"{buffer / 100:g}bdp"),
                seeds=setup.seeds(full=5, short=5 if rate == 10 else 1),
                info={"name": name, "rate": rate, "buffer": buffer, "bursts": bursts},
            )

        both = (("CUBIC", setup.cubic), ("SACK", "sack"))
        points = [
            point(name, cc, rate, buffer, "no limit") for name, cc in both for rate in (10, 250) for buffer in BUFFERS
        ]
        return points + [
            point(name, cc, 250, buffer, bursts)
            for name, cc in both
            for bursts in ("4 packets", "paced")
            for buffer in SMALL
        ]

    def reduce(self, run: Result, point: Point) -> Fig11Numbers:
        return Fig11Numbers(use=sum(shares(run)))

    def claims(self, results: Results[Fig11Numbers]) -> dict[str, Answer]:
        def use(name: str, rate: int, buffer: float, bursts: str = "no limit") -> str:
            return f"{name}, {rate}, {buffer:g}, {bursts}"

        lowest = min(SMALL, key=lambda buffer: results.mean(use("CUBIC", 250, buffer), "use"))
        return {
            "cubic-above-sack-10": Measured(results.ratio(use("CUBIC", 10, 5), use("SACK", 10, 5), "use")),
            "cubic-falls-10": Measured(results.ratio(use("CUBIC", 10, 1), use("CUBIC", 10, 2.5), "use")),
            "sack-falls-10": Measured(results.ratio(use("SACK", 10, 1), use("SACK", 10, 2.5), "use")),
            "cubic-half-250": Measured(results.values(use("CUBIC", 250, lowest), "use"), f"at {lowest:g} % of the BDP"),
            "cubic-below-sack-250": Measured(
                {
                    f"{buffer:g} %": results.ratio(use("CUBIC", 250, buffer), use("SACK", 250, buffer), "use")
                    for buffer in SMALL
                }
            ),
            "bursts": Measured(
                {
                    f"{name}, {buffer:g} %, {bursts}": results.values(use(name, 250, buffer, bursts), "use")
                    for name in ("CUBIC", "SACK")
                    for buffer in SMALL
                    for bursts in BURSTS
                }
            ),
        }

    def plot(self, results: Results[Fig11Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.8)
        for axes, rate in zip(figure.subplots(2, 1, sharex=True), (10, 250)):
            for name, look in (("CUBIC", "o-"), ("SACK", "s--")):
                colour = "#D55E00" if name == "CUBIC" else "#0072B2"
                uses = [100 * results.mean(f"{name}, {rate}, {buffer:g}, no limit", "use") for buffer in BUFFERS]
                axes.plot(BUFFERS, uses, look, color=colour, label=name.replace("SACK", "standard TCP"))
            axes.set(title=f"{rate} Mbit/s", ylabel="utilisation (%)", ylim=(0, 105))
        axes.set(xlabel="buffer (% of the BDP)", xlim=(0, 102))
        figure.axes[0].legend()
