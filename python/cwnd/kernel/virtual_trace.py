# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd linux trace`: what connections do in a kernel in virtual time, call by call, as the folder of a trace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from cwnd import _native
from cwnd._internal.input_errors import missing, path_of, refused, scenario_of, unfit
from cwnd._internal.json_files import read_json
from cwnd._native import Replay, Scenario
from cwnd.kernel.result import LANE, MANIFEST, KernelTrace, Manifest, TraceSummary
from cwnd.kernel.trace import KERNELS_OWN, set_names
from cwnd.kernel.trace_folder import trace_writer
from cwnd.linux.engine import RECORDS, VirtualRun
from cwnd.linux.kernels import find
from cwnd.linux.memory import Memory
from cwnd.plugin.crate import LOADED
from cwnd.replay.trace import Outcome, outcome_of, replays
from cwnd.result.lanes import LINUX, Engine
from cwnd.result.store import TRACE, check_folder

#: Interval between calls of `progress`, ms.
LOOK_MS = 100


def traced_algorithm(scenario: Scenario, cc: str | None) -> tuple[str, dict[str, str]]:
    """The algorithm to trace, which is the scenario's only one if none is named, and its parameters."""
    used = _native.Lab.algorithms(scenario)
    if not used:
        raise unfit("scenario", "one with a flow, or with traffic over TCP")
    if cc is None and len(used) > 1:
        raise missing("cc", f"one of the scenario's algorithms: {', '.join(used)}")
    name = used[0] if cc is None else cc
    if name not in used:
        raise refused("cc", name, "an algorithm of the scenario", used)
    settings = _native.Lab.parameters(scenario, name)
    if len(settings) > 1:
        raise refused("cc", name, "an algorithm with the same parameters on all connections of the scenario")
    return name, dict(settings[0])


def set_of(cc: str) -> str:
    """The parameter set that repeats the calls of an algorithm: for one of the kernel's, the set with its rules."""
    return f"{cc.removeprefix(KERNELS_OWN)}-linux" if cc.startswith(KERNELS_OWN) else cc


def pieces(memory: Memory) -> Iterator[pa.RecordBatch]:
    """The pieces of a table, each a stream of its own."""
    with pa.OSFile(f"/proc/self/fd/{memory.number}") as file:
        while file.tell() < memory.size:
            yield from pa.ipc.open_stream(file)


def seconds(times_us: pa.ChunkedArray) -> pa.Array:
    """Times in seconds; 0 for a connection whose calls all came before its socket had a clock."""
    return pc.divide(pc.cast(pc.fill_null(times_us, 0), pa.float64()), 1e6).combine_chunks()


