# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two runs compared packet by packet: what counts as the first difference, and what is read of a capture."""

from __future__ import annotations

import numpy as np
import pytest

import cwnd as package
from cwnd._internal.captures import Packets, read
from cwnd.fidelity.packets import PacketByPacket, described, first_difference, what_differs

END_NS = 10_000_000_000
MS = 1_000_000
SENT = [(0, 0, 1448), (0, 1448, 1448), (40 * MS, 2896, 1448), (41 * MS, 4344, 1448), (42 * MS, 1448, 1448)]
PATH = {"rate": "10Mbit/s", "rtt": "20ms", "buffer": "20packets", "duration": "3s", "record_packets": "senders"}


def packets(*rows: tuple[int, int, int]) -> Packets:
    """Packets of rows of time, sequence number and length."""
    return Packets(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


def changed(number: int, *row: int) -> Packets:
    """The packets of `SENT`, one of them with another row."""
    return packets(*(tuple(row) if at == number else each for at, each in enumerate(SENT)))  # type: ignore[arg-type]


def run(*flows: package.Flow, **settings: str) -> package.Result:
    return package.run(package.dumbbell([*flows], **{**PATH, **settings}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "at", "what"),
    [
        (changed(2, 40 * MS + 10_000, 2896, 1448), None, ""),
        (changed(2, 40 * MS + 10_001, 2896, 1448), 2, "time"),
        (changed(2, 40 * MS, 2896, 100), 2, "length"),
        (changed(3, 41 * MS, 0, 1448), 3, "retransmission"),
        (changed(4, 42 * MS, 5792, 1448), 4, "retransmission"),
        (changed(4, 42 * MS, 0, 1448), 4, "sequence number"),
        (packets(SENT[0], SENT[1], (40 * MS, 4344, 1448), (41 * MS, 2896, 1448), SENT[4]), 2, "order"),
        (packets(*SENT[:4]), 4, "end"),
        (packets(*SENT, (END_NS - 10_001, 5792, 1448)), 5, "end"),
        # Its counterpart may lie behind the end.
        (packets(*SENT, (END_NS - 10_000, 5792, 1448)), None, ""),
    ],
)
def test_the_first_difference_is_found_and_named(other: Packets, at: int | None, what: str) -> None:
    sent = packets(*SENT)
    assert first_difference(sent, other, END_NS, 10_000) == at
    if at is not None:
        assert what_differs(sent, other, at) == what


# 9 and 18 µs late: each at most 10 µs later than those before it. Packet 4 is 29 µs late, 11 µs later than any before it; or 11 µs early.
@pytest.mark.parametrize(("late_us", "at"), [(28, None), (0, None), (-10, None), (29, 4), (-11, 4)])
def test_lateness_adds_up_by_less_than_the_tolerance(late_us: int, at: int | None) -> None:
    lateness_us = (0, 9, 18, 5, late_us)
    other = packets(*((each[0] + us * 1000, *each[1:]) for each, us in zip(SENT, lateness_us, strict=True)))
    assert first_difference(packets(*SENT), other, END_NS, 10_000) == at


# Packet 2 is late by 1 ms, packet 4 another one.
def test_without_a_tolerance_only_the_order_counts() -> None:
    late = packets(*SENT[:2], (41 * MS, 2896, 1448), SENT[3], (42 * MS, 0, 1448))
    assert first_difference(packets(*SENT), late, END_NS, 10_000) == 2
    assert first_difference(packets(*SENT), late, END_NS, None) == 4


# Another acknowledgement at 39 ms explains another packet at 40 ms; one at 41 ms does not.
@pytest.mark.parametrize(("ack_ms", "host"), [(39, "receiver"), (41, "sender")])
def test_the_host_that_differs_first_is_named(ack_ms: int, host: str) -> None:
    data = packets(*SENT), changed(2, 40 * MS, 2896, 100)
    acknowledgements = packets((38 * MS, 1448, 0), (ack_ms * MS, 2896, 0)), packets((38 * MS, 1448, 0))
    found = described(data, acknowledgements, 2, "reno")
    assert (found["host"], found["what"], found["time_s"]) == (host, "length", 0.04)


# The summary counts the packets of each flow as they leave: captures have the same, payload in whole segments from byte 0 on.
def test_a_capture_has_the_packets_that_were_sent() -> None:
    result = run(package.Flow("cubic", size="100kB"), package.Flow("reno"), loss="every:40")
    found = read(result.packets["senders"]).data
    assert [*found] == [0, 1]
    for flow, each in found.items():
        assert len(each.time_ns) == result.summary["flows"][flow]["packets_sent_run"]
        again = len(each.sequence) - len(np.unique(each.sequence))
        assert again == result.summary["flows"][flow]["retransmits_run"] > 0
        assert each.sequence[0] == 0 and (np.diff(each.time_ns) >= 0).all()
    assert found[0].length.sum() >= 100_000


def test_a_run_agrees_with_itself_and_not_with_another_loss() -> None:
    flows = package.Flow("reno", label="a"), package.Flow("reno", label="b", start="50ms")
    one, again, other = run(*flows), run(*flows), run(*flows, loss="at:200")
    same = PacketByPacket.of(one, again)
    assert same.first is None and same.agree == same.same_order == same.simulated == same.measured > 1000
    assert (same.largest_time_us, same.window_largest) == (0, 0)
    differs = PacketByPacket.of(other, one)
    assert differs.first is not None and 200 < differs.agree <= differs.same_order < differs.measured
    # Packet 200 at the link is sent again a round trip later, when the other run sends a new one.
    assert differs.first["what"] in ("retransmission", "time") and differs.first["flow"] in ("a", "b")
    assert differs.window_largest >= 1 > differs.window_mean / differs.window_largest
    # A cause belongs to the packet that was investigated, and to no other.
    at = differs.first["packet"]
    causes = [PacketByPacket.of(other, one, "200 is lost", packet).document()["known"] for packet in (at, at + 1, None)]
    assert causes == ["200 is lost", "", ""] and same.document()["known"] == ""
