# SPDX-License-Identifier: MIT OR Apache-2.0
"""The types of keywords. Written by `make docs` from `crates/cwnd-scenario/src/builders` and `crates/cwnd-link/src/aqm`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from cwnd.scenario.flow import Axis, Rate, Value


class QueueDisciplines(TypedDict, total=False):
    """The settings of a queue discipline; at most one of them is given."""

    #: Random Early Detection (Floyd and Jacobson 1993)
    red: Mapping[str, Value] | None
    #: Controlled Delay (RFC 8289): drops at the head of the queue, and never from a queue of one full packet
    codel: Mapping[str, Value] | None
    #: drops the oldest queued packets when one arrives at a full queue (Mahimahi: drophead)
    drop_head: bool | None


class ScenarioSettings(TypedDict, total=False):
    """Settings that every scenario may have."""

    #: Simulated time (60s in `compare` and `sweep`).
    duration: str
    #: Measured interval of the summary. From and to.
    measure: tuple[str, str] | None
    #: Random seed; with several seeds, the first one (1).
    seed: int | str
    #: Background traffic: leith2007, leith2007-fig4, leith2007-fig6, ha2008, surge, ns2-web, ns2-pareto-on-off;
    #: or keys as in a file: 'model = "udp", rate = "5Mbit/s"', 'preset = "ha2008", cc = "cubic@beta=0.85"'.
    #: Names of presets, or tables of keys.
    traffic: Iterable[str | Mapping[str, object]]
    #: Time between the samples in the tables (100ms).
    interval: str | None
    #: Write a row of the table cwnd at every acknowledgement.
    per_ack: bool
    #: Record the algorithms' inner variables, in the table inner. All, or by name.
    inner: bool | list[str]
    #: Flows to sample: all, none, or names and numbers, such as 'cubic 1,reno,7' (all). A word, or a list of
    #: names and numbers.
    record_flows: str | list[str | int] | None
    #: Limit on the expected size of tables and captures; none: no limit (2GB).
    record_limit: str | None
    #: Hosts whose packets are captured. `"senders"`, `"receivers"` or `"both"`.
    record_packets: str | None
    #: Bytes that a capture keeps of each packet. `"80B"`.
    snap_length: str | None
    #: Host settings in lane live. Keys of `[live]`, such as `{"sack": False}`.
    live: Mapping[str, object] | None
    #: Changes at given times. Tables such as `{"switch": {"flow": "cubic 1", "at": "20s", "cc": "sack"}}`.
    actions: Iterable[Mapping[str, object]]
    #: Name of the scenario, shown in pictures.
    name: str


class CommonSettings(ScenarioSettings, total=False):
    """Keywords of `graph`."""

    #: Size of a data packet on the wire (1500B).
    packet_size: str | None


class ParkingLotSettings(CommonSettings, QueueDisciplines, total=False):
    """Keywords of `parking_lot` besides `hops` and `delay`."""

    #: Rate of the link, counting whole IP packets; none: no rate and no queue (100Mbit/s in `compare` and
    #: `sweep`). A string, steps, a trace or a series.
    rate: Rate | None
    #: Round trip time without queueing; a flow may have its own (40ms in `compare` and `sweep`).
    rtt: str | None
    #: Limit of the queue, such as 1bdp, '0.1bdp, at least 4packets', 1000packets, 500kB or 50ms (1bdp in
    #: `compare` and `sweep`).
    buffer: str | None
    #: Random or scheduled losses on the link, in addition to the queue's drops: every:1000 (or
    #: every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H, gemodel:P,R,1-H,1-K (the order of tc netem) or
    #: at:5000,9000. A string, or a table of `gemodel`.
    loss: str | Mapping[str, Value] | None
    #: Make the reverse path a link with the same rate and queue. `True`, or the keys of that link.
    reverse: bool | Mapping[str, Value]


class PathSettings(ScenarioSettings, QueueDisciplines, total=False):
    """Settings of one bottleneck that are no axes by their keyword."""

    #: Make the reverse path a link with the same rate and queue. `True`, or the keys of that link.
    reverse: bool | Mapping[str, Value]
    #: One-way propagation delay of the link. A string, or a series, `{"series": file}`.
    delay: str | Mapping[str, Value] | None
    #: Max packets at once on a link without a rate, as with tc netem's limit. `"300packets"`.
    delay_limit: str | None
    #: Packets with extra delay, which later ones overtake. `{"share": 0.01, "extra": "10ms"}`.
    reorder: Mapping[str, Value] | None
    #: Packets move only at multiples of this time, as in dummynet. `"1ms"`.
    tick: str | None
    #: Whether the buffer counts the packet being sent, as dummynet's does.
    count_in_service: bool | None


class DumbbellSettings(PathSettings, total=False):
    """Keywords of `dumbbell` besides `rtt`."""

    #: Rate of the link, counting whole IP packets; none: no rate and no queue (100Mbit/s in `compare` and
    #: `sweep`). A string, steps, a trace or a series.
    rate: Rate | None
    #: Limit of the queue, such as 1bdp, '0.1bdp, at least 4packets', 1000packets, 500kB or 50ms (1bdp in
    #: `compare` and `sweep`).
    buffer: str | None
    #: Random or scheduled losses on the link, in addition to the queue's drops: every:1000 (or
    #: every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H, gemodel:P,R,1-H,1-K (the order of tc netem) or
    #: at:5000,9000. A string, or a table of `gemodel`.
    loss: str | Mapping[str, Value] | None
    #: Random extra delay, uniform from 0 to this, without reordering. A string, or a table of its keys.
    jitter: str | Mapping[str, Value] | None
    #: Size of a data packet on the wire (1500B).
    packet_size: str | None


class BottleneckSettings(DumbbellSettings, total=False):
    """Keywords of `compare_command`: settings of one bottleneck."""

    #: Round trip time without queueing; a flow may have its own (40ms in `compare` and `sweep`).
    rtt: str | None
    #: The queue discipline marks what it would drop, and flows negotiate ECN.
    ecn: bool


class AxisSettings(PathSettings, total=False):
    """Settings of one bottleneck, of which several values are an axis."""

    #: Rate of the link, counting whole IP packets; none: no rate and no queue (100Mbit/s in `compare` and
    #: `sweep`). A string, steps, a trace or a series.
    rate: Axis | None
    #: Round trip time without queueing; a flow may have its own (40ms in `compare` and `sweep`).
    rtt: Axis | None
    #: Limit of the queue, such as 1bdp, '0.1bdp, at least 4packets', 1000packets, 500kB or 50ms (1bdp in
    #: `compare` and `sweep`).
    buffer: Axis | None
    #: Random or scheduled losses on the link, in addition to the queue's drops: every:1000 (or
    #: every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H, gemodel:P,R,1-H,1-K (the order of tc netem) or
    #: at:5000,9000. A string, or a table of `gemodel`.
    loss: Axis | None
    #: Random extra delay, uniform from 0 to this, without reordering. A string, or a table of its keys.
    jitter: Axis | None
    #: Size of a data packet on the wire (1500B).
    packet_size: Axis | None
    #: The queue discipline marks what it would drop, and flows negotiate ECN.
    ecn: bool
