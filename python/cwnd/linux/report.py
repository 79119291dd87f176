# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a run in lane linux says of its kernel."""

from __future__ import annotations

from typing import TypedDict


class VirtualReport(TypedDict):
    """Of a kernel in virtual time."""

    #: release of the kernel
    kernel: str
    #: its ticks per second
    hz: int
    #: key of the build
    build: str
    #: name of each flow's algorithm in the kernel
    algorithms: list[str]
    #: the same of each group of traffic; null where it sends datagrams
    traffic_algorithms: list[str | None]
    packets_delivered: int
    #: how much later than due a packet was delivered, the most (ms)
    late_worst_ms: float
    #: 99th percentile of the lateness of the applications' starts, stops and looks at their sockets (ms)
    late_applications_p99_ms: float
    #: packets of no flow, which were not delivered
    packets_foreign: int
    #: packets that the hosts' devices have dropped
    packets_dropped: int
    #: duplicates that receivers have told of (D-SACK)
    dsack_duplicates: int
    #: settings of the hosts, offloads of their devices, parameters of the kernel's own algorithms that were used
    settings: dict[str, str]
    #: the output of `tc -s -j qdisc show` at the end of the run for each link with a queue of the kernel, by the link's name
    qdiscs: dict[str, list[dict[str, object]]]
    #: the kernel's counters of the hosts `senders` and `receivers` at the end of the run, those that are not 0, as `nstat` names them
    counters: dict[str, dict[str, int]]