@dataclass
class Recorded:
    """The tables of an ended run, in the memory that its kernel wrote them to."""

    run: VirtualRun
    cc: str
    params: dict[str, str]

    def of(self, table: str) -> Iterator[pa.RecordBatch]:
        """The pieces of a table."""
        return pieces(self.run.records[table])

    def replays(self) -> dict[int, Replay] | None:
        """The calls of each connection, repeated on the host; `None` if cwnd does not have the algorithm."""
        host = set_of(self.cc)
        return replays(self.of("hooks"), host, 0, [*self.params.items()]) if host in set_names() else None

    def connections(self) -> pa.ChunkedArray:
        """The connection of each call."""
        return pa.chunked_array([batch["connection"] for batch in self.of("hooks")], pa.uint64())

    def flows(self, differences: dict[int, int]) -> pa.RecordBatch:
        """The table `flows`."""
        columns = ["connection", "local_port", "remote_port", "now_us", "total_retrans"]
        calls = pa.Table.from_batches([batch.select(columns) for batch in self.of("hooks")])
        # 0: a socket that has no clock yet, or no port any more.
        zero = pa.scalar(0, pa.uint64())
        now = pc.if_else(pc.equal(calls["now_us"], zero), None, calls["now_us"])
        grouped = calls.set_column(calls.column_names.index("now_us"), "now_us", now).group_by("connection")
        found = grouped.aggregate(
            [
                ("now_us", "min"),
                ("now_us", "max"),
                ("local_port", "max"),
                ("remote_port", "max"),
                ("total_retrans", "max"),
                ("now_us", "count", pc.CountOptions(mode="all")),
            ]
        ).sort_by("connection")
        numbers = found["connection"].to_pylist()
        values = {
            "flow": pa.array(numbers, pa.uint32()),
            "algorithm": pa.array([self.cc] * len(numbers)),
            "local_port": found["local_port_max"].combine_chunks(),
            "remote_port": found["remote_port_max"].combine_chunks(),
            "first_s": seconds(found["now_us_min"]),
            "last_s": seconds(found["now_us_max"]),
            "calls": pc.cast(found["now_us_count"], pa.uint64()).combine_chunks(),
            "retransmits": found["total_retrans_max"].combine_chunks(),
            "differences": pa.array([differences.get(number, 0) for number in numbers], pa.uint64()),
        }
        return pa.RecordBatch.from_pydict(values)

    def summary(self, scenario: Scenario, outcome: Outcome | None) -> TraceSummary:
        """The summary, with the outcome of repeating the calls."""
        run = self.run
        return {
            "algorithm": self.cc,
            "seconds": scenario.duration_s,
            "connections": pc.count_distinct(self.connections()).as_py(),
            "calls": sum(batch.num_rows for batch in self.of("hooks")),
            "lost": 0,
            "unseen": 0,
            "differences": None if outcome is None else outcome["differences"],
            "first": None if outcome is None else outcome["first"],
            "repaired": 0,
            "unguarded": 0,
            "states_compared": 0 if outcome is None else outcome["states_compared"],
            "versions": {"cwnd": _native.__version__, "kernel": run.report()["kernel"]},
            "set": set_of(self.cc),
            "params": self.params,
            "source": {
                "lane": f"{LINUX}:{run.kernel.name}",
                "build": run.kernel.about["key"],
                "hz": run.kernel.hz,
                "scenario": scenario.to_toml(),
            },
        }


def trace(
    scenario: Scenario | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    cc: str | None = None,
    kernel: str | None = None,
    force: bool = False,
    pictures: bool = True,
    progress: Callable[[Engine], None] | None = None,
) -> KernelTrace:
    """Runs a scenario in lane linux, and records the hook calls, the segments and the expired timers of an algorithm's connections.

    The folder gets the tables of `cwnd kernel trace --transport`, without lost records. `cc` is an algorithm of the scenario, by default its
    only one. `kernel` is the name of a kernel that is built, by default the newest with HZ 250. Raises what `cwnd.run` raises in lane linux.
    """
    scenario, target = scenario_of(scenario), path_of("folder", folder)
    name, params = traced_algorithm(scenario, cc)
    check_folder(target, TRACE, force=force)
    # Opened before the run, so that a folder that cannot be written is refused at once.
    with trace_writer(target, force=force) as tables:
        if tables is None:
            raise AssertionError("a trace without a folder")
        run = VirtualRun(scenario, find(kernel), traced=name)
        while not run.step(LOOK_MS):
            if progress is not None:
                progress(run)
        recorded = Recorded(run, name, params)
        repeated = recorded.replays()
        summary = recorded.summary(scenario, None if repeated is None else outcome_of(repeated))
        if not summary["calls"]:
            raise refused("cc", name, "an algorithm that a connection uses before the scenario ends")
        for table in RECORDS:
            for batch in recorded.of(table):
                tables.write(table, batch)
        manifest: Manifest = {"kind": TRACE, "lane": LANE, **summary, "files": []}
        if LOADED:
            # The host repeated calls with these plugins; their digests identify the libraries.
            manifest["plugins"] = dict(sorted(LOADED.items()))
        differences = {number: each.differences for number, each in (repeated or {}).items()}
        tables.finish(recorded.flows(differences), manifest, pictures=pictures)
    return KernelTrace(target, read_json(target / MANIFEST))
