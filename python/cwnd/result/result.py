# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a scenario; the result of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cwnd._internal.notebook_repr import Displayed
from cwnd._internal.summary_types import TABLES
from cwnd._native import FellBehindError, Scenario, Simulation
from cwnd.result.frames import pandas_of, polars_of
from cwnd.result.lanes import LANES, SIM, STEPS, Engine, check_lane, kind_of, report, start
from cwnd.result.packets import Keep, MemoryPackets
from cwnd.result.tables import ROWS_PER_BATCH, EngineTables, LaneError, MemoryTables, TableSource, no_table
from cwnd.result.typed_summary import Summary, Threading

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa
    import xarray as xr

    from cwnd._internal.summary_types import FlowFailure
    from cwnd.metrics.run_measures import Measures
    from cwnd.qlog.file import FlowChoice

#: How often a run is tried that this machine does not keep up with.
TRIES = 5


def tables_of(scenario: Scenario, lane: str) -> list[str]:
    """Names of the tables that a run of the scenario has in a lane."""
    return [name for name in TABLES[lane] if name != "inner" or scenario.records_inner]


class Result(Displayed):
    """A finished run, or a trace of connections: its lane, its summary, and its tables as Arrow tables.

    `cwnd.run` makes one, `cwnd.load` reads one. A table that it lacks is a `LaneError` of one line.
    """

    #: Where the algorithms ran: `sim`, `live`, `linux`, or `kernel`.
    lane: str
    #: The document that `--json` prints: rates in Mbit/s of wire bits, windows in segments, queueing in ms, completion in s.
    summary: Summary

    def __init__(
        self,
        scenario: Scenario | None,
        summary: Summary,
        source: TableSource,
        *,
        lane: str = SIM,
        packets: Mapping[str, bytes] | None = None,
    ) -> None:
        self.lane = lane
        self.summary = summary
        self._scenario = scenario
        self._source = source
        self._packets = packets or {}

    @property
    def scenario(self) -> Scenario:
        """What was run; connections in the kernel have none (`LaneError`)."""
        if self._scenario is None:
            raise LaneError(f"scenario: this result of lane {self.lane} has none; lane {SIM} has one")
        return self._scenario

    @cached_property
    def measures(self) -> Measures:
        """The measures of RFC 5166 over the measured interval, computed from the tables when they are first asked for.

        `result.measures.link.queue_p95_ms.value` is a number in ms, or `None` where `.why` says why. Only for runs with a scenario (`LaneError` otherwise).
        """
        from cwnd.metrics.run import Settings, measures

        groups = [group.flows for group in self.scenario.groups]
        return measures(self, groups, Settings.of(self.scenario))

    @property
    def summary_table(self) -> pa.Table:
        """The summary and the measures as rows, as those of a study: `seed`, `of` what, its `name`, `measure`, `value`, `unit`, `why` there is none."""
        from cwnd.replicates.document import describe
        from cwnd.replicates.rows import numbers_of
        from cwnd.replicates.tables import run_table

        groups = self.scenario.groups
        labels = {(0, number): group.label for number, group in enumerate(groups)}
        return run_table({(0, self.scenario.seed): numbers_of(describe(self, groups), groups)}, {}, labels)

    def to_pandas(self) -> pd.DataFrame:
        """`summary_table` as a frame of pandas (`pip install 'cwnd[frames]'`). `result.cwnd.to_pandas()` is that of a table over time."""
        return pandas_of(self.summary_table)

    def to_polars(self) -> pl.DataFrame:
        """`summary_table` as a frame of polars (`pip install 'cwnd[frames]'`)."""
        return polars_of(self.summary_table)

    def to_html(self, path: str | Path | None = None) -> str:
        """A web page that simulates this run's scenario again, in the browser: one file that needs no network. It is written to `path` if given.

        Raises `ScenarioError` for what a page cannot run (plugins, scenarios that name files), `OSError` where the package has no page.
        """
        from cwnd.page.html import page, state_of, write_page

        state = state_of(self.scenario)
        if path is not None:
            write_page(Path(path), state)
        return page(state)

    def to_qlog(
        self, path: str | Path, *, flow: FlowChoice = None, mss: int | None = None, format: str = "draft-14"
    ) -> Path:
        """What was recorded, as qlog, in a file at `path`: see `cwnd.qlog`."""
        from cwnd.qlog.file import write_qlog

        return write_qlog(self, path, flow=flow, mss=mss, format=format)

    def to_xarray(self) -> xr.Dataset:
        """`summary_table` as a dataset of xarray (`pip install 'cwnd[frames]'`): a variable per measure with its `units`, over `subject`."""
        from cwnd.study.dataset import dataset_of

        return dataset_of(self.summary_table).isel(seed=0)

    @property
    def failures(self) -> list[FlowFailure]:
        """Connections of real stacks that ended by a fault or never opened: `flow`, `time_s`, `has_opened`, `why`. Empty where there are none."""
        return list(self.summary.get("failures", ()))

    @property
    def names(self) -> Sequence[str]:
        """Names of its tables."""
        return tables_of(self.scenario, self.lane)

    def __repr__(self) -> str:
        link, flows = self.summary["link"], self.summary["flows"]
        shown = [f"{flow['name']} {flow['throughput_mbps']:.4g} Mbit/s" for flow in flows[:6]]
        more = f", ... {len(flows)} flows" if len(flows) > len(shown) else ""
        capacity, used = link["capacity_mbps"], link["utilization"]
        of_link = (
            "no rate" if capacity is None else f"{'-' if used is None else f'{used:.1%}'} of {capacity:.4g} Mbit/s"
        )
        of_flows = f"{', '.join(shown)}{more}" if shown else "traffic alone"
        return f"Result({of_flows}; {of_link}; {self.summary['duration_s']:.4g} s, seed {self.summary['seed']})"

    def __eq__(self, other: object) -> bool:
        """Equal if lane, scenario, summary (without the time that the run took) and every table are equal."""
        if not isinstance(other, Result):
            return NotImplemented
        mine, theirs = (
            {key: value for key, value in each.summary.items() if key not in ("perf", *LANES)} for each in (self, other)
        )
        return (
            (self.lane, self._scenario) == (other.lane, other._scenario)
            and mine == theirs
            and list(self.names) == list(other.names)
            and all(table == other.table(name) for name, table in self.tables.items())
        )

    def __hash__(self) -> int:
        return hash((self.lane, self._scenario))

    def __getstate__(self) -> dict[str, object]:
        # A simulation cannot be pickled, and a folder may not be there; tables can be, and are.
        return {**vars(self), "_source": MemoryTables(dict(self.tables)), "_packets": dict(self._packets)}

    def rows(self, name: str) -> int:
        """Rows of one of its tables."""
        return self._having(name).rows(name)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """One of its tables, in pieces; at least one."""
        return self._having(name).batches(name)

    def table(self, name: str) -> pa.Table:
        """One of its tables."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches(name))

    def _having(self, name: str) -> TableSource:
        """The source of its tables, if it has one of this name; else `LaneError`."""
        if not self._source.has(name):
            raise no_table(name, self.lane, self.names)
        return self._source

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """Every table by its name; `inner` only where the scenario records it. Created on access."""
        return ResultTables(self)

    @property
    def packets(self) -> Mapping[str, bytes]:
        """The captured packets (`record.packets`): by the names of the hosts, `senders` or `receivers`, a file of pcapng each."""
        return self._packets

    @property
    def inner(self) -> pa.Table:
        """Inner variables of the algorithms over time: time_s, flow, name (with unit and scale), value."""
        return self.table("inner")

    @property
    def flows(self) -> pa.Table:
        """One row per flow: the summary, and the links of its path (`path`) and reverse path (`back`).

        In the kernel: per connection, with ports, first and last time (s on the kernel's clock), calls, retransmits, and differences
        between kernel and host.
        """
        return self.table("flows")

    @property
    def links(self) -> pa.Table:
        """One row per link: the summary, over everything that crossed it, with its ends (`from`, `to`)."""
        return self.table("links")

    @property
    def rates(self) -> pa.Table:
        """The rate of each link from a time on: link, time_s, rate_mbps (0 in an outage; the mean of a trace); no row of a link without a rate."""
        return self.table("rates")

    @property
    def cwnd(self) -> pa.Table:
        """Windows over time, per flow.

        time_s, flow, cwnd and ssthresh (segments), srtt_ms, in_flight; forwarded: segments that have left the flow's last link so far;
        delivered: distinct ones that have reached the receiver, as far as the sender can know; ca_state. In the kernel a row for each
        call that can change them, or for each acknowledgement, without forwarded.
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

    @property
    def hooks(self) -> pa.Table:
        """Every hook call with its arguments and the values that it left; only in a kernel trace that records each call."""
        return self.table("hooks")


class ResultTables(Mapping[str, "pa.Table"]):
    """A result's tables by name."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> pa.Table:
        return self._result.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._result.names)

    def __len__(self) -> int:
        return len(self._result.names)


Progress = Callable[[Engine], None]


def run(scenario: Scenario, progress: Progress | None = None, lane: str = SIM, threads: int = 1) -> Result:
    """Runs `scenario` to its end, with its tables in memory; see `cwnd.run` (`cwnd.result.store.run`)."""
    scenario.check_size()
    packets = MemoryPackets()
    engine = run_engine(scenario, progress, lane=check_lane(lane), threads=threads, keep=packets.keep)
    summary, tables = summary_of(scenario, engine), EngineTables(engine)
    return conclude(Result(scenario, summary, tables, lane=kind_of(lane), packets=packets.files()))


def run_in_time(scenario: Scenario, progress: Progress | None = None, lane: str = SIM) -> Result:
    """As `run`, again where this machine does not keep up in lane live: up to `TRIES` times in all."""
    for _ in range(TRIES - 1):
        try:
            return run(scenario, progress, lane)
        except FellBehindError:
            continue
    return run(scenario, progress, lane)


def drop(host: str, piece: bytes) -> None:
    """Keeps no packets."""


def summarise(
    scenario: Scenario, progress: Progress | None = None, lane: str = SIM, keep: Keep = drop, threads: int = 1
) -> Summary:
    """The summary of a run without its tables, which are discarded during the run. `record.limit` still applies: rows cost time.

    `keep` gets the captured packets.
    """
    scenario.check_size()
    check_lane(lane)
    engine = run_engine(scenario, progress, lambda engine: engine.discard(), lane=lane, threads=threads, keep=keep)
    return conclude(Result(scenario, summary_of(scenario, engine), EngineTables(engine), lane=kind_of(lane))).summary


def run_engine(
    scenario: Scenario,
    progress: Progress | None = None,
    take: Callable[[Engine], None] | None = None,
    *,
    lane: str = SIM,
    threads: int = 1,
    keep: Keep,
) -> Engine:
    """Steps a run to its end. `take`, if given, is called often enough to keep the tables short, and at the end. `keep` gets the captured
    packets; more of them than `record.limit` end the run with a `ScenarioError`."""
    engine = start(scenario, lane, threads)
    if take is not None and isinstance(engine, Simulation):
        engine.pause_at(ROWS_PER_BATCH)
    over, captured = False, 0
    while not over:
        over = engine.step(STEPS[kind_of(lane)])
        for host, piece in engine.take_packets():
            captured += len(piece)
            scenario.check_captured(captured)
            keep(host, piece)
        if take is not None:
            take(engine)
        if progress is not None:
            progress(engine)
    return engine


def summary_of(scenario: Scenario, engine: Engine) -> Summary:
    """The summary, without the transfers."""
    cpu_s = engine.cpu_s
    threads: Threading = {"threads": engine.threads} if isinstance(engine, Simulation) and engine.threads > 1 else {}
    return {
        "lane": engine.LANE,
        "seed": scenario.seed,
        "duration_s": scenario.duration_s,
        **engine.summary(),
        "transfers": [],
        "perf": {
            "cpu_s": cpu_s,
            "packets": engine.packets,
            "packets_per_s": engine.packets / cpu_s if cpu_s > 0 else 0.0,
            **threads,
        },
        **report(engine),
    }


def conclude(result: Result) -> Result:
    """Adds the transfers to the summary, from their table."""
    if result.rows("transfers"):
        from cwnd.metrics.run import transfers_of  # numpy and pyarrow, only where they are needed

        result.summary["transfers"] = [transfers.document() for transfers in transfers_of(result)]
    return result
