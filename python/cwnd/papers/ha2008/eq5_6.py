# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cwnd.papers.ha2008.setups.prescribed_losses import BETA, average_window, epochs, flow_with_losses
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import kept_fraction

#: Unstated: packets between losses and round trips, ms, outside the TCP region (equation 5 above 1.2/√p).
CASES = ((1_000, 200), (10_000, 100), (10_000, 200), (100_000, 100))
#: Unstated: epochs, of which the first fifth is not measured.
EPOCHS = 40


@dataclass(frozen=True, slots=True)
class Eq5_6Numbers:
    """What a run is reduced to."""

    ratio: float
    excess: float
    by_epoch: list[float]


class Eq5_6(Experiment[Eq5_6Numbers]):
    """Equations 5 and 6: the average window under deterministic loss, ((C (4−β) / 4β) (RTT/p)³)^¼ = 1.17 (RTT/p)^¾.

    A flow that loses every 1/p-th packet, outside the TCP region, without fast convergence, from the equation's own W_max = E{W} 4/(4−β) on;
    where "CUBIC always operates with the concave window profile". From half and four times that window it approaches slowly, which is reported.
    Left open: loss rates, round trips, and the window at the start.
    """

    title = "CUBIC's average window under deterministic loss, compared with equations 5 and 6"
    cubic = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        # The version's own β is what equation 5 is compared with.
        beta = 1 - kept_fraction(setup.cubic)

        def point(packets: int, rtt: int, times: float, epochs: int) -> Point:
            mean = average_window(beta, rtt / 1e3, 1 / packets)
            first = round(times * mean * 4 / (4 - beta))
            seconds = epochs * packets / mean * rtt / 1e3
            lost = [first + n * packets for n in range(2 * epochs)]
            scenario = flow_with_losses(
                {"cc": setup.cubic, "fast_convergence": False}, rtt, lost, seconds, window=first
            )
            key = f"1/p {packets}, {rtt} ms" + ("" if times == 1 else f", from {times:g} times the window")
            return Point(key, scenario, info={"mean": mean, "times": times, "packets": packets})

        cases = setup.pick(CASES, CASES[:-1])
        return [point(*case, 1, EPOCHS) for case in cases] + [point(10_000, 100, times, EPOCHS) for times in (0.5, 4)]

    def reduce(self, run: Result, point: Point) -> Eq5_6Numbers:
        parts = epochs(run)
        begin, end = run.scenario.duration_s / 5, run.scenario.duration_s
        time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
        late = time >= begin
        lasts = np.diff(np.append(time[late], end))
        pairs = [(before[-1], inside) for (_, before), (since, inside) in pairwise(parts) if since[0] >= begin]
        excess = [(inside.max() - w_max) / max(1, 0.01 * w_max) for w_max, inside in pairs]
        means = [np.average(size[:-1], weights=np.diff(since)) for since, size in parts[1:-1] if len(since) > 2]
        return Eq5_6Numbers(
            ratio=float(np.sum(window[late] * lasts) / lasts.sum() / point.number("mean")),
            excess=float(max(excess)),
            by_epoch=[mean / point.number("mean") for mean in means],
        )

    def claims(self, results: Results[Eq5_6Numbers]) -> dict[str, Answer]:
        from_own_window = results.where(times=1)
        others = [key for key in results if key not in from_own_window]
        by_epoch = {
            f"{key}, epoch {n}": results[key][0].by_epoch[n - 1]
            for key in others
            for n in (1, 2, 5, 10, 20, 30)
            if n <= len(results[key][0].by_epoch)
        }
        return {
            "constant": Measured(average_window(BETA, 1, 1)),
            "average": Measured({key: results.values(key, "ratio") for key in from_own_window}),
            "concave-only": Measured({key: results.values(key, "excess") for key in from_own_window}),
            "other-start": Measured(by_epoch),
        }

    def plot(self, results: Results[Eq5_6Numbers], figure: Figure) -> None:
        from cwnd.plot import MARKERS

        axes = figure.subplots()
        for key, marker in zip(results, MARKERS):
            epochs_ = results[key][0].by_epoch
            axes.plot(range(1, len(epochs_) + 1), epochs_, marker=marker, markersize=3, linewidth=0.8, label=key)
        axes.axhline(1, color="black", linewidth=0.8, linestyle="--")
        axes.set(xlabel="epoch", ylabel="mean window / equation 5", xlim=(0, None), ylim=(0, 2))
        axes.legend(fontsize="small")
