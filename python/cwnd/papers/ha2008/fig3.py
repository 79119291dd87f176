# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cwnd.papers.ha2008.setups.prescribed_losses import flow_with_losses, response
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import kept_fraction
from cwnd.reproduce.numbers import JsonObject

RTTS_MS = (10, 100)
NAMES = {"tcp": "TCP", "hstcp": "HSTCP", "cubic": "CUBIC"}
AXIS = np.logspace(-7, -1, 121)
ALL, SOME = (100, 1_000, 10_000, 100_000, 1_000_000), (100, 1_000, 10_000, 100_000)
#: Losses, of which the first fifth is not measured; window at a loss over the mean one.
EPOCHS = 40
SLOW_START, FAST_CONVERGENCE = "from slow start", "with fast convergence"
PEAK = {"tcp": 4 / 3, "hstcp": 1.2}


@dataclass(frozen=True, slots=True)
class Fig3Numbers:
    """What a run is reduced to."""

    mean: float
    ratio: float


class Fig3(Experiment[Fig3Numbers]):
    """Figure 3: average window against loss rate of standard TCP, HSTCP (both from RFC 3649) and CUBIC (equations 6 and 4), RTT 10 and 100 ms.

    The figure is computed. For comparison, a flow that loses every 1/p-th packet is measured, without delayed acknowledgements, from the formula's
    own window on; CUBIC also from slow start and with fast convergence, where the mean depends on history. Left open: the range of the axes, and
    everything that a measurement needs.
    """

    title = "Response functions of standard TCP, HSTCP and CUBIC at 10 and 100 ms"
    cubic = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        beta = 1 - kept_fraction(setup.cubic)
        cubic: JsonObject = {"cc": setup.cubic, "fast_convergence": False}
        flows: Mapping[str, JsonObject] = {"tcp": {"cc": "sack"}, "hstcp": {"cc": "highspeed"}, "cubic": cubic}

        def point(name: str, packets: int, rtt: int, history: str = "") -> Point:
            mean = response(name, 1 / packets, rtt / 1e3, beta)
            peak = round(mean * PEAK.get(name, 4 / (4 - beta)))
            flow = {**flows[name], **({"fast_convergence": True} if history == FAST_CONVERGENCE else {})}
            count = EPOCHS if packets < 1_000_000 else EPOCHS // 2
            seconds = count * packets / mean * rtt / 1e3
            lost = [peak + n * packets for n in range(2 * count)]
            window = None if history == SLOW_START else peak
            scenario = flow_with_losses(
                flow, rtt, lost, seconds, window=window, record={"per_ack": False, "interval": "0s"}
            )
            measured = {**scenario, "measure": [f"{seconds / 5:.3f}s", f"{seconds:.3f}s"]}
            key = f"{name}, {rtt} ms, 1/{packets}" + (f", {history}" if history else "")
            info: dict[str, float | str] = {
                "name": name,
                "rtt": rtt,
                "packets": packets,
                "mean": mean,
                "history": history,
            }
            return Point(key, measured, info=info)

        points = [point(name, n, rtt) for name in flows for rtt in RTTS_MS for n in setup.pick(ALL, SOME)]
        return points + [
            point("cubic", n, 100, history) for n in SOME[1:] for history in (SLOW_START, FAST_CONVERGENCE)
        ]

    def reduce(self, run: Result, point: Point) -> Fig3Numbers:
        mean = run.summary["flows"][0]["cwnd_mean"]
        return Fig3Numbers(mean=mean, ratio=mean / point.number("mean"))

    def claims(self, results: Results[Fig3Numbers]) -> dict[str, Answer]:
        def ratios(keys: Iterable[str]) -> Measured:
            return Measured({key: results.values(key, "ratio") for key in keys})

        rtt_s = 0.01
        tcp, hstcp, cubic = (response(name, 1e-6, rtt_s) for name in NAMES)
        beside = {
            f"{rtt} ms, p = {p:.1e}": response("cubic", p, rtt / 1e3) / response("hstcp", p, rtt / 1e3)
            for rtt in RTTS_MS
            for p in AXIS
        }
        worst = max(beside, key=lambda key: beside[key])
        return {
            "tcp-window": Measured(tcp),
            "tcp-rate": Measured(tcp * 1500 * 8 / rtt_s / 1e9),
            "cubic-equals-tcp": Holds(
                "the figure's average windows are equal within 0.1 %", abs(cubic / tcp - 1) <= 1e-3, cubic / tcp
            ),
            "hstcp-tenfold": Measured(hstcp / tcp),
            "cubic-not-above-hstcp": Measured(beside[worst], f"largest at {worst}"),
            **{f"measured-{name}": ratios(results.where(name=name, history="")) for name in NAMES},
            "history-distance": ratios(key for key, point in results.points.items() if point.info["history"]),
        }

    def plot(self, results: Results[Fig3Numbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 7.2)
        for axes, rtt in zip(figure.subplots(2, 1), RTTS_MS):
            for (name, label), marker, dash in zip(NAMES.items(), "os^", ("--", ":", "-")):
                (line,) = axes.loglog(AXIS, [response(name, p, rtt / 1e3) for p in AXIS], dash, label=label)
                packets, means = results.line(results.where(name=name, rtt=rtt, history=""), "packets", "mean")
                axes.plot([1 / n for n in packets], means, marker, color=line.get_color(), markersize=4)
            axes.set(title=f"RTT {rtt} ms", xlabel="loss rate p", ylabel="average window (packets)")
            axes.legend()
