# SPDX-License-Identifier: MIT OR Apache-2.0
"""Rows of the tables `cwnd` and `events` as records of qlog, in the order of time and a batch at a time.

A row of `cwnd` makes a record of the metrics that differ from those before, and a row of `events` one of its own. The state of congestion
control is derived from both: docs/guide/qlog.md has the mapping.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from cwnd.qlog.format import QlogFormat
from cwnd.result.tables import STATES

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.result.result import Result

#: A slow start threshold that is none.
INFINITE_SSTHRESH = 2**31 - 1
#: Those in which the window does not grow by the rule of slow start or of congestion avoidance.
REDUCED = {"cwr": "recovery", "recovery": "recovery", "loss": "loss"}
#: Rows of `events` that have no more to say.
PLAIN = {"start": "cwnd:flow_started", "stop": "cwnd:flow_stopped", "switch": "cwnd:algorithm_switched"}
CWND_COLUMNS = ("time_s", "flow", "cwnd", "ssthresh", "srtt_ms", "in_flight", "delivered", "ca_state")
EVENT_COLUMNS = ("time_s", "flow", "kind", "link", "value", "cwnd", "ssthresh")

#: time, table, number of the flow, and the other columns
Row = tuple[Any, ...]


def text(value: object) -> str:
    """A value as JSON, in ASCII: what is printed may go to a terminal of any encoding, and the file is UTF-8 by the draft."""
    return json.dumps(value, separators=(",", ":"))


def record(value: object) -> str:
    """A record of a JSON text sequence. // RFC 7464 §2.2"""
    return f"\x1e{text(value)}\n"


def state_name(ca_state: str, cwnd: int, ssthresh: int) -> str:
    """The state of congestion control: that of RFC 9002 §7.3, and `loss` after a timeout."""
    return REDUCED.get(ca_state) or ("slow_start" if cwnd < ssthresh else "congestion_avoidance")


@dataclass
class TracedFlow:
    """A flow, and what has been written about it so far."""

    number: int
    name: str
    algorithm: str
    recovery: str | None
    segment_bytes: int
    #: whether it is one of a real stack, and why its connection failed, if it did
    has_stack: bool = False
    failure: str | None = None
    ca_state: str = "open"
    state: str | None = None
    said: dict[str, float] = field(default_factory=dict)
    #: segments delivered at the first sample, and sent up to the last
    delivered_before: int | None = None
    sent: int = 0
    packets: int = 0

    def description(self) -> dict[str, object]:
        """The content of the flow's first record."""
        about: dict[str, object] = {"flow": self.number, "name": self.name, "algorithm": self.algorithm}
        if self.recovery is not None:
            about["recovery"] = self.recovery
        return {**about, "segment_bytes": self.segment_bytes}

    def shows(self, cwnd: int) -> bool:
        """Whether a window is one: a stack that does not show its own, or has ended, has 0."""
        return cwnd > 0 or not self.has_stack

    def changed_metrics(self, cwnd: int, ssthresh: int, srtt_ms: float, in_flight: int) -> dict[str, float]:
        """The metrics that differ from the last written ones; an undefined threshold or round trip time is left out."""
        said, changed = self.said, {}
        for name, value in (
            ("congestion_window", cwnd * self.segment_bytes if self.shows(cwnd) else None),
            ("bytes_in_flight", in_flight * self.segment_bytes),
            ("packets_in_flight", in_flight),
            ("ssthresh", ssthresh * self.segment_bytes if ssthresh < INFINITE_SSTHRESH else None),
            ("smoothed_rtt", srtt_ms or None),
        ):
            if value is not None and said.get(name) != value:
                said[name] = changed[name] = value
        return changed

    def newly_sent(self, delivered: int, in_flight: int) -> int:
        """Segments that have been sent since the sample before, each once."""
        if self.delivered_before is None:
            self.delivered_before = delivered
        before, self.sent = self.sent, max(self.sent, delivered - self.delivered_before + in_flight)
        return self.sent - before


