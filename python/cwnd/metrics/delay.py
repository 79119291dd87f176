# SPDX-License-Identifier: MIT OR Apache-2.0
"""Queueing delay (RFC 5166 §2.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.capacity import Capacity
from cwnd.metrics.measure_type import Distribution, UndefinedError, attempt
from cwnd.metrics.quantile import quantile
from cwnd.metrics.series import Floats, column

if TYPE_CHECKING:
    import pyarrow as pa


def queueing_delay(waits: pa.Table, link: int | None = None) -> Distribution:
    """Time that packets wait before their own serialisation: mean, p50, p95, p99, in ms (RFC 5166 §2.1.2).

    `waits` has a row per packet that left a queue in the measured interval, or per bin of a histogram of them: `wait_ms`, and
    `packets` for how many (1 without that column); with `link`, the rows of that link alone. A run's table is a histogram whose
    bins are known to within 1/128, the summary's mean is exact. Percentiles are the nearest rank. Undefined when no packet left.
    """
    if link is not None:
        waits = waits.filter(column(waits, "link", np.int64) == link)
    counts = column(waits, "packets") if "packets" in waits.column_names else np.ones(waits.num_rows)
    return described(np.asarray(column(waits, "wait_ms"), np.float64), np.asarray(counts, np.float64))


def sampled_queueing_delay(
    queue: pa.Table, *, capacity: Capacity, begin_s: float, end_s: float, link: int = 0
) -> Distribution:
    """Queueing delay, estimated from the samples of the table `queue`: the wait of a packet that arrives at a sample.

    It weighs times, not packets, and counts the packet in service as a whole: at most one serialisation too much. The queue is
    first in, first out, and sends at the link's `capacity`. Undefined without a sample from `begin_s` up to `end_s`, and when a
    backlog is never sent.
    """
    times = np.asarray(column(queue, "time_s"), np.float64)
    within = (times >= begin_s) & (times < end_s)
    if "link" in queue.column_names:
        within &= column(queue, "link", np.int64) == link
    wait_ms = 1e3 * capacity.wait_s(times[within], np.asarray(column(queue, "bytes"), np.float64)[within] * 8 / 1e6)
    return described(wait_ms, np.ones(len(wait_ms)))


def described(wait_ms: Floats, counts: Floats) -> Distribution:
    """Mean and percentiles of a weighted sample."""

    def mean() -> float:
        if counts.sum() <= 0:
            raise UndefinedError("no packet left the queue")
        return finite(float(np.average(wait_ms, weights=counts)))

    def at(part: float) -> float:
        if counts.sum() <= 0:
            raise UndefinedError("no packet left the queue")
        return finite(quantile(wait_ms, part, counts))

    def finite(value: float) -> float:
        if np.isinf(value):
            raise UndefinedError("the link never sends the queued packets")
        return value

    return {
        "mean": attempt(mean, "ms"),
        "p50": attempt(lambda: at(0.50), "ms"),
        "p95": attempt(lambda: at(0.95), "ms"),
        "p99": attempt(lambda: at(0.99), "ms"),
    }
