# SPDX-License-Identifier: MIT OR Apache-2.0
"""RFC 8289 §5 with the arithmetic of Linux (include/net/codel.h): a clock of 1.024 us, and a reciprocal root of 16 bits that gets one step of
Newton's method whenever the count changes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

#: What a packet came to: its fate, when (ns), and whether it was marked.
Fate = tuple[str, int, bool]
#: Bits that the clock of CoDel drops of nanoseconds.
SHIFT = 10
#: The root of 1.
ONE = 0xFFFF


@dataclass
class CodelInLinux:
    """A link that takes `ns_a_byte` for a byte, and its queue."""

    times: list[int]
    sizes: list[int]
    markable: list[bool]
    limit: int
    target_ns: int = 5_000_000
    interval_ns: int = 100_000_000
    full: int = 1500
    ns_a_byte: int = 800
    #: whether the root is exact, and whether time is in nanoseconds, as in the RFC
    exact_root: bool = False
    exact_time: bool = False
    waiting: deque[int] = field(default_factory=deque)
    bytes_waiting: int = 0
    first_above: int | None = None
    dropping: bool = False
    count: int = 0
    last_count: int = 0
    drop_next: int = 0
    root: int = ONE

    def __post_init__(self) -> None:
        self.fates: list[Fate] = [("waits", 0, False)] * len(self.times)
        self.target, self.interval = self.clock(self.target_ns), self.clock(self.interval_ns)

    def clock(self, ns: int) -> int:
        return ns if self.exact_time else ns >> SHIFT

    def step(self) -> None:
        """x ← x (3 − count x²) / 2, in fractions of 2³²."""
        x = self.root << 16
        self.root = ((((3 << 32) - self.count * (x * x >> 32)) >> 2) * x >> 31) >> 16

    def after(self, time: int) -> int:
        if self.exact_root:
            return time + int(self.interval / self.count**0.5)
        return time + (self.interval * (self.root << 16) >> 32)

    def head(self, now: int) -> tuple[int | None, bool]:
        """The next packet, and whether it may be dropped."""
        if not self.waiting:
            self.first_above = None
            return None, False
        packet = self.waiting.popleft()
        self.bytes_waiting -= self.sizes[packet]
        if now - self.clock(self.times[packet]) < self.target or self.bytes_waiting <= self.full:
            self.first_above = None
        elif self.first_above is None:
            self.first_above = now + self.interval
        else:
            return packet, now > self.first_above
        return packet, False

    def dequeue(self, at: int) -> tuple[int | None, bool]:
        """The packet that is sent at `at` (ns), and whether it is marked."""
        now = self.clock(at)
        packet, may_drop = self.head(now)
        if self.dropping:
            self.dropping = may_drop
            while self.dropping and now >= self.drop_next and packet is not None:
                self.count += 1
                self.step()
                if self.markable[packet]:
                    self.drop_next = self.after(self.drop_next)
                    return packet, True
                self.fates[packet] = ("dropped", at, False)
                packet, self.dropping = self.head(now)
                if self.dropping:
                    self.drop_next = self.after(self.drop_next)
            return packet, False
        marked = False
        if may_drop and packet is not None:
            if self.markable[packet]:
                marked = True
            else:
                self.fates[packet] = ("dropped", at, False)
                packet, _ = self.head(now)
            self.dropping = True
            since = self.count - self.last_count
            if since > 1 and now - self.drop_next < 16 * self.interval:
                self.count = since
                self.step()
            else:
                self.count, self.root = 1, ONE
            self.last_count = self.count
            self.drop_next = self.after(now)
        return packet, marked

    def run(self) -> list[Fate]:
        """The fates. At one instant the link takes a packet before another one arrives."""
        free, arriving = 0, 0
        while arriving < len(self.times) or self.waiting:
            if self.waiting and (arriving == len(self.times) or free <= self.times[arriving]):
                packet, marked = self.dequeue(free)
                if packet is not None:
                    free += self.sizes[packet] * self.ns_a_byte
                    self.fates[packet] = ("sent", free, marked)
                continue
            now = self.times[arriving]
            if not self.waiting and free <= now:
                # The kernel hands it to the idle device beside the queue.
                free = now + self.sizes[arriving] * self.ns_a_byte
                self.fates[arriving] = ("sent", free, False)
            elif len(self.waiting) == self.limit:
                self.fates[arriving] = ("dropped", now, False)
            else:
                self.waiting.append(arriving)
                self.bytes_waiting += self.sizes[arriving]
            arriving += 1
        return self.fates
