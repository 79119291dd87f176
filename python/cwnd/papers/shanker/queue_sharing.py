# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, drops, reductions
from cwnd.metrics.trace import mean_epoch
from cwnd.papers.shanker.setups import WARM_UP_S, shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup

STEP_S = 0.05


@dataclass(frozen=True, slots=True)
class QueueSharingNumbers:
    """What a run is reduced to."""

    fill_s: float
    window: float
    lost: float
    first_s: float
    queue: list[float]


class QueueSharing(Experiment[QueueSharingNumbers]):
    """Why CUBIC does better alongside Tahoe: the queue fills sooner, CUBIC backs off at a smaller window and loses fewer packets each time.

    CUBIC alone is compared with CUBIC alongside Tahoe, with the same queue. A congestion event is a reduction of CUBIC's window; the time to a full queue
    is that from one event to the next; the window at backoff is the largest of the half second before. Left open: see `setups.py`.
    """

    title = "CUBIC alone and alongside Tahoe: time to a full queue, window at backoff, packets lost each time"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=8)
        record = {"interval": f"{STEP_S * 1000:g}ms"}
        sides = {"alone": [setup.cubic], "beside Tahoe": [setup.cubic, "tahoe"]}
        return [Point(name, shared_link(flows, seconds, record=record), seeds=seeds) for name, flows in sides.items()]

    def reduce(self, run: Result, point: Point) -> QueueSharingNumbers:
        end = run.scenario.duration_s
        cuts = np.array([time for time in reductions(run.events)[0] if time > WARM_UP_S])
        _, flows, _ = drops(run.events, float(cuts[0]) - 1.0, end)
        window = curves(run.cwnd, np.arange(0, end, STEP_S))[0]
        places = [round(float(time) / STEP_S) for time in cuts]
        lost, _, _ = drops(run.events)
        first = lost[lost > WARM_UP_S][:1]
        queue = np.interp(np.arange(0, 120, 0.25), run.queue["time_s"].to_numpy(), run.queue["packets"].to_numpy())
        return QueueSharingNumbers(
            fill_s=mean_epoch(cuts),
            window=float(np.mean([window[max(0, row - 10) : row + 1].max() for row in places])),
            lost=float((flows == 0).sum() / len(cuts)),
            first_s=float(first[0]) if first.size else float("inf"),
            queue=queue.tolist(),
        )

    def claims(self, results: Results[QueueSharingNumbers]) -> dict[str, Answer]:
        return {
            "fills-sooner": Measured(results.ratio("beside Tahoe", "alone", "fill_s")),
            "smaller-window": Measured(results.ratio("beside Tahoe", "alone", "window")),
            "fewer-lost": Measured(results.ratio("beside Tahoe", "alone", "lost")),
        }

    def plot(self, results: Results[QueueSharingNumbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        looks = (("alone", "#D55E00"), ("beside Tahoe", "#0072B2"))
        for axes, (key, colour) in zip(figure.subplots(2, 1, sharex=True), looks):
            axes.plot(np.arange(0, 120, 0.25), results[key][0].queue, color=colour, linewidth=1)
            axes.set(title=f"CUBIC {key}", ylabel="queue (packets)", xlim=(0, 120), ylim=(0, None))
        axes.set_xlabel("time (s)")
