# SPDX-License-Identifier: MIT OR Apache-2.0
"""A stack as a child process (`stack = "exec"`): the protocol's side of the child, and a stack of a page, `python -m cwnd.stacks.exec_child`.

Standard library only: copy it, and put your stack in the place of `Aimd`. docs/reference/exec-protocol.md is the protocol.
"""

from __future__ import annotations

import struct
import sys
from typing import BinaryIO

#: "None", "never", "without an end"
NONE = 2**64 - 1
SENDER, RECEIVER = 0, 1


class Failed(Exception):
    """The connection is over, and why: one line. Any method of a stack may raise it."""


class Stack:
    """One end of a connection: its inputs and outputs. Times are in ns since the run began.

    A stack that keeps to a receive window (`rwnd` of its flow) has `takes_receive_window`, and reads `receive_window`, bytes, when it opens.
    """

    takes_receive_window = False
    receive_window = NONE

    def __init__(self, role: int, datagram: int, seed: int, name: str) -> None:
        self.role, self.datagram, self.seed, self.name = role, datagram, seed, name
        #: what is to be sent: ECN field and bytes
        self.out: list[tuple[int, bytes]] = []
        self.next_timer = NONE
        self.cwnd, self.ssthresh, self.in_flight = 0, NONE, NONE
        self.srtt, self.min_rtt, self.pacing_rate = 0, 0, NONE
        self.lost, self.congestion_events, self.timeouts, self.read = 0, 0, 0, 0

    def open(self, now: int) -> None:
        """The connection opens."""

    def on_datagram(self, now: int, ecn: int, data: bytes) -> None:
        """A datagram arrives."""

    def on_timer(self, now: int) -> None:
        """The time of `next_timer` has come."""

    def write(self, now: int, size: int) -> None:
        """The application has so many bytes more to send; `NONE`: without an end."""

    def finish(self, now: int) -> None:
        """The application has nothing more to send."""


def serve(make: type[Stack], source: BinaryIO, target: BinaryIO) -> None:
    """Answers frames until the input ends, or the stack has `Failed`."""
    try:
        answer(make, source, target)
    except Failed as why:
        text = str(why).encode()
        target.write(struct.pack("<IB", len(text) + 1, 3) + text)
        target.flush()


def answer(make: type[Stack], source: BinaryIO, target: BinaryIO) -> None:
    """Answers frames until the input ends."""
    stack = None
    while head := source.read(4):
        frame = source.read(int.from_bytes(head, "little"))
        kind, rest = frame[0], frame[1:]
        if kind == 1:
            version, role, datagram, seed = struct.unpack_from("<HBHQ", rest)
            if version not in (1, 2):
                raise Failed(f"version {version} of the protocol: this stack supports versions 1 and 2")
            if version == 2 and not make.takes_receive_window:
                raise Failed("rwnd: this stack takes no receive window")
            stack = make(role, datagram, seed, rest[13 if version == 1 else 21 :].decode())
            if version == 2:
                stack.receive_window = int.from_bytes(rest[13:21], "little")
        elif stack is None:
            raise Failed("a frame before HELLO")
        else:
            now = int.from_bytes(rest[:8], "little")
            if kind == 2:
                stack.open(now)
            elif kind == 3:
                stack.on_datagram(now, rest[8], rest[9:])
            elif kind == 4:
                stack.on_timer(now)
            elif kind == 5:
                stack.write(now, int.from_bytes(rest[8:16], "little"))
            elif kind == 6:
                stack.finish(now)
        for ecn, data in stack.out:
            target.write(struct.pack("<IBB", len(data) + 2, 1, ecn) + data)
        stack.out.clear()
        numbers = (
            stack.next_timer, stack.cwnd, stack.ssthresh, stack.in_flight, stack.srtt, stack.min_rtt, stack.pacing_rate,
            stack.lost, stack.congestion_events, stack.timeouts, stack.read,
        )  # fmt: skip
        target.write(struct.pack("<IB11Q", 89, 2, *numbers))
        target.flush()


