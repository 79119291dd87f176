# SPDX-License-Identifier: MIT OR Apache-2.0
"""Keywords of `dumbbell`, `parking_lot`, `graph`, `compare` and `sweep`, with their types: a misspelt one is an error for type checkers too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypedDict

from cwnd.scenario.disciplines import QueueDisciplines
from cwnd.scenario.flow import Flow, Value

#: Bit/s with unit, `"10Mbit/s"`; steps, `[("0s", "10Mbit/s"), ("10s", "5Mbit/s")]`; a trace, `{"trace": file}`; a series, `{"series": file}`; or `"none"`.
Rate = str | list[tuple[str, str]] | Mapping[str, str]
#: A `Flow`, a text as the command line has it (`"cubic:2@rtt=160ms"`), names with counts (`{"cubic": 4, "sack": 4}`), or several of the first two.
Flows = str | Flow | Mapping[str, int] | Iterable[Flow | str]
#: One value, or several: a text such as `"10ms,40ms"` or `"0.25..4bdp/5log"`, a list of texts, or `{"from": …, "to": …, "count": …, "log": …}`.
Axis = str | Iterable[str | tuple[str, str]] | Mapping[str, object]


class ScenarioSettings(TypedDict, total=False):
    """Settings that every scenario may have."""

    #: simulated time, with unit (100 s; `compare`, `sweep`: 60 s)
    duration: str
    #: from and to of what the summary measures, with units (the whole run; `compare`, `sweep`: its last four fifths, unless every flow has a `size`)
    measure: tuple[str, str] | None
    #: the first seed of all that is random (1)
    seed: int | str
    #: distance of the samples in the tables, with unit (100 ms)
    interval: str | None
    #: a row of the table `cwnd` at every acknowledgement
    per_ack: bool
    #: the algorithms' inner variables, all or by name, in the table `inner`
    inner: bool | list[str]
    #: whose samples are recorded: `"all"`, `"none"`, or a list of names and numbers of flows
    record_flows: str | list[str | int] | None
    #: most bytes that tables and captures may be expected to hold, `"2GB"`, or `"none"`
    record_limit: str | None
    #: hosts whose packets are captured: `"senders"`, `"receivers"` or `"both"`
    record_packets: str | None
    #: bytes that a capture keeps of each packet, with unit (`"80B"`)
    snap_length: str | None
    #: what the hosts of lane `live` are set to, such as `{"sack": False}`
    live: Mapping[str, object] | None
    #: name of the scenario, which pictures show
    name: str
    #: background traffic: names of presets, or tables of keys
    traffic: Iterable[str | Mapping[str, object]]
    #: what happens at given times: tables such as `{"switch": {"flow": "cubic 1", "at": "20s", "cc": "sack"}}`
    actions: Iterable[Mapping[str, object]]


class CommonSettings(ScenarioSettings, total=False):
    """Keywords of `graph`."""

    #: size of a data packet on the wire, with unit (1500 B)
    packet_size: str | None


class LinkSettings(CommonSettings, QueueDisciplines, total=False):
    """Keywords of `dumbbell` and `parking_lot` beside their own."""


class PathSettings(ScenarioSettings, QueueDisciplines, total=False):
    """Keywords of `sweep` beside its own: settings of one bottleneck that are no axes by their keyword."""

    #: the link's part of the round trip, with unit, or a series of it, `{"series": file}`
    delay: str | Mapping[str, Value] | None
    #: of a link without a rate: packets that may be on it at once, `"300packets"`, as tc-netem's limit
    delay_limit: str | None
    #: packets that are late: `{"share": 0.01, "extra": "10ms"}`
    reorder: Mapping[str, Value] | None
    #: packets move at its multiples only, as in dummynet: `"1ms"`
    tick: str | None
    #: whether `buffer` counts the packet being sent, as dummynet's does
    count_in_service: bool | None
    #: a link with a queue on the reverse path: `True`, or its keys
    reverse: bool | Mapping[str, Value]


class BottleneckSettings(PathSettings, total=False):
    """Settings of one bottleneck."""

    #: rate of the link, IP bits on the wire (100 Mbit/s): a text, steps, a trace or a series; `"none"`: no rate, no queue
    rate: Rate
    #: round trip time without queueing, with unit (40 ms)
    rtt: str
    #: the queue's limit: packets, bytes, time or BDP, `"0.1bdp, at least 4packets"` (1 BDP)
    buffer: str
    #: random or given losses: `every:N`, `random:P`, `gilbert:P,R,1-K,1-H`, `gemodel:P,R,1-H,1-K`, `at:N,N`, or a table of `gemodel`
    loss: str | Mapping[str, Value] | None
    #: random time on the link, uniform from 0 to this, with unit; or a table of its keys
    jitter: str | Mapping[str, Value] | None
    #: size of a data packet on the wire, with unit (1500 B)
    packet_size: str | None


class CompareSettings(BottleneckSettings, total=False):
    """Keywords of `cwnd.compare`."""

    #: the queue (`red` or `codel`) marks what it would drop, and flows negotiate ECN
    ecn: bool
    #: with `seeds`: how many runs at a time (all processors; in lane `live` 1)
    jobs: int | None
    #: without `seeds`: threads of the run (1)
    threads: int
    #: folder for tables, pictures and the scenario; with `seeds`, for each run
    folder: str | Path | None
    #: without `seeds`: whether pictures are drawn in the folder
    pictures: bool
    #: replace another result in the folder
    force: bool
    #: where the flows run: `"sim"`, the simulator; `"live"`, the running kernel's TCP (root)
    lane: str
