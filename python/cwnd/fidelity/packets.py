# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two runs of a deterministic scenario compared packet by packet, as they leave their senders, and by their windows over time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from cwnd._internal.captures import NO_PACKETS, Packets, read
from cwnd.result.result import Result

#: How far the lateness of a packet of the kernel may exceed that of all packets before it, and how early it may be. The kernel reads its clock in
#: steps of 256 ns a few times between an acknowledgement and the packets that answer it, so it sends a few µs later than the simulator. If a
#: queue runs empty, the next packets reach it late, and this adds up from one round trip to the next. The fastest link of the package's
#: scenarios sends a packet in 30 µs, so a packet that another acknowledgement or another tick releases is further away.
TOLERANCE_NS = 10_000
#: So near the end of the run, a difference of times alone may leave a packet in one lane only.
END_NS = 100_000_000
NEVER_NS = 1 << 62
What = Literal["sequence number", "retransmission", "order", "length", "time", "end"]


class DifferenceDocument(TypedDict):
    """A first difference as JSON."""

    time_s: float
    flow: str
    #: its number among the packets of the flow, from 0
    packet: int
    what: What
    #: whose decision differs: the receiver's if an earlier acknowledgement differs in number or time
    host: Literal["sender", "receiver"]
    simulated: str
    measured: str


class PacketsDocument(TypedDict):
    """A comparison packet by packet as JSON."""

    #: data packets that left the senders in each lane
    simulated: int
    measured: int
    #: packets before the first difference
    agree: int
    #: packets before the first difference that is not only one of time
    same_order: int
    first: DifferenceDocument | None
    #: the largest distance of times before the first difference (µs)
    largest_time_us: float
    #: the largest and the mean distance of the windows over time (segments)
    window_largest: float
    window_mean: float
    #: cause of a difference that was investigated; empty where there is none
    known: str


@dataclass(frozen=True, slots=True)
class PacketByPacket:
    """A comparison packet by packet."""

    simulated: int
    measured: int
    agree: int
    same_order: int
    first: DifferenceDocument | None
    largest_time_us: float
    window_largest: float
    window_mean: float
    known: str = ""

    @classmethod
    def of(
        cls, simulated: Result, measured: Result, known: str = "", known_packet: int | None = None
    ) -> PacketByPacket:
        """Compares two runs whose senders' packets were captured. `known` is the cause of a first difference at packet `known_packet` alone."""
        sides = [read(result.packets["senders"]) for result in (simulated, measured)]
        names = [flow["name"] for flow in measured.summary["flows"]]
        end_ns = round(measured.summary["duration_s"] * 1e9)
        flows = pairs([side.data for side in sides], len(names))
        acknowledgements = pairs([side.acknowledgements for side in sides], len(names))
        differences, orders = [
            [
                (time_of(ours, theirs, at), flow, at)
                for flow, (ours, theirs) in enumerate(flows)
                if (at := first_difference(ours, theirs, end_ns, tolerance_ns)) is not None
            ]
            for tolerance_ns in (TOLERANCE_NS, None)
        ]
        _, flow, at = min(differences, default=(NEVER_NS, 0, 0))
        before = packets_before(flows, differences)
        largest_ns = max((largest(*each, number) for each, number in zip(flows, before, strict=True)), default=0)
        windows = window_distances(simulated, measured)
        return cls(
            simulated=sum(len(ours.time_ns) for ours, _ in flows),
            measured=sum(len(theirs.time_ns) for _, theirs in flows),
            agree=sum(before),
            same_order=sum(packets_before(flows, orders)),
            first=described(flows[flow], acknowledgements[flow], at, names[flow]) if differences else None,
            largest_time_us=largest_ns / 1e3,
            window_largest=float(windows.max(initial=0.0)),
            window_mean=float(windows.mean()) if windows.size else 0.0,
            known=known if at == known_packet else "",
        )

    def document(self) -> PacketsDocument:
        """As JSON."""
        return {**asdict(self), "known": self.known if self.first else ""}  # type: ignore[typeddict-item]  # the fields above


