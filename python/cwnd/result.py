# SPDX-License-Identifier: MIT OR Apache-2.0
"""Running a scenario, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cwnd._native import Scenario, Simulation

if TYPE_CHECKING:
    import pyarrow as pa

# About 10 ms of work: Ctrl-C is heard between two chunks.
EVENTS_PER_CHUNK = 200_000
ROWS_PER_BATCH = 250_000
TABLES = ("flows", "cwnd", "queue", "events", "inner")


class Result:
    """A finished run: the summary, and the tables `flows`, `cwnd`, `queue`, `events` and `inner` as Arrow tables."""

    def __init__(self, scenario: Scenario, simulation: Simulation) -> None:
        self.scenario = scenario
        self._simulation = simulation
        summary = simulation.summary()
        cpu_s = simulation.cpu_s
        #: The document that `--json` prints: throughput in Mbit/s of wire bits, windows in segments, queueing in ms.
        self.summary: dict[str, Any] = {
            "lane": "sim",
            "seed": scenario.seed,
            "duration_s": scenario.duration_s,
            "measured_s": summary["measured_s"],
            "link": summary["link"],
            "jain": summary["jain"],
            "flows": summary["flows"],
            "perf": {
                "cpu_s": cpu_s,
                "packets": simulation.packets,
                "packets_per_s": simulation.packets / cpu_s if cpu_s > 0 else 0.0,
            },
        }

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """One of `TABLES`, in pieces; at least one."""
        import pyarrow as pa

        for start in range(0, max(1, self._simulation.rows(name)), ROWS_PER_BATCH):
            yield pa.record_batch(self._simulation.table(name, start, ROWS_PER_BATCH))

    def table(self, name: str) -> pa.Table:
        """One of `TABLES`."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches(name))

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """Every table of the run by its name; `inner` only where the scenario records it. Made when asked for."""
        return Tables(self)

    @property
    def inner(self) -> pa.Table:
        """Inner variables of the algorithms over time: time_s, flow, name (with unit and scale), value."""
        return self.table("inner")

    @property
    def flows(self) -> pa.Table:
        """One row per flow: the summary."""
        return self.table("flows")

    @property
    def cwnd(self) -> pa.Table:
        """Windows over time, per flow: time_s, flow, cwnd and ssthresh (segments), srtt_ms, in_flight, forwarded."""
        return self.table("cwnd")

    @property
    def queue(self) -> pa.Table:
        """The bottleneck over time: time_s, packets, bytes, and drops so far."""
        return self.table("queue")

    @property
    def events(self) -> pa.Table:
        """Starts, drops, state changes and timeouts."""
        return self.table("events")


class Tables(Mapping[str, "pa.Table"]):
    """A run's tables by name."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> pa.Table:
        if name not in set(self):
            raise KeyError(name)
        return self._result.table(name)

    def __iter__(self) -> Iterator[str]:
        recorded = self._result.scenario.records_inner
        return (name for name in TABLES if name != "inner" or recorded)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def run(scenario: Scenario, progress: Callable[[Simulation], None] | None = None) -> Result:
    """Simulates `scenario` to its end; `progress` is called every few hundredths of a second of work."""
    simulation = Simulation(scenario)
    while not simulation.step(EVENTS_PER_CHUNK):
        if progress is not None:
            progress(simulation)
    if progress is not None:
        progress(simulation)
    return Result(scenario, simulation)
