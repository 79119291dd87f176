# SPDX-License-Identifier: MIT OR Apache-2.0
"""The lanes that run scenarios: the simulator, the kernel's own connections through the links in real time, and those of a kernel in
virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from cwnd import _native
from cwnd._internal import live_part
from cwnd._internal.input_errors import refused
from cwnd._native import Scenario, Simulation

if TYPE_CHECKING:
    from cwnd._internal.summary_types import MeasuredSummary
    from cwnd._native import Table
    from cwnd.result.typed_summary import Emulation

#: The simulator.
SIM = Simulation.LANE
#: The running kernel's connections, through the scenario's links in real time.
LIVE = "live"
#: Connections of a kernel in virtual time. A kernel's name may follow: `linux:6.12`.
LINUX = "linux"
LANES = (SIM, LIVE, LINUX)
#: A run takes so many threads at most.
MOST_THREADS = 256
#: What the emulator of lane live holds on two processors (docs/results/emulator.md).
HELD_PACKETS_PER_S = 50_000
#: A step of each lane: events, about 10 ms of work; or ms. Ctrl-C is handled between two of them.
STEPS = {SIM: 200_000, LIVE: 50, LINUX: 50}


class Engine(Protocol):
    """A run in progress: `Simulation`, `Lab` or `VirtualRun`."""

    @property
    def LANE(self) -> str:
        """The lane."""

    @property
    def progress(self) -> float:
        """Part of its time that is over, 0 to 1."""

    @property
    def now_s(self) -> float:
        """Time of the scenario, s."""

    @property
    def packets(self) -> int:
        """Data packets that left the first link so far; in lanes live and linux, their flow's last one."""

    @property
    def cpu_s(self) -> float:
        """CPU time of the engine, or of the emulator, s."""

    def step(self, amount: int) -> bool:
        """Advances by an amount of `STEPS`; returns whether the run has ended."""

    def summary(self) -> MeasuredSummary:
        """The summary over the measured interval."""

    def take(self, least: int) -> list[tuple[str, Table]]:
        """Takes the complete rows out of each table of at least `least` rows."""

    def take_packets(self) -> list[tuple[str, bytes]]:
        """Takes the packets that were captured: names of hosts with the next piece of their files."""

    def discard(self) -> None:
        """Drops the samples and events; the transfers stay."""

    def rows(self, name: str) -> int:
        """Rows of a table."""

    def table(self, name: str, start: int, count: int) -> Table:
        """Up to `count` rows of a table from row `start` on."""


def known_lane(lane: object, field: str = "lane") -> str:
    """A lane that runs scenarios; else `ScenarioError`, which names it as `field`."""
    if not isinstance(lane, str) or not (lane in LANES or (kind_of(lane) == LINUX and kernel_of(lane))):
        raise refused(field, lane, "a lane", LANES)
    return lane


def check_lane(lane: object, field: str = "lane") -> str:
    """A lane that runs scenarios, lane linux with the name of a kernel that is there; else `ScenarioError`, which names it as `field`."""
    known = known_lane(lane, field)
    if kind_of(known) != LINUX:
        return known
    from cwnd.linux.kernels import find

    return f"{LINUX}:{find(kernel_of(known), field=field).name}"


def kind_of(lane: str) -> str:
    """The lane without its kernel: `linux` of `linux:6.12`."""
    return lane.partition(":")[0]


def kernel_of(lane: str) -> str | None:
    """The kernel that is named with a lane."""
    return lane.partition(":")[2] or None


def too_fast(scenario: Scenario) -> str | None:
    """Why lane live will hardly keep up with this scenario; `None` where it may."""
    packets = scenario.packets_per_s
    if packets <= HELD_PACKETS_PER_S:
        return None
    return (
        f"a flow may send {packets:,} packets/s; the emulator has sustained {HELD_PACKETS_PER_S:,} on two processors"
        " (600 Mbit/s of 1500 bytes): this machine may not keep up with this run"
    )


def check_threads(threads: object, lane: str) -> int:
    """How many threads one run may take; else `ScenarioError`."""
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise refused("threads", threads, f"a whole number from 1 to {MOST_THREADS}")
    if lane != SIM and threads != 1:
        raise refused("threads", threads, f"1 in lane {lane}")
    return threads


def start(scenario: Scenario, lane: str, threads: int = 1) -> Engine:
    """Begins a run. In lane live the kernel objects of plugins are built first, where they are not there. In lane linux a kernel is booted.

    Raises `ScenarioError` for what the lane does not do, `CrateError` for a plugin that does not build, `OSError` where the system does not
    allow it.
    """
    if lane == SIM:
        return Simulation(scenario, threads)
    live_part.required(f"lane: {kind_of(lane)}")
    if kind_of(lane) == LINUX:
        from cwnd.linux.engine import VirtualRun
        from cwnd.linux.kernels import find

        return VirtualRun(scenario, find(kernel_of(lane)))
    from cwnd.plugin.kernel_objects import kernel_objects

    return _native.Lab(scenario, kernel_objects(_native.Lab.algorithms(scenario)))


def report(engine: Engine) -> Emulation:
    """What links and kernel say of themselves, by the lane's name; empty in lane sim."""
    return {} if isinstance(engine, Simulation) else {engine.LANE: engine.report()}  # type: ignore[misc]
