# SPDX-License-Identifier: MIT OR Apache-2.0
"""The packets of a capture of the senders' host (docs/guide/packets.md): the data that left it, and the acknowledgements that came."""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
#: Blocks of pcapng, and the fields of a packet in one, with the headers of IPv4 and TCP.
ENHANCED_PACKET = 6
BLOCK, TIME = struct.Struct("<II"), struct.Struct("<II")
LENGTH, HEADERS = struct.Struct(">H"), struct.Struct(">HHIIBB")
IP_BYTES, SYN = 20, 2
#: A block's kind and its size, twice, bytes.
SMALLEST_BLOCK = 12
#: The last number of the senders' address, and the receiver's port of flow 0.
SENDERS, FIRST_PORT = 1, 10_000


class Packets(NamedTuple):
    """Packets of a flow in the order of their times."""

    time_ns: Integers
    #: first byte of the payload, or of an acknowledgement the next byte that is expected; from 0
    sequence: Integers
    #: bytes of the payload
    length: Integers


NO_PACKETS = Packets(*(np.zeros(0, np.int64) for _ in range(3)))


@dataclass(frozen=True, slots=True)
class Capture:
    """The packets by number of the flow."""

    data: dict[int, Packets]
    acknowledgements: dict[int, Packets]


def read(capture: bytes) -> Capture:
    """Reads a capture of the senders' host."""
    data: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    acknowledgements: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    first: dict[int, int] = {}
    at = 0
    while at < len(capture):
        kind, size = BLOCK.unpack_from(capture, at)
        packet, at = at + 28, at + size
        if kind != ENHANCED_PACKET:
            continue
        source, target, sequence, acknowledged, offset, flags = HEADERS.unpack_from(capture, packet + IP_BYTES)
        high, low = TIME.unpack_from(capture, packet - 16)
        if capture[packet + 15] != SENDERS:
            if not flags & SYN:
                acknowledgements[source - FIRST_PORT].append((high << 32 | low, acknowledged, 0))
            continue
        flow = target - FIRST_PORT
        if flags & SYN:
            first[flow] = sequence + 1
        length = LENGTH.unpack_from(capture, packet + 2)[0] - IP_BYTES - (offset >> 4) * 4
        if length > 0:
            data[flow].append((high << 32 | low, sequence, length))
    # A simulation has no SYN: its payload begins at 1.
    return Capture(
        *({flow: packets(rows, first.get(flow, 1)) for flow, rows in each.items()} for each in (data, acknowledgements))
    )


def is_whole(capture: bytes) -> bool:
    """Whether a capture consists of whole blocks: the size stands at both ends of each."""
    at = 0
    while at < len(capture):
        size = BLOCK.unpack_from(capture, at)[1] if at + BLOCK.size <= len(capture) else 0
        end = at + size
        if size < SMALLEST_BLOCK or end > len(capture) or capture[end - 4 : end] != capture[at + 4 : at + 8]:
            return False
        at = end
    return True


def packets(rows: list[tuple[int, int, int]], first: int) -> Packets:
    """Packets of rows, with the number of the first byte."""
    time_ns, sequence, length = np.array(rows, dtype=np.int64).T
    return Packets(time_ns, (sequence - first) % (1 << 32), length)


def sent(capture: bytes) -> tuple[Integers, Integers, Integers, Integers]:
    """Data packets that left the senders' host, without SYNs: time (ns), flow, size with headers (bytes), traffic class."""
    rows: list[tuple[int, int, int, int]] = []
    at = 0
    while at < len(capture):
        kind, size = BLOCK.unpack_from(capture, at)
        packet, at = at + 28, at + size
        if kind != ENHANCED_PACKET or capture[packet + 15] != SENDERS:
            continue
        _, target, _, _, offset, flags = HEADERS.unpack_from(capture, packet + IP_BYTES)
        length = LENGTH.unpack_from(capture, packet + 2)[0]
        if not flags & SYN and length > IP_BYTES + (offset >> 4) * 4:
            high, low = TIME.unpack_from(capture, packet - 16)
            rows.append((high << 32 | low, max(target - FIRST_PORT, 0), length, capture[packet + 1]))
    time_ns, flow, length_bytes, traffic_class = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return time_ns, flow, length_bytes, traffic_class
