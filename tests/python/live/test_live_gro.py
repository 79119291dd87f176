# SPDX-License-Identifier: MIT OR Apache-2.0
"""Receivers whose interface holds segments back, with the kernel's own TCP. Needs root, TUN and namespaces."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from in_lab import NEEDS_LAB, run

import cwnd as package
from cwnd import Flow, dumbbell

pytestmark = NEEDS_LAB


def lengths(packets: bytes) -> Iterator[int]:
    """Lengths of the packets of a pcapng file: the fourth number of an enhanced packet block, whose type is 6."""
    at = 0
    while at < len(packets):
        kind, size, *_, length = struct.unpack_from("<7I", packets, at)
        if kind == 6:
            yield length
        at += size


def acks_per_segment(result: package.Result) -> float:
    all_lengths = list(lengths(result.packets["receivers"]))
    data = sum(length == 1500 for length in all_lengths)
    # What is merged is captured as it crossed the link. An acknowledgement has at most 20 bytes of IP and 60 of TCP.
    assert max(all_lengths) == 1500 and data > 20_000
    return sum(length <= 80 for length in all_lengths) / data


# 100 Mbit/s are 16.7 segments in 2 ms. A merged one ends with the buffer in which its segments were sent, eight or nine of them, and with the time: there are two or
# three in 2 ms. Without it at least one segment in two is acknowledged: also each that comes after a gap, and what a busy machine delays by more than the timer. In the
# simulator the same, within a tenth; measured: 0.171 and 0.176, and 0.51 to 0.56 without.
def test_the_kernels_receiver_acknowledges_what_was_merged_as_one() -> None:
    def scenario(gro: str | None) -> package.Scenario:
        flow = Flow("cubic-linux") if gro is None else Flow("cubic-linux", gro=gro)
        return dumbbell([flow], rate="100Mbit/s", rtt="40ms", buffer="1bdp", duration="5s", record_packets="receivers")

    result = run(scenario("2ms"))
    merged, without = acks_per_segment(result), acks_per_segment(run(scenario(None)))
    assert merged < 0.23 and without > 0.48, (merged, without)
    assert merged == pytest.approx(acks_per_segment(package.run(scenario("2ms"))), rel=0.1)
    assert result.summary["link"]["utilization"] > 0.95 and result.summary["live"]["packets_foreign"] == 0


# The second flow's receiver has no such interface, on the same device.
def test_only_the_flows_that_ask_for_it_wait() -> None:
    flows = [Flow("reno-linux", gro="5ms", size="1448B"), Flow("reno-linux", size="1448B", label="at once")]
    result = run(dumbbell(flows, rate="20Mbit/s", rtt="160ms", duration="1s"))
    late, at_once = (row["end_s"] - row["start_s"] for row in result.transfers.to_pylist())
    # Handshake, half a round trip and 0.6 ms.
    assert 0.2405 < at_once < 0.243 and 0.2455 < late < 0.248
