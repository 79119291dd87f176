# SPDX-License-Identifier: MIT OR Apache-2.0
"""Queueing delay (RFC 5166 §2.1.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.quantile import quantile
from cwnd.metrics.series import Floats, column
from cwnd.metrics.value import Measure, UndefinedError, attempt

if TYPE_CHECKING:
    import pyarrow as pa

PERCENTILES = (("p50", 0.50), ("p95", 0.95), ("p99", 0.99))


def queueing_delay(waits: pa.Table) -> dict[str, Measure]:
    """What packets waited before their own serialisation: mean, p50, p95, p99, in ms (RFC 5166 §2.1.2).

    `waits` has a row per packet that left the queue in the measured interval, or per bin of a histogram of them: `wait_ms`,
    and `packets` for how many (1 without that column). Percentiles are the nearest rank. Undefined when no packet left.
    """
    often = column(waits, "packets") if "packets" in waits.column_names else np.ones(waits.num_rows)
    return described(np.asarray(column(waits, "wait_ms"), np.float64), np.asarray(often, np.float64))


def sampled_queueing_delay(queue: pa.Table, *, rate_mbps: float, begin_s: float, end_s: float) -> dict[str, Measure]:
    """The same, estimated from the samples of the table `queue`: what a packet that came at a sample would have waited.

    It weighs times, not packets, and takes the packet in service as whole: at most one serialisation too much. A queue
    of constant rate `rate_mbps`, first in, first out. Undefined without a sample from `begin_s` up to `end_s`.
    """
    times = np.asarray(column(queue, "time_s"), np.float64)
    within = (times >= begin_s) & (times < end_s)
    wait_ms = np.asarray(column(queue, "bytes"), np.float64)[within] * 8 / 1e3 / rate_mbps
    return described(wait_ms, np.ones(len(wait_ms)))


def described(wait_ms: Floats, often: Floats) -> dict[str, Measure]:
    """Mean and percentiles of a weighted sample."""

    def mean() -> float:
        if often.sum() <= 0:
            raise UndefinedError("no packet left the queue")
        return float(np.average(wait_ms, weights=often))

    def at(part: float) -> float:
        if often.sum() <= 0:
            raise UndefinedError("no packet left the queue")
        return quantile(wait_ms, part, often)

    found = {"mean": attempt(mean, "ms")}
    for name, part in PERCENTILES:
        found[name] = attempt(lambda part=part: at(part), "ms")  # type: ignore[misc]
    return found
