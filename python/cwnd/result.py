# SPDX-License-Identifier: MIT OR Apache-2.0
"""Running a scenario, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from cwnd._native import Scenario, Simulation

if TYPE_CHECKING:
    import pyarrow as pa

# About 10 ms of work: Ctrl-C is heard between two chunks.
EVENTS_PER_CHUNK = 200_000
ROWS_PER_BATCH = 250_000
TABLES = ("flows", "cwnd", "queue", "events")


class Result:
    """A finished run: the summary, and the tables `flows`, `cwnd`, `queue` and `events` as Arrow tables."""

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


def run(scenario: Scenario, progress: Callable[[Simulation], None] | None = None) -> Result:
    """Simulates `scenario` to its end; `progress` is called every few hundredths of a second of work."""
    simulation = Simulation(scenario)
    while not simulation.step(EVENTS_PER_CHUNK):
        if progress is not None:
            progress(simulation)
    if progress is not None:
        progress(simulation)
    return Result(scenario, simulation)
