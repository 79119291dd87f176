# SPDX-License-Identifier: MIT OR Apache-2.0
"""The sequences that the formulas take, from a run's tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cwnd._internal import drop_causes
from cwnd.metrics.measure_type import UndefinedError

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Times are whole nanoseconds: rounding errors of their sums are below this, s.
TICK_S = 1e-9
# Linux's numbers of the states in which a window has been reduced: CWR, Recovery, Loss.
REDUCED = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class Rates:
    """Mean rates of flows in consecutive intervals of one length."""

    #: Begin of the first interval, s.
    begin_s: float
    #: Length of each, s.
    interval_s: float
    #: Flow numbers, one per row.
    flows: tuple[int, ...]
    #: Mbit/s: flows × intervals.
    mbps: Floats

    def only(self, flows: list[int]) -> Rates:
        """The rows of these flows; `UndefinedError` if one was not recorded."""
        row_of = {flow: row for row, flow in enumerate(self.flows)}
        if missing := [flow for flow in flows if flow not in row_of]:
            raise UndefinedError(f"flow {missing[0]} was not recorded")
        rows = [row_of[flow] for flow in flows]
        return Rates(self.begin_s, self.interval_s, tuple(flows), self.mbps[rows])


@dataclass(frozen=True, slots=True)
class Rounds:
    """The window of a flow, once per round trip."""

    #: When the round trip begins, s.
    time_s: Floats
    #: Congestion window, segments.
    cwnd: Floats
    #: Whether congestion was noticed within the round trip that begins here.
    congested: NDArray[np.bool_]


def column(table: pa.Table, name: str, kind: type[np.generic] = np.float64) -> NDArray[np.generic]:
    """A column as numbers; `UndefinedError` if the table does not have it."""
    if name not in table.column_names:
        raise UndefinedError(f"the table has no column {name}")
    return np.asarray(table[name].to_numpy(zero_copy_only=False), dtype=kind)


def by_flow(table: pa.Table, *names: str) -> Iterator[tuple[int, list[Floats]]]:
    """The number of each flow, and the columns `names` of its rows."""
    flows = column(table, "flow", np.int64)
    # Stable: each flow's rows stay in the order of time.
    order = np.argsort(flows, kind="stable")
    numbers, starts = np.unique(flows[order], return_index=True)
    columns = [np.asarray(column(table, name), np.float64)[order] for name in names]
    for number, begin, end in zip(numbers, starts, [*starts[1:], len(flows)]):
        yield int(number), [values[begin:end] for values in columns]


def spacing(times: Floats) -> float:
    """The usual distance of samples, s; infinite for fewer than two."""
    return float(np.median(np.diff(times))) if len(times) > 1 else np.inf


def rates(
    cwnd: pa.Table, *, packet_bytes: float, interval_s: float, begin_s: float, end_s: float, of: str = "forwarded"
) -> Rates:
    """Mean rates over consecutive intervals between `begin_s` and `end_s`, from a count that the table `cwnd` carries.

    `of` is the column with the packets so far, `packet_bytes` what each of them counts. Between two samples the count is assumed to grow evenly;
    before a flow's first row it is 0. A remainder shorter than an interval is left out. Raises
    `UndefinedError` when the samples are further apart than `interval_s`, or end before one interval is over.
    """
    if interval_s <= 0:
        raise ValueError(f"interval_s is {interval_s}; expected more than 0")
    series = list(by_flow(cwnd, "time_s", of))
    if not series:
        raise UndefinedError("nothing was recorded")
    apart = min(spacing(times) for _, (times, _) in series)
    if apart > interval_s + TICK_S:
        raise UndefinedError(f"the samples are {apart:g} s apart, which is more than {interval_s:g} s")
    end_s = min(end_s, max(float(times[-1]) for _, (times, _) in series))
    count = int((end_s - begin_s) / interval_s + 1e-6)
    if count < 1:
        raise UndefinedError(f"less than {interval_s:g} s was recorded after {begin_s:g} s")
    edges = begin_s + interval_s * np.arange(count + 1)
    counted = [np.diff(np.interp(edges, times, counts, left=0.0)) for _, (times, counts) in series]
    mbps = np.array(counted) * (packet_bytes * 8 / 1e6 / interval_s)
    return Rates(begin_s, interval_s, tuple(flow for flow, _ in series), mbps)


def curves(table: pa.Table, times: Floats, name: str = "cwnd", default: float = 0.0) -> dict[int, Floats]:
    """A column of each flow at given times, interpolated; `default` before the flow's first row."""
    by_number = {}
    for flow, (sampled, values) in by_flow(table, "time_s", name):
        by_number[flow] = np.asarray(np.interp(times, sampled, values, left=default), np.float64)
    return by_number


