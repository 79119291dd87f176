# SPDX-License-Identifier: MIT OR Apache-2.0
"""Experiments 1 and 2: four flows of a high-speed protocol beside four of SACK, by bandwidth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics import reductions
from cwnd.papers.rhee2005.setups.simulation import NAMES, SETS, protocol_and_sack
from cwnd.reproduce import Figure, Point, Reduced, Result, Results, Setup

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


HIGH_SPEED = ("cubic", "bic", "hstcp", "stcp", "htcp")


def points(
    setup: Setup, names: Sequence[str], rtt_ms: float, rates: Sequence[int], seconds: Mapping[int, float], seeds: int
) -> list[Point]:
    """Every protocol at every bandwidth, Mbit/s, for so many seconds; the first quarter is not measured."""
    sets = {**SETS, "cubic": setup.cubic, "sack": "sack"}
    return [
        Point(
            f"{name}, {rate}",
            protocol_and_sack(sets[name], rate, rtt_ms, seconds[rate], seconds[rate] / 4),
            seeds=seeds,
            info={"name": name, "rate": rate},
        )
        for rate in rates
        for name in names
    ]


def measured(run: Result) -> Reduced:
    """Throughput of SACK over that of the four others, utilisation, and the mean time between reductions of one of the four."""
    flows = [flow["throughput_mbps"] for flow in run.summary["flows"]]
    begin, end = run.scenario.measured_s
    losses = [np.count_nonzero(times >= begin) for flow, times in reductions(run.events).items() if flow < 4]
    return {
        "ratio": sum(flows[4:]) / sum(flows[:4]),
        "utilisation": run.summary["link"]["utilization"],
        "epoch_s": 4 * (end - begin) / max(1, sum(losses)),
    }


def sweep(results: Results, name: str, measure: str = "ratio") -> dict[str, list[float]]:
    """A number of a protocol, by bandwidth."""
    return {f"{rate} Mbit/s": results.values(f"{name}, {rate}", measure) for rate in results.swept("rate")}


def draw(results: Results, figure: Figure) -> None:
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
