# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a scenario; the result of a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypedDict

from cwnd._native import Scenario, Simulation
from cwnd.input_errors import refused
from cwnd.summary_types import MeasuredSummary

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.metrics.transfers import TransfersSummary

# About 10 ms of work: Ctrl-C is handled between two chunks.
EVENTS_PER_CHUNK = 200_000
ROWS_PER_BATCH = 100_000
TABLES = ("flows", "links", "rates", "cwnd", "queue", "events", "transfers", "waits", "inner")


def tables_of(scenario: Scenario) -> list[str]:
    """Names of the tables that a run of the scenario has."""
    return [name for name in TABLES if name != "inner" or scenario.records_inner]


class TableSource(Protocol):
    """Where a result's tables come from: a simulation, or a folder."""

    def rows(self, name: str) -> int:
        """Rows of one of `TABLES`."""

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """One of `TABLES`, in pieces; at least one."""


class SimulationTables:
    """The tables of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def rows(self, name: str) -> int:
        return self._simulation.rows(name)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for start in range(0, max(1, self.rows(name)), ROWS_PER_BATCH):
            yield pa.record_batch(self._simulation.table(name, start, ROWS_PER_BATCH))


class MemoryTables:
    """Tables in memory."""

    def __init__(self, tables: dict[str, pa.Table]) -> None:
        self._tables = tables

    def rows(self, name: str) -> int:
        return int(self._tables[name].num_rows) if name in self._tables else 0

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        table = self._tables[name]
        empty = [pa.array([], kind) for kind in table.schema.types]
        yield from table.to_batches() or [pa.RecordBatch.from_arrays(empty, schema=table.schema)]


class Packets(TypedDict):
    """How much a run has simulated."""

    #: data packets that left the first link, over the whole run
    packets: int


class Performance(Packets):
    """What a run cost."""

    #: CPU time of the engine (s)
    cpu_s: float
    packets_per_s: float


class SeedSummary(MeasuredSummary):
    """What a run came to, the same whenever it is repeated."""

    #: where the algorithms ran: `sim`
    lane: str
    seed: int
    duration_s: float
    #: completion times, per group of transfers
    transfers: list[TransfersSummary]


class Summary(SeedSummary):
    """The summary of a run: the JSON document of `--json`."""

    perf: Performance


class Result:
    """A finished run: the summary, and its tables as Arrow tables. `cwnd.run` makes one, `cwnd.load` reads one."""

    def __init__(self, scenario: Scenario, summary: Summary, source: TableSource) -> None:
        self.scenario = scenario
        #: The document that `--json` prints: rates in Mbit/s of wire bits, windows in segments, queueing in ms, completion in s.
        self.summary = summary
        self._source = source

    def __repr__(self) -> str:
        link, flows = self.summary["link"], self.summary["flows"]
        shown = [f"{flow['name']} {flow['throughput_mbps']:.4g} Mbit/s" for flow in flows[:6]]
        more = f", ... {len(flows)} flows" if len(flows) > len(shown) else ""
        used = f"{link['utilization']:.1%} of {link['capacity_mbps']:.4g} Mbit/s"
        return (
            f"Result({', '.join(shown)}{more}; {used}; {self.summary['duration_s']:.4g} s, seed {self.summary['seed']})"
        )

    def __eq__(self, other: object) -> bool:
        """Equal if scenario, summary (without the time that the run took) and every table are equal."""
        if not isinstance(other, Result):
            return NotImplemented
        mine, theirs = ({key: value for key, value in each.summary.items() if key != "perf"} for each in (self, other))
        return (
            self.scenario == other.scenario
            and mine == theirs
            and all(table == other.table(name) for name, table in self.tables.items())
        )

    def __hash__(self) -> int:
        return hash(self.scenario)

    def __getstate__(self) -> dict[str, Any]:
        # A simulation cannot be pickled, its tables can.
        return {"scenario": self.scenario, "summary": self.summary, "_source": MemoryTables(dict(self.tables))}

    def rows(self, name: str) -> int:
        """Rows of one of `TABLES`."""
        return self._source.rows(name)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """One of `TABLES`, in pieces; at least one."""
        return self._source.batches(name)

    def table(self, name: str) -> pa.Table:
        """One of `TABLES`."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches(name))

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """Every table of the run by its name; `inner` only where the scenario records it. Made when asked for."""
        return ResultTables(self)

    @property
    def inner(self) -> pa.Table:
        """Inner variables of the algorithms over time: time_s, flow, name (with unit and scale), value."""
        return self.table("inner")

    @property
    def flows(self) -> pa.Table:
        """One row per flow: the summary, and the links of its path (`path`) and reverse path (`back`)."""
        return self.table("flows")

    @property
    def links(self) -> pa.Table:
        """One row per link: the summary, over everything that crossed it, with its ends (`from`, `to`)."""
        return self.table("links")

    @property
    def rates(self) -> pa.Table:
        """The rate of each link from a time on: link, time_s, rate_mbps (0 in an outage; the mean of a trace)."""
        return self.table("rates")

    @property
    def cwnd(self) -> pa.Table:
        """Windows over time, per flow.

        time_s, flow, cwnd and ssthresh (segments), srtt_ms, in_flight; forwarded: segments that have left the flow's last link so far;
        delivered: distinct ones that have reached the receiver, as far as the sender can know; ca_state.
        """
        return self.table("cwnd")

    @property
    def queue(self) -> pa.Table:
        """Every link over time: time_s, link, packets and bytes queued or being sent, and drops so far."""
        return self.table("queue")

    @property
    def events(self) -> pa.Table:
        """Starts, stops and switches of flows, drops (with their link), state changes and timeouts."""
        return self.table("events")

    @property
    def transfers(self) -> pa.Table:
        """One row per transfer, in the order of their starts.

        group (of traffic; null for a flow of the scenario), number (of the source, or of the flow), start_s, end_s (when the last
        byte was at the receiver; null if it was not), bytes (null: without an end), rtt_ms, direction.
        """
        return self.table("transfers")

    @property
    def waits(self) -> pa.Table:
        """A histogram per link of the queueing delay of the packets that left it in the measured interval: link, wait_ms, packets."""
        return self.table("waits")