class Aimd(Stack):
    """Numbered pieces, each acknowledged by its number; one more piece in flight a round trip, half after a loss."""

    takes_receive_window = True

    def __init__(self, role: int, datagram: int, seed: int, name: str) -> None:
        super().__init__(role, datagram, seed, name)
        if name != "aimd":
            raise Failed(f"stock-{name}: this stack has stock-aimd alone")
        self.piece = datagram - 8
        self.window, self.threshold, self.recovery = 10.0, 1e18, -1
        #: bytes that the application has written, and that pieces hold
        self.total, self.placed, self.next = 0, 0, 0
        #: bytes of each piece that has not been acknowledged
        self.sizes: dict[int, int] = {}
        #: pieces in flight, when each was sent, and how many later ones have been acknowledged
        self.sent: dict[int, list[int]] = {}
        self.waiting: list[int] = []
        #: bytes of the pieces that have arrived behind a gap
        self.here: dict[int, int] = {}
        self.upto = 0

    def write(self, now: int, size: int) -> None:
        self.total = NONE if size == NONE else self.total + size
        self.send(now)

    def finish(self, now: int) -> None:
        self.total = self.placed

    def may_begin(self) -> bool:
        """Whether there is a new piece, and the receiver has room for it."""
        oldest = min(self.sizes, default=self.next)
        room = self.next == oldest or (self.next - oldest + 1) * self.piece <= self.receive_window
        return self.placed < self.total and room

    def send(self, now: int) -> None:
        while len(self.sent) < int(self.window) and (self.waiting or self.may_begin()):
            number = self.waiting.pop(0) if self.waiting else self.next
            if number == self.next:
                self.sizes[number] = min(self.piece, self.total - self.placed)
                self.placed += self.sizes[number]
                self.next += 1
            self.out.append((0, number.to_bytes(8, "little") + bytes(self.sizes[number])))
            self.sent[number] = [now, 0]
        oldest = min((at for at, _ in self.sent.values()), default=NONE)
        self.next_timer = NONE if oldest == NONE else oldest + max(3 * self.srtt, 200_000_000)
        self.cwnd, self.in_flight = int(self.window) * self.datagram, len(self.sent) * self.datagram
        self.ssthresh = NONE if self.threshold > 1e9 else int(self.threshold) * self.datagram

    def lose(self, number: int) -> None:
        del self.sent[number]
        self.waiting.append(number)
        self.lost += 1
        if number > self.recovery:
            self.window = self.threshold = max(self.window / 2, 2)
            self.recovery, self.congestion_events = self.next, self.congestion_events + 1

    def on_datagram(self, now: int, ecn: int, data: bytes) -> None:
        number = int.from_bytes(data[:8], "little")
        if self.role == RECEIVER:
            if number >= self.upto and number not in self.here:
                self.here[number] = len(data) - 8
                while self.upto in self.here:
                    self.read += self.here.pop(self.upto)
                    self.upto += 1
            self.out.append((0, data[:8]))
            return
        self.sizes.pop(number, None)
        if number in self.waiting:
            self.waiting.remove(number)
        if number in self.sent:
            rtt = now - self.sent.pop(number)[0]
            self.srtt = (7 * self.srtt + rtt) // 8 if self.srtt else rtt
            self.min_rtt = min(self.min_rtt or rtt, rtt)
            self.window += 1 if self.window < self.threshold else 1 / self.window
            for other, seen in list(self.sent.items()):
                seen[1] += other < number
                if seen[1] > 2:
                    self.lose(other)
        self.send(now)

    def on_timer(self, now: int) -> None:
        self.timeouts += 1
        for number in list(self.sent):
            self.lose(number)
        self.waiting.sort()
        self.window, self.threshold = 2.0, max(self.window / 2, 2)
        self.send(now)


if __name__ == "__main__":
    serve(Aimd, sys.stdin.buffer, sys.stdout.buffer)
