# SPDX-License-Identifier: MIT OR Apache-2.0
"""Throughput, goodput, utilisation and completion times (RFC 5166 §2.1.1)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.capacity import Capacity
from cwnd.metrics.measure_type import Distribution, UndefinedError, attempt, measure
from cwnd.metrics.quantile import quantile
from cwnd.metrics.series import column, forwarded, rates

if TYPE_CHECKING:
    import pyarrow as pa


#: The reason where a run has no transfer.
NONE_STARTED = "no transfer started"
#: What the reasons say of transfers that did not end within the run: of their times only the part within the run is known.
DID_NOT_END = ("transfers did not end", "of the transfers ended")


def is_unfinished(why: str) -> bool:
    """Whether this reason for no value, or one of several, says that transfers did not end within the run."""
    return any(words in why for words in DID_NOT_END)


@measure("Mbit/s")
def throughput(cwnd: pa.Table, flow: int, *, packet_bytes: int, begin_s: float, end_s: float) -> float:
    """Wire bits of a flow that left its last link between two times, over that time (RFC 5166 §2.1.1).

    Exact when both times are sampled (or every acknowledgement is); else the count is interpolated. Undefined for a flow
    without rows and for an empty interval.
    """
    if end_s <= begin_s:
        raise UndefinedError(f"no time between {begin_s:g} and {end_s:g} s")
    counts = forwarded(cwnd, begin_s, end_s)
    if flow not in counts:
        raise UndefinedError(f"flow {flow} was not recorded")
    return counts[flow] * packet_bytes * 8 / 1e6 / (end_s - begin_s)


@measure("Mbit/s")
def goodput(cwnd: pa.Table, flow: int, *, payload_bytes: int, begin_s: float, end_s: float) -> float:
    """Payload bits of a flow that reached the receiver between two times, each once, over that time (RFC 5166 §2.1.1).

    Needs the column `delivered` of `cwnd`: segments at the receiver so far, duplicates not counted. Undefined without it.
    A segment counts as soon as the sender knows of it, so both ends of the interval are late by the delay of the reverse path; the
    summary (table `flows`) counts at the receiver.
    """
    flow_rates = rates(
        cwnd, packet_bytes=payload_bytes, interval_s=end_s - begin_s, begin_s=begin_s, end_s=end_s, of="delivered"
    )
    if flow not in flow_rates.flows:
        raise UndefinedError(f"flow {flow} was not recorded")
    return float(flow_rates.only([flow]).mbps[0, 0])


@measure("")
def utilisation(
    cwnd: pa.Table,
    *,
    capacity: Capacity,
    packet_bytes: int,
    begin_s: float,
    end_s: float,
    flows: Collection[int] | None = None,
) -> float:
    """Wire bits of the flows that left a link, divided by what the link could carry (RFC 5166 §2.1.1).

    `flows` are those whose last link it is, all by default; background traffic is only in the summary, which counts everything at
    each link. A packet counts if it leaves after `begin_s` and no later than `end_s`; the capacity is that from `begin_s` up to `end_s`. The result
    may therefore exceed 1 by up to one packet, and on a trace by up to all packets of the opportunities at `end_s`. Undefined when the link could
    carry nothing.
    """
    capacity_mbit = capacity.mbit(begin_s, end_s) if end_s > begin_s else 0.0
    if capacity_mbit <= 0:
        raise UndefinedError(f"no capacity between {begin_s:g} and {end_s:g} s")
    counts = forwarded(cwnd, begin_s, end_s)
    packets = sum(count for flow, count in counts.items() if flows is None or flow in flows)
    return packets * packet_bytes * 8 / 1e6 / capacity_mbit


def completion_time(transfers: pa.Table) -> Distribution:
    """Times from a transfer's start to the arrival of its last byte: mean, p50, p95, p99, in s (RFC 5166 §2.1.1).

    `transfers` has a row per transfer: `start_s`, `end_s` (null or NaN when the run ended first). A transfer that did not
    end counts as longer than any that did: percentiles are undefined where they fall among those, and the mean is undefined
    when there is one.
    """

    def times() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        started = np.asarray(column(transfers, "start_s"), np.float64)
        taken = np.asarray(column(transfers, "end_s"), np.float64) - started
        if not len(taken):
            raise UndefinedError(NONE_STARTED)
        return np.where(np.isnan(taken), np.inf, taken)

    def mean() -> float:
        taken = times()
        open_ended = int(np.isinf(taken).sum())
        if open_ended:
            raise UndefinedError(f"{open_ended} of {len(taken)} transfers did not end")
        return float(taken.mean())

    def at(part: float) -> float:
        taken = quantile(times(), part)
        if np.isinf(taken):
            raise UndefinedError(f"fewer than {part:.0%} of the transfers ended")
        return taken

    return {
        "mean": attempt(mean, "s"),
        "p50": attempt(lambda: at(0.50), "s"),
        "p95": attempt(lambda: at(0.95), "s"),
        "p99": attempt(lambda: at(0.99), "s"),
    }