def forwarded(cwnd: pa.Table, begin_s: float, end_s: float) -> dict[int, float]:
    """Packets of each flow that left its last link between two times."""
    edges = [begin_s, end_s]
    series = by_flow(cwnd, "time_s", "forwarded")
    return {flow: float(np.diff(np.interp(edges, times, counts, left=0.0))[0]) for flow, (times, counts) in series}


def rounds(cwnd: pa.Table, events: pa.Table, flow: int, *, begin_s: float, end_s: float) -> Rounds:
    """The window of `flow` once per round trip (its smoothed one), and where it noticed congestion.

    Raises `UndefinedError` when the samples are further apart than the round trips: record every acknowledgement then.
    """
    recorded = dict(by_flow(cwnd, "time_s", "cwnd", "srtt_ms"))
    if flow not in recorded:
        raise UndefinedError(f"flow {flow} was not recorded")
    times, windows, srtt_ms = recorded[flow]
    within = (times >= begin_s - TICK_S) & (times <= end_s + TICK_S) & (srtt_ms > 0)
    times, windows, srtt_s = times[within], windows[within], srtt_ms[within] / 1e3
    if len(times) < 2:
        raise UndefinedError(f"flow {flow} was recorded fewer than twice between {begin_s:g} and {end_s:g} s")
    apart, rtt = spacing(times), float(np.median(srtt_s))
    if apart > rtt + TICK_S:
        raise UndefinedError(f"the samples are {apart:g} s apart, which is more than the round trip of {rtt:g} s")
    rows = []
    row = 0
    while row < len(times):
        rows.append(row)
        row = max(row + 1, int(np.searchsorted(times, times[row] + srtt_s[row] - TICK_S)))
    starts = times[rows]
    reduced = reductions(events).get(flow, np.empty(0))
    seen = np.searchsorted(reduced, [*starts[1:], end_s], side="right") > np.searchsorted(reduced, starts, side="right")
    return Rounds(starts, windows[rows], seen)


def drops(
    events: pa.Table, begin_s: float = 0.0, end_s: float = np.inf, link: int | None = None
) -> tuple[Floats, Integers, Integers]:
    """Drops of the flows' data from `begin_s` up to `end_s`, in order: times, flows, positions in their flows' data.

    At every link, or at one.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = events.filter(pc.is_in(events["kind"], value_set=pa.array(drop_causes.EVENTS)))
    times = np.asarray(column(chosen, "time_s"), np.float64)
    within = (times >= begin_s) & (times < end_s)
    if link is not None:
        within &= column(chosen, "link", np.int64) == link
    flows, positions = (np.asarray(column(chosen, name, np.int64), np.int64) for name in ("flow", "value"))
    return times[within], flows[within], positions[within]


def reductions(events: pa.Table) -> dict[int, Floats]:
    """The times at which each flow entered CWR, Recovery or Loss, or a further episode of it."""
    import pyarrow.compute as pc

    states = events.filter(pc.equal(events["kind"], "state"))
    return {flow: times[np.isin(values, REDUCED)] for flow, (times, values) in by_flow(states, "time_s", "value")}
