# SPDX-License-Identifier: MIT OR Apache-2.0
"""The types of a summary. Written by `make docs` from the schema, `crates/cwnd-record/src/tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from cwnd._internal.json_types import IntervalDocument

#: Names of the tables, by the lane that has them.
TABLES: dict[str, tuple[str, ...]] = {
    "sim": ("flows", "links", "rates", "cwnd", "queue", "events", "inner", "transfers", "waits"),
    "live": ("flows", "links", "rates", "cwnd", "queue", "events", "inner", "transfers", "waits"),
    "linux": ("flows", "links", "rates", "cwnd", "queue", "events", "inner", "transfers", "waits"),
    "kernel": ("flows", "cwnd", "hooks", "packets"),
}


class FlowSummary(TypedDict):
    """A flow."""

    #: name: its group's label, and its number in a group of several
    name: str
    #: label of its group
    label: str
    #: algorithm or parameter set
    cc: str
    #: loss recovery
    recovery: str
    #: round trip time without queueing and serialisation (ms)
    rtt_ms: float
    #: start (s)
    start_s: float
    #: wire bits that left the flow's last link, over the measured interval (Mbit/s)
    throughput_mbps: float
    #: payload bits that reached the receiver, each once, over the measured interval (Mbit/s)
    goodput_mbps: float
    #: throughput divided by the capacity of its slowest link; null if no link on its path has one (1)
    share: float | None
    #: time-weighted mean of the window (segments)
    cwnd_mean: float
    #: data packets sent, retransmissions included, counted when sent (packets)
    packets_sent: int
    #: retransmissions among them (packets)
    retransmits: int
    #: times that the retransmission timer fired
    timeouts: int
    #: its data packets dropped at any link: the sum of the next columns (packets)
    drops: int
    #: drops for lack of space (packets)
    drops_queue: int
    #: drops by RED on arrival (packets)
    drops_early: int
    #: drops by CoDel at the head of a queue (packets)
    drops_head: int
    #: drops by the loss process (packets)
    drops_loss: int
    #: drops by the kernel's queue (packets)
    drops_kernel: NotRequired[int]
    #: `packets_sent` of the whole run (packets)
    packets_sent_run: int
    #: `retransmits` of the whole run (packets)
    retransmits_run: int
    #: `timeouts` of the whole run
    timeouts_run: int
    #: `drops` of the whole run (packets)
    drops_run: int
    #: `drops_queue` of the whole run (packets)
    drops_queue_run: int
    #: `drops_early` of the whole run (packets)
    drops_early_run: int
    #: `drops_head` of the whole run (packets)
    drops_head_run: int
    #: `drops_loss` of the whole run (packets)
    drops_loss_run: int
    #: `drops_kernel` of the whole run (packets)
    drops_kernel_run: NotRequired[int]
    #: numbers of the links that its data cross
    path: list[int]
    #: numbers of the links that its acknowledgements cross
    back: list[int]


class FlowIntervals(TypedDict, total=False):
    """The numbers of a `FlowSummary` over several runs."""

    rtt_ms: IntervalDocument
    start_s: IntervalDocument
    throughput_mbps: IntervalDocument
    goodput_mbps: IntervalDocument
    share: IntervalDocument
    cwnd_mean: IntervalDocument
    packets_sent: IntervalDocument
    retransmits: IntervalDocument
    timeouts: IntervalDocument
    drops: IntervalDocument
    drops_queue: IntervalDocument
    drops_early: IntervalDocument
    drops_head: IntervalDocument
    drops_loss: IntervalDocument
    drops_kernel: IntervalDocument
    packets_sent_run: IntervalDocument
    retransmits_run: IntervalDocument
    timeouts_run: IntervalDocument
    drops_run: IntervalDocument
    drops_queue_run: IntervalDocument
    drops_early_run: IntervalDocument
    drops_head_run: IntervalDocument
    drops_loss_run: IntervalDocument
    drops_kernel_run: IntervalDocument


class LinkSummary(TypedDict):
    """A link."""

    #: name
    name: str
    #: mean rate over the measured interval; for a trace, from its opportunities; null if it has no rate
    #: (Mbit/s)
    capacity_mbps: float | None
    #: wire bits that left it divided by what it could send, both in the measured interval; null if it could
    #: send nothing or has no rate (1)
    utilization: float | None
    #: packets that left it (packets)
    packets: int
    #: drops for lack of space (packets)
    drops_queue: int
    #: drops by RED on arrival, before the queue is full (packets)
    drops_early: int
    #: drops by CoDel at the head of the queue (packets)
    drops_head: int
    #: drops by the loss process (packets)
    drops_loss: int
    #: drops by the kernel's queue (packets)
    drops_kernel: NotRequired[int]
    #: `drops_queue` of the whole run (packets)
    drops_queue_run: int
    #: `drops_early` of the whole run (packets)
    drops_early_run: int
    #: `drops_head` of the whole run (packets)
    drops_head_run: int
    #: `drops_loss` of the whole run (packets)
    drops_loss_run: int
    #: `drops_kernel` of the whole run (packets)
    drops_kernel_run: NotRequired[int]
    #: packets that its queue marked instead of dropping (ECN) (packets)
    marks: int
    #: `marks` of the whole run (packets)
    marks_run: int
    #: mean queueing delay, without the packet's own serialisation (ms)
    queue_mean_ms: float
    #: median of the queueing delay (ms)
    queue_p50_ms: float
    #: its 95th percentile (ms)
    queue_p95_ms: float
    #: its 99th percentile (ms)
    queue_p99_ms: float
    #: max queueing delay (ms)
    queue_max_ms: float


class LinkIntervals(TypedDict, total=False):
    """The numbers of a `LinkSummary` over several runs."""

    capacity_mbps: IntervalDocument
    utilization: IntervalDocument
    packets: IntervalDocument
    drops_queue: IntervalDocument
    drops_early: IntervalDocument
    drops_head: IntervalDocument
    drops_loss: IntervalDocument
    drops_kernel: IntervalDocument
    drops_queue_run: IntervalDocument
    drops_early_run: IntervalDocument
    drops_head_run: IntervalDocument
    drops_loss_run: IntervalDocument
    drops_kernel_run: IntervalDocument
    marks: IntervalDocument
    marks_run: IntervalDocument
    queue_mean_ms: IntervalDocument
    queue_p50_ms: IntervalDocument
    queue_p95_ms: IntervalDocument
    queue_p99_ms: IntervalDocument
    queue_max_ms: IntervalDocument


class TrafficSummary(TypedDict):
    """A group of traffic in one direction."""

    #: name of the group
    name: str
    #: algorithm and settings of the senders, such as cubic@beta=0.85; empty for datagrams
    senders: str
    #: forward or reverse
    direction: str
    #: how the scenario gives the load: rate, at most, everything, no mean or list
    asked: str
    #: that rate; null if none is given (Mbit/s)
    asked_mbps: float | None
    #: wire bits of transfers and datagrams that started (Mbit/s)
    offered_mbps: float
    #: wire bits that left the link, retransmissions included (Mbit/s)
    carried_mbps: float
    #: transfers that started
    transfers: int
    #: transfers that finished, whenever they started
    finished: int
    #: datagrams sent (packets)
    datagrams: int
    #: `transfers` of the whole run
    transfers_run: int
    #: `finished` of the whole run
    finished_run: int
    #: `datagrams` of the whole run (packets)
    datagrams_run: int


class TrafficIntervals(TypedDict, total=False):
    """The numbers of a `TrafficSummary` over several runs."""

    offered_mbps: IntervalDocument
    carried_mbps: IntervalDocument
    transfers: IntervalDocument
    finished: IntervalDocument
    datagrams: IntervalDocument
    transfers_run: IntervalDocument
    finished_run: IntervalDocument
    datagrams_run: IntervalDocument


class FlowFailure(TypedDict):
    """A real stack's connection that ended by a fault, its own or its peer's, or that had not opened when the run ended."""

    #: name of the flow
    flow: str
    #: when (s): the end of the connection, or of the run
    time_s: float
    #: whether data had arrived, and a datagram of the receiver at the sender
    has_opened: bool
    #: the stack's words; of a connection that had not opened when the run ended, the simulator's
    why: str


class ReceiveLimit(TypedDict):
    """A flow that its receive window limited: its mean congestion window was not below it."""

    #: name of the flow
    flow: str
    #: packets
    receive_window: float
    #: packets
    cwnd_mean: float


class MeasuredSummary(TypedDict):
    """What a run came to over its measured interval."""

    #: the measured interval (s)
    measured_s: list[float]
    #: the first link
    link: LinkSummary
    links: list[LinkSummary]
    #: Jain's index over the flows' throughputs; 1 when nothing was sent
    jain: float
    flows: list[FlowSummary]
    traffic: list[TrafficSummary]
    #: connections of real stacks that ended by a fault or never opened, in the order of time; absent where there are none
    failures: NotRequired[list[FlowFailure]]
    #: flows that their receive window limited in the measured interval; absent where there are none
    receive_limits: NotRequired[list[ReceiveLimit]]
