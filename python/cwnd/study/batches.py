# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs grouped so that a batch takes seconds, which makes the cost of a scheduler or a message negligible."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

#: What a batch is to take, s: as much is lost when a worker ends.
BATCH_S = 2.0
#: The most runs of a batch.
MOST_RUNS = 500
#: How many batches each worker is to have at least, so that they end at about the same time, unless these would be shorter than this, s.
BATCHES_EACH = 4
SHORTEST_S = 0.1
#: About what a run takes: its packets at this speed, and its measures, s. Half or twice as much changes nothing but the size of the batches.
PACKETS_PER_S = 5e6
MEASURES_S = 2e-3


def seconds(cost: float) -> float:
    """About how long a run takes, by its cost (`runner.cost`)."""
    return cost / PACKETS_PER_S + MEASURES_S


def batches(numbers: Iterable[int], costs: Mapping[int, float], workers: int) -> Iterator[list[int]]:
    """The runs in their order, in batches for this many workers; a run longer than a batch is a batch."""
    numbers = list(numbers)
    share_s = sum(seconds(costs[number]) for number in numbers) / (workers * BATCHES_EACH)
    most_s = min(BATCH_S, max(SHORTEST_S, share_s))
    batch: list[int] = []
    took_s = 0.0
    for number in numbers:
        run_s = seconds(costs[number])
        if batch and (len(batch) == MOST_RUNS or took_s + run_s > most_s):
            yield batch
            batch, took_s = [], 0.0
        batch.append(number)
        took_s += run_s
    if batch:
        yield batch
