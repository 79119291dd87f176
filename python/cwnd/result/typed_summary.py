# SPDX-License-Identifier: MIT OR Apache-2.0
"""The summary of a run: the document of `--json`. The generated `summary_types` has its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from cwnd._internal.summary_types import MeasuredSummary

if TYPE_CHECKING:
    from cwnd._native import LiveReport
    from cwnd.linux.report import VirtualReport
    from cwnd.metrics.transfers import TransfersSummary


class Packets(TypedDict):
    """How much a run has simulated."""

    #: data packets that left the first link, over the whole run
    packets: int


class Threading(TypedDict, total=False):
    """The additional fields of a run on several threads."""

    #: on how many threads it went, if on several
    threads: int


class Performance(Packets, Threading):
    """What a run cost."""

    #: CPU time of the engine (s); on several threads that of the whole process meanwhile
    cpu_s: float
    packets_per_s: float


class SeedSummary(MeasuredSummary):
    """What a run came to, the same whenever it is repeated."""

    #: where the algorithms ran: `sim`, `live` or `linux`
    lane: str
    seed: int
    duration_s: float
    #: completion times, per group of transfers
    transfers: list[TransfersSummary]


class Emulation(TypedDict, total=False):
    """Additional fields of the lanes with a kernel."""

    #: what the emulator says of itself and of the machine
    live: LiveReport
    #: the same of the kernel in virtual time
    linux: VirtualReport


class Summary(SeedSummary, Emulation):
    """The summary of a run: the JSON document of `--json`."""

    perf: Performance
