# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.papers.ha2008.setups.prescribed_losses import C, epochs, flow_with_losses, sampled
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import kept_fraction

#: Unstated: windows at the loss, packets, and round trips, ms, where standard TCP would be slower all the way to 2 K.
CASES = ((100, 200), (300, 100), (1000, 40), (1000, 100), (3000, 100), (10000, 200))


@dataclass(frozen=True, slots=True)
class Eq1_2Numbers:
    """What a run is reduced to."""

    distance: float
    at: float
    k: float
    w_max: float
    time_s: list[float]
    cwnd: list[float]


class Eq1_2(Experiment[Eq1_2Numbers]):
    """Equations 1 and 2: W(t) = C (t − K)³ + W_max with K = (W_max β / C)^⅓, compared with the windows of a flow after one loss.

    No earlier loss (so no fast convergence), outside the TCP region, no acknowledgement delayed. t counts from the first acknowledgement
    after recovery, where the flow "starts to increase the window using the concave profile". Left open: windows and round trips.
    """

    title = "A flow's windows after one loss, compared with the cubic of equations 1 and 2"
    cubic = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        beta = 1 - kept_fraction(setup.cubic)
        return [
            Point(
                f"W_max {w_max}, {rtt} ms",
                flow_with_losses(
                    {"cc": setup.cubic}, rtt, [w_max], 2 * (w_max * beta / C) ** (1 / 3) + 4 * rtt / 1e3, window=w_max
                ),
                info={"beta": beta, "w_max": w_max, "rtt": rtt},
            )
            for w_max, rtt in setup.pick(CASES, CASES[:-1])
        ]

    def reduce(self, run: Result, point: Point) -> Eq1_2Numbers:
        before, after = epochs(run)
        w_max = before[1][-1]
        k = float(np.cbrt(w_max * point.number("beta") / C))
        since = after[0] - after[0][0]
        curve = C * (since - k) ** 3 + w_max
        distance = np.abs(after[1] - curve) / np.maximum(1, 0.01 * curve)
        times = np.linspace(0, since[-1], 200)
        return Eq1_2Numbers(
            distance=float(distance.max()),
            at=float(since[distance.argmax()] / k),
            k=k,
            w_max=w_max,
            time_s=times.tolist(),
            cwnd=sampled(after, times).tolist(),
        )

    def claims(self, results: Results[Eq1_2Numbers]) -> dict[str, Answer]:
        return {"trace-equals-curve": Measured({key: results.values(key, "distance") for key in results})}

    def plot(self, results: Results[Eq1_2Numbers], figure: Figure) -> None:
        from cwnd.plot import MARKERS

        axes = figure.subplots()
        for key, marker in zip(results, MARKERS):
            run = results[key][0]
            unit = [time / run.k for time in run.time_s]
            axes.plot(
                unit, [size / run.w_max for size in run.cwnd], marker=marker, markevery=20, linewidth=0.8, label=key
            )
        at = np.linspace(0, 2, 100)
        beta = results.points[key].number("beta")
        axes.plot(at, beta * (at - 1) ** 3 + 1, color="black", linewidth=0.8, linestyle="--", label="equation 1")
        axes.set(xlabel="time since the loss / K", ylabel="window / W_max", xlim=(0, 2))
        axes.legend()
