# SPDX-License-Identifier: MIT OR Apache-2.0
"""Experiments 1 and 2: four flows of a high-speed protocol alongside four of SACK, by bandwidth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cwnd._internal.json_types import number
from cwnd.metrics import reductions
from cwnd.papers.rhee2005.setups.simulation import NAMES, SETS, protocol_and_sack
from cwnd.reproduce import Experiment, Figure, Point, Result, Results, Setup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


HIGH_SPEED = ("cubic", "bic", "hstcp", "stcp", "htcp")


@dataclass(frozen=True, slots=True)
class Friendly:
    """Four flows alongside four of SACK."""

    #: Throughput of SACK over that of the others.
    ratio: float
    utilisation: float
    #: The mean time between reductions of one of the four.
    epoch_s: float


def sweep(results: Results[Friendly], name: str, measure: str = "ratio") -> dict[str, list[float]]:
    """A number of a protocol, by bandwidth."""
    return {f"{rate} Mbit/s": results.values(f"{name}, {rate}", measure) for rate in results.swept("rate")}


class Friendliness(Experiment[Friendly]):
    """Every protocol at every bandwidth; the first quarter is not measured."""

    rtt_ms: ClassVar[float]
    protocols: ClassVar[Sequence[str]] = HIGH_SPEED
    #: Unstated: bandwidths of the full and of the shortened run, Mbit/s, and seconds; those of the shortened run by bandwidth.
    bandwidths: ClassVar[tuple[Sequence[int], Sequence[int]]]
    full_s: ClassVar[float]
    short_s: ClassVar[Mapping[int, float]]

    def grid(self, setup: Setup) -> list[Point]:
        sets = {**SETS, "cubic": setup.cubic, "sack": "sack"}
        seconds = {
            rate: setup.seconds(full=self.full_s, short=self.short_s.get(rate, 0))
            for rate in setup.pick(*self.bandwidths)
        }
        return [
            Point(
                f"{name}, {rate}",
                protocol_and_sack(sets[name], rate, self.rtt_ms, end, end / 4),
                seeds=setup.seeds(full=5, short=2),
                info={"name": name, "rate": rate},
            )
            for rate, end in seconds.items()
            for name in self.protocols
        ]

    def reduce(self, run: Result, point: Point) -> Friendly:
        flows = [flow["throughput_mbps"] for flow in run.summary["flows"]]
        begin, end = run.scenario.measured_s
        losses = [np.count_nonzero(times >= begin) for flow, times in reductions(run.events).items() if flow < 4]
        return Friendly(
            ratio=sum(flows[4:]) / sum(flows[:4]),
            utilisation=number(run.summary["link"], "utilization"),
            epoch_s=4 * (end - begin) / max(1, sum(losses)),
        )

    def plot(self, results: Results[Friendly], figure: Figure) -> None:
        """SACK over the others by bandwidth."""
        axes, rates = figure.subplots(), results.swept("rate")
        for name, marker in zip(HIGH_SPEED, "sD^vo"):
            means = [results.mean(f"{name}, {rate}", "ratio") for rate in rates]
            axes.semilogx(rates, means, marker=marker, label=NAMES[name])
        axes.axhline(1, color="black", linewidth=0.8, linestyle=":")
        axes.set(xlabel="bandwidth (Mbit/s)", ylabel="throughput ratio, TCP-SACK / high-speed", ylim=(0, None))
        axes.set_xticks(rates, list(map(str, rates)))
        axes.minorticks_off()
        axes.legend(ncols=2)