class ResultTables(Mapping[str, "pa.Table"]):
    """A run's tables by name."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> pa.Table:
        if name not in set(self):
            raise KeyError(name)
        return self._result.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(tables_of(self._result.scenario))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def expect(scenario: object, progress: object = None) -> None:
    """Refuses anything that is no scenario, and a `progress` that cannot be called."""
    if isinstance(scenario, Scenario):
        if progress is not None and not callable(progress):
            raise refused("progress", progress, "a function that takes the simulation")
        return
    example = "cwnd.dumbbell(...)"
    if isinstance(scenario, str | os.PathLike):
        example = f"cwnd.Scenario.from_file({os.fspath(scenario)!r})"
    raise refused("scenario", scenario, f"a Scenario, such as {example}")


Progress = Callable[[Simulation], None]


def run(scenario: Scenario, progress: Progress | None = None) -> Result:
    """Simulates `scenario` to its end, with its tables in memory; see `cwnd.run` (`cwnd.store.run`)."""
    expect(scenario, progress)
    scenario.check_size()
    simulation = simulate(scenario, progress)
    return conclude(Result(scenario, summary_of(scenario, simulation), SimulationTables(simulation)))


def summarise(scenario: Scenario, progress: Progress | None = None) -> Summary:
    """The summary of a run without its tables, which are discarded as the run goes on. `record.limit` holds all the same: rows cost time."""
    scenario.check_size()
    simulation = simulate(scenario, progress, Simulation.discard)
    return conclude(Result(scenario, summary_of(scenario, simulation), SimulationTables(simulation))).summary


def simulate(
    scenario: Scenario, progress: Progress | None = None, take: Callable[[Simulation], None] | None = None
) -> Simulation:
    """Steps a simulation to its end. `take`, if given, is called often enough to keep the tables short, and at the end."""
    simulation = Simulation(scenario)
    if take is not None:
        simulation.pause_at(ROWS_PER_BATCH)
    over = False
    while not over:
        over = simulation.step(EVENTS_PER_CHUNK)
        if take is not None:
            take(simulation)
        if progress is not None:
            progress(simulation)
    return simulation


def summary_of(scenario: Scenario, simulation: Simulation) -> Summary:
    """The summary, without the transfers."""
    cpu_s = simulation.cpu_s
    return {
        "lane": "sim",
        "seed": scenario.seed,
        "duration_s": scenario.duration_s,
        **simulation.summary(),
        "transfers": [],
        "perf": {
            "cpu_s": cpu_s,
            "packets": simulation.packets,
            "packets_per_s": simulation.packets / cpu_s if cpu_s > 0 else 0.0,
        },
    }


def conclude(result: Result) -> Result:
    """Adds the transfers to the summary, from their table."""
    if result.rows("transfers"):
        from cwnd.metrics.run import transfers_of  # numpy and pyarrow, only where they are needed

        result.summary["transfers"] = [transfers.document() for transfers in transfers_of(result)]
    return result