def first_difference(ours: Packets, theirs: Packets, end_ns: int, tolerance_ns: int | None) -> int | None:
    """Number of the first packet that is not the same in both; without a tolerance, times do not matter. A packet that only one lane has counts
    unless it leaves so near the end of the run that it may be behind it in the other lane."""
    both = min(len(ours.time_ns), len(theirs.time_ns))
    differs = (ours.sequence[:both] != theirs.sequence[:both]) | (ours.length[:both] != theirs.length[:both])
    if tolerance_ns is not None:
        late_ns = theirs.time_ns[:both] - ours.time_ns[:both]
        before_ns = np.maximum.accumulate(np.concatenate([np.zeros(1, np.int64), late_ns]))[:both]
        differs |= (late_ns < -tolerance_ns) | (late_ns > before_ns + tolerance_ns)
    if differs.any():
        return int(np.argmax(differs))
    rest = (ours if len(ours.time_ns) > both else theirs).time_ns[both:]
    near_end_ns = end_ns - (END_NS if tolerance_ns is None else tolerance_ns)
    return both if rest.size and rest[0] < near_end_ns else None


def time_of(ours: Packets, theirs: Packets, at: int) -> int:
    """When the first of the lanes sends what the other one does not."""
    return min(int(side.time_ns[at]) for side in (ours, theirs) if at < len(side.time_ns))


def packets_before(flows: list[tuple[Packets, Packets]], differences: list[tuple[int, int, int]]) -> list[int]:
    """How many packets of each flow left before the earliest of these differences: times, flows, and numbers of packets."""
    until_ns, at_flow, at = min(differences, default=(NEVER_NS, -1, 0))
    return [
        at if flow == at_flow else int(np.searchsorted(theirs.time_ns, until_ns))
        for flow, (_, theirs) in enumerate(flows)
    ]


def largest(ours: Packets, theirs: Packets, number: int) -> int:
    """The largest distance of times among the first packets."""
    number = min(number, len(ours.time_ns))
    return int(abs(ours.time_ns[:number] - theirs.time_ns[:number]).max(initial=0))


def pairs(sides: list[dict[int, Packets]], flows: int) -> list[tuple[Packets, Packets]]:
    """The packets of each flow in both lanes."""
    ours, theirs = sides
    return [(ours.get(flow, NO_PACKETS), theirs.get(flow, NO_PACKETS)) for flow in range(flows)]


def described(
    data: tuple[Packets, Packets], acknowledgements: tuple[Packets, Packets], at: int, flow: str
) -> DifferenceDocument:
    """A first difference in words."""
    time_ns = time_of(*data, at)
    earlier = first_difference(*acknowledgements, NEVER_NS, TOLERANCE_NS)
    is_receivers = earlier is not None and time_of(*acknowledgements, earlier) <= time_ns
    return {
        "time_s": time_ns / 1e9,
        "flow": flow,
        "packet": at,
        "what": what_differs(*data, at),
        "host": "receiver" if is_receivers else "sender",
        "simulated": packet_in_words(data[0], at),
        "measured": packet_in_words(data[1], at),
    }


def what_differs(ours: Packets, theirs: Packets, at: int) -> What:
    """What is not the same of a packet."""
    if at >= min(len(ours.time_ns), len(theirs.time_ns)):
        return "end"
    if ours.sequence[at] != theirs.sequence[at]:
        if is_repeated(ours, at) != is_repeated(theirs, at):
            return "retransmission"
        swapped = [set(side.sequence[at : at + 2].tolist()) for side in (ours, theirs)]
        return "order" if swapped[0] == swapped[1] and len(swapped[0]) == 2 else "sequence number"
    return "length" if ours.length[at] != theirs.length[at] else "time"


def is_repeated(packets: Packets, at: int) -> bool:
    """Whether a packet was sent before."""
    return bool(packets.sequence[at] <= packets.sequence[:at].max(initial=-1))


def packet_in_words(packets: Packets, at: int) -> str:
    """A packet in words."""
    if at >= len(packets.time_ns):
        return "no packet"
    again = " again" if is_repeated(packets, at) else ""
    return f"byte {packets.sequence[at]}{again} at {packets.time_ns[at] / 1e6:.3f} ms"


def window_distances(simulated: Result, measured: Result) -> NDArray[np.float64]:
    """The distance of the windows of each flow at each sample that both have (segments)."""
    times_s = np.unique(simulated.cwnd["time_s"].to_numpy())
    interval_s = np.diff(times_s).min(initial=1.0)
    sides = []
    for result in (simulated, measured):
        table = result.cwnd
        # A sample of the kernel is a microsecond beside its grid.
        steps = np.round(table["time_s"].to_numpy() / interval_s).astype(np.int64)
        sides.append(dict(zip(zip(table["flow"].to_pylist(), steps.tolist()), table["cwnd"].to_pylist(), strict=True)))
    ours, theirs = sides
    return np.array([abs(ours[at] - theirs[at]) for at in ours.keys() & theirs.keys()], dtype=np.float64)