class Records:
    """Makes the records of some flows of a result."""

    def __init__(
        self, result: Result, flows: Sequence[TracedFlow], form: QlogFormat, link_names: Sequence[str], *, grouped: bool
    ) -> None:
        self._result = result
        self._form = form
        self._flows = {flow.number: flow for flow in flows}
        # One flow's group stands in the header.
        self._groups = {flow.number: f',"group_id":{text(flow.name)}' if grouped else "" for flow in flows}
        self._link_names = link_names
        #: rows that have been read
        self.rows = 0
        self._last_ms = 0.0

    def total(self) -> int:
        """Rows that will be read."""
        return sum(self._result.rows(name) for name in self._tables())

    def _tables(self) -> list[str]:
        return [name for name in ("events", "cwnd") if name in self._result.names]

    def _rows(self, name: str, columns: Sequence[str]) -> Iterator[Row]:
        """The rows of a table, each with the name of it behind the time; only those of the flows."""
        for batch in self._result.batches(name):
            self.rows += batch.num_rows
            # Several connections of the kernel are recorded by several processors.
            ordered: pa.RecordBatch = batch.sort_by("time_s") if batch.num_rows > 1 else batch
            values = [ordered.column(column).to_pylist() for column in columns]
            for row in zip(*values, strict=True):
                if row[1] in self._flows:
                    yield (row[0], name, *row[1:])

    def begin_s(self) -> float:
        """The beginning of the run: 0 on its own clock; for a kernel trace, whose clock runs since the machine's start, the first row."""
        if "events" in self._result.names:
            return 0.0
        times = next(self._result.batches("cwnd")).column("time_s").to_pylist()
        return min(times, default=0.0)

    def __iter__(self) -> Iterator[str]:
        begin_s = self.begin_s()
        for flow in self._flows.values():
            yield self._record("0.0", "cwnd:flow_described", flow, flow.description())
        columns = {"events": EVENT_COLUMNS, "cwnd": CWND_COLUMNS}
        # Of two rows at one time the event is the first.
        for row in heapq.merge(*(self._rows(name, columns[name]) for name in self._tables()), key=itemgetter(0)):
            time_s, table, number, *rest = row
            # Nanoseconds; never back, whatever was recorded late.
            self._last_ms = max(self._last_ms, round((time_s - begin_s) * 1e3, 6))
            flow, time = self._flows[number], repr(self._last_ms)
            yield from (self._sample if table == "cwnd" else self._event)(time, flow, *rest)

    def _record(self, time: str, name: str, flow: TracedFlow, data: Mapping[str, object]) -> str:
        return f'\x1e{{"time":{time},"name":"{name}","data":{text(data)}{self._groups[flow.number]}}}\n'

    def _sample(
        self,
        time: str,
        flow: TracedFlow,
        cwnd: int,
        ssthresh: int,
        srtt_ms: float,
        in_flight: int,
        delivered: int,
        ca_state: str,
    ) -> Iterator[str]:
        """A row of the table `cwnd`."""
        yield from self._state(time, flow, ca_state, cwnd, ssthresh)
        if changed := flow.changed_metrics(cwnd, ssthresh, srtt_ms, in_flight):
            yield self._record(time, self._form.metrics_updated, flow, changed)
        if self._form.has_packets and (sent := flow.newly_sent(delivered, in_flight)):
            header = {"packet_type": "1RTT", "packet_number": flow.packets}
            data = {"header": header, "raw": {"length": sent * flow.segment_bytes}}
            flow.packets += 1
            yield self._record(time, "transport:packet_sent", flow, data)

    def _event(
        self, time: str, flow: TracedFlow, kind: str, link: int | None, value: int, cwnd: int, ssthresh: int
    ) -> Iterator[str]:
        """A row of the table `events`."""
        if kind.startswith("drop_"):
            # A stack repeats data in new datagrams: what was lost has a number, and no position.
            data: dict[str, object] = {
                "cause": kind.removeprefix("drop_"),
                "datagram" if flow.has_stack else "segment": value,
            }
            if link is not None:
                data |= {"link": link, "link_name": self._link_names[link]}
            yield self._record(time, "cwnd:packet_dropped", flow, data)
        elif kind == "timeout":
            timer = {} if self._form.timer_type is None else {"timer_type": self._form.timer_type}
            yield self._record(time, self._form.timer_updated, flow, {**timer, "event_type": "expired"})
        elif kind == "failure":
            yield self._record(
                time, "cwnd:connection_failed", flow, {} if flow.failure is None else {"reason": flow.failure}
            )
        elif kind in PLAIN:
            yield self._record(time, PLAIN[kind], flow, {})
        yield from self._state(time, flow, STATES[value] if kind == "state" else flow.ca_state, cwnd, ssthresh)

    def _state(self, time: str, flow: TracedFlow, ca_state: str, cwnd: int, ssthresh: int) -> Iterator[str]:
        """The state of congestion control, where it differs from that before; it takes a window."""
        if not flow.shows(cwnd):
            return
        trigger = "ssthresh" if ca_state == flow.ca_state else ca_state
        flow.ca_state = ca_state
        before, flow.state = flow.state, state_name(ca_state, cwnd, ssthresh)
        if before == flow.state:
            return
        data = {"new": flow.state} if before is None else {"old": before, "new": flow.state}
        if self._form.has_triggers and before is not None:
            data["trigger"] = trigger
        yield self._record(time, self._form.state_updated, flow, data)
