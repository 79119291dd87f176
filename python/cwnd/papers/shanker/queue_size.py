# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from cwnd.papers.shanker.setups import shared_link
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Point, Result, Results, Setup

QUEUES_BDP = (0.5, 1, 2, 3, 5, 7, 10)
#: "Falls", as we read it: from the best queue to a larger one by more than one per cent.
FALL = 0.01


@dataclass(frozen=True, slots=True)
class QueueSizeNumbers:
    """What a run is reduced to."""

    mbps: float
    rtt_ms: float


class QueueSize(Experiment[QueueSizeNumbers]):
    """CUBIC alone behind queues of 0.5 to 10 BDP: "a big queue size can actually cause CUBIC to perform worse", and RTTs grow.

    Left open: link and queues; read: the link of 2.64 Mbit/s, the whole run from the start, delivered payload.
    """

    title = "CUBIC alone behind queues of 0.5 to 10 BDP, 2.64 Mbit/s, 88 ms each way"
    cubic = "cubic-2.2"
    live = True

    def grid(self, setup: Setup) -> list[Point]:
        seconds, seeds = setup.seconds(full=600, short=300), setup.seeds(full=10, short=4)
        return [
            Point(f"{size:g}", shared_link([setup.cubic], seconds, queue=f"{size:g}bdp", warm_up=1), seeds=seeds)
            for size in QUEUES_BDP
        ]

    def reduce(self, run: Result, point: Point) -> QueueSizeNumbers:
        return QueueSizeNumbers(
            mbps=run.summary["flows"][0]["goodput_mbps"],
            rtt_ms=run.summary["flows"][0]["rtt_ms"] + run.summary["link"]["queue_mean_ms"],
        )

    def claims(self, results: Results[QueueSizeNumbers]) -> dict[str, Answer]:
        keys = list(results)

        def fall(rates: list[float]) -> float:
            best = rates.index(max(rates))
            return 1 - min(rates[best:]) / rates[best]

        falls = results.each(lambda run: fall([run[key].mbps for key in keys]))
        rising = results.each(lambda run: all(run[a].rtt_ms < run[b].rtt_ms for a, b in pairwise(keys)))
        return {
            "rtt-grows": Holds("the mean RTT with each queue is above that with the next smaller one", rising),
            "throughput-falls": Holds(
                f"with some queue larger than the best one the throughput is lower by more than {FALL:.0%}",
                [fall > FALL for fall in falls],
                falls,
                within=(FALL, None),
            ),
        }

    def plot(self, results: Results[QueueSizeNumbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        upper, lower = figure.subplots(2, 1, sharex=True)
        upper.plot(QUEUES_BDP, [results.mean(key, "rtt_ms") for key in results], "o-", color="#0072B2")
        lower.plot(QUEUES_BDP, [results.mean(key, "mbps") for key in results], "s-", color="#D55E00")
        upper.set(ylabel="mean RTT (ms)", ylim=(0, None))
        lower.set(xlabel="queue (BDP)", ylabel="goodput (Mbit/s)", xlim=(0, None), ylim=(0, 2.8))
