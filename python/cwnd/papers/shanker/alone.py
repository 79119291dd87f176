# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cwnd.metrics import curves, reductions
from cwnd.metrics.trace import growth, recovered
from cwnd.papers.shanker.setups import WARM_UP_S, shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup

STEP_S = 0.05
#: "Flat", as we read it: within a quarter of K around the plateau the slope is at most this part of that in the epoch's first quarter of K.
FLAT = 0.25


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow alone."""

    mbps: float
    cwnd: list[float]


@dataclass(frozen=True, slots=True)
class CubicFlow(Flow):
    """CUBIC alone: slopes of the window in parts of its epochs, packets/s, by epoch."""

    first: list[float]
    before: list[float]
    around: list[float]
    after: list[float]
    last: list[float]


class Alone(Experiment[CubicFlow | Flow]):
    """CUBIC alone and Tahoe alone on 2.64 Mbit/s, 88 ms: the shape of CUBIC's window, and which is faster.

    The plateau is where this epoch's curve has its inflection, "the size of the congestion window at the last drop". Criteria are on the
    slopes of the window in each epoch that is long enough. An epoch begins at the end of recovery (a first version began at the smallest window,
    inside recovery, and took K of the epoch before). Left open: see `setups.py`.
    """

    title = "One flow alone: CUBIC's window, and its throughput compared with Tahoe's, 2.64 Mbit/s, 88 ms each way"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=4)
        record = {"interval": f"{STEP_S * 1000:g}ms", "inner": ["k_s_x1024"]}
        return [
            Point("cubic", shared_link([setup.cubic], seconds, record=record), seeds=seeds),
            Point("tahoe", shared_link(["tahoe"], seconds), seeds=seeds),
        ]

    def reduce(self, run: Result, point: Point) -> CubicFlow | Flow:
        mbps = run.summary["flows"][0]["throughput_mbps"]
        cwnd = curves(run.cwnd, np.arange(0, 120, 0.2))[0].tolist()
        if point.key == "tahoe":
            return Flow(mbps=mbps, cwnd=cwnd)
        times = np.arange(0, run.scenario.duration_s, STEP_S)
        window = curves(run.cwnd, times)[0]
        k_s = np.interp(times, run.inner["time_s"].to_numpy(), run.inner["value"].to_numpy()) / 1024
        cuts = [time for time in reductions(run.events)[0] if time > WARM_UP_S]
        slopes: dict[str, list[float]] = {"first": [], "before": [], "around": [], "after": [], "last": []}
        opened = recovered(run.events)[0]
        for begin, end in pairwise(cuts):
            # The epoch begins with the first acknowledgement after recovery; K is read after that.
            start = float(opened[np.searchsorted(opened, begin)])
            k, lasts = float(np.interp(start + 0.5, times, k_s)), end - start
            if k < 20 * STEP_S or lasts < 1.5 * k:
                continue
            parts = {
                "first": (0, k / 4),
                "before": (k / 2, k),
                "around": (0.75 * k, 1.25 * k),
                "after": (k, (k + lasts) / 2),
                "last": ((k + lasts) / 2, lasts - STEP_S),
            }
            for name, (fro, to) in parts.items():
                slopes[name].append(growth(times, window, start + fro, to - fro))
        return CubicFlow(mbps=mbps, cwnd=cwnd, **slopes)

    def claims(self, results: Results[CubicFlow | Flow]) -> dict[str, Answer]:
        def share(slopes: list[float], references: list[float], factor: float) -> float:
            pairs = [value < factor * reference for value, reference in zip(slopes, references)]
            return sum(pairs) / len(pairs) if pairs else 0.0

        def below_in_most_epochs(criterion: str, name: str, other: str, factor: float = 1.0) -> Holds:
            shares = results.at("cubic", lambda run: share(getattr(run, name), getattr(run, other), factor))
            return Holds(
                f"in more than half of the epochs, {criterion}",
                [share > 0.5 for share in shares],
                shares,
                within=(0.5, None),
            )

        return {
            "concave": below_in_most_epochs(
                "the window rises more slowly in the second half of K than in the first quarter", "before", "first"
            ),
            "flat": below_in_most_epochs(
                f"within a quarter of K around the plateau it rises at most {FLAT:g} times as fast as in the first quarter of K",
                "around",
                "first",
                FLAT,
            ),
            "convex": below_in_most_epochs(
                "it rises faster in the second half of the time after K than in the first", "after", "last"
            ),
            "throughput": Measured(results.ratio("cubic", "tahoe", "mbps")),
        }

    def plot(self, results: Results[CubicFlow | Flow], figure: Figure) -> None:
        axes = figure.subplots()
        times = np.arange(0, 120, 0.2)
        for name, colour, dash, label in (
            ("cubic", "#D55E00", "-", "CUBIC"),
            ("tahoe", "#0072B2", (0, (4, 1.2)), "Tahoe"),
        ):
            axes.plot(times, results[name][0].cwnd, color=colour, linestyle=dash, linewidth=1.1, label=f"{label} alone")
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, 120), ylim=(0, None))
        axes.legend(ncols=2)
