# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results of every lane: one class, the tables of the one schema, and a clear line for what a lane does not have."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cwnd
from cwnd import KernelTrace, NoResultError, Replicates, Result, ScenarioError, _native
from cwnd._internal.summary_types import TABLES
from cwnd.metrics import rates
from cwnd.metrics.run import measures
from cwnd.result.tables import LaneError

SUMMARY = {
    "algorithm": "cwnd_cubic",
    "set": "cubic",
    "params": {"beta": "0.7"},
    "seconds": 2.0,
    "connections": 1,
    "calls": 3,
    "lost": 0,
    "differences": 0,
    "first": None,
    "states_compared": 3,
    "repaired": 0,
    "unguarded": 0,
    "versions": {"cwnd": "0", "kernel": "6.18"},
}
KINDS = {
    "string": pa.string(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "double": pa.float64(),
    "uint64": pa.uint64(),
    "uint32": pa.uint32(),
    "fixed_size_binary[104]": pa.binary(104),
}


def schema_of(name: str) -> pa.Schema:
    """A table of the kernel lane as the schema has it."""
    (table,) = (table for table in _native.record_schema() if table["name"] == name and "kernel" in table["lanes"])
    columns = [column for column in table["columns"] if column["only"] is None or "kernel" in column["only"]]
    return pa.schema([(column["name"], KINDS[column["type"]]) for column in columns])


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """A folder as `cwnd kernel trace -o` writes it: a connection whose window grows by a segment each 0.5 s, 10 segments delivered each time."""
    folder = tmp_path / "trace"
    folder.mkdir()
    rows = [
        {"time_s": 10 + 0.5 * n, "flow": 0, "cwnd": 10 + n, "ssthresh": 2**31 - 1, "srtt_ms": 20.0, "in_flight": 5}
        | {"delivered": 10 * n, "ca_state": "open"}
        for n in range(5)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema_of("cwnd")), folder / "cwnd.parquet")
    flow = dict.fromkeys(schema_of("flows").names, 0) | {"algorithm": "cwnd_cubic"}
    pq.write_table(pa.Table.from_pylist([flow], schema_of("flows")), folder / "flows.parquet")
    files = ["cwnd.parquet", "flows.parquet", "manifest.json"]
    manifest = {"kind": "cwnd kernel trace", "lane": "kernel", **SUMMARY, "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture(scope="module")
def result() -> Result:
    return cwnd.run(cwnd.dumbbell({"cubic": 1}, rate="5Mbit/s", rtt="20ms", duration="2s"))


def test_a_trace_and_a_run_are_results_that_say_their_lane(trace: Path, result: Result, tmp_path: Path) -> None:
    cwnd.save(result, tmp_path / "run", pictures=False)
    loaded = cwnd.load(trace)
    assert isinstance(loaded, KernelTrace) and isinstance(loaded, Result)
    assert (loaded.lane, cwnd.load(tmp_path / "run").lane, result.lane) == ("kernel", "sim", "sim")  # type: ignore[union-attr]
    assert loaded.summary == SUMMARY and list(loaded.tables) == ["flows", "cwnd"]
    assert loaded.cwnd["cwnd"].to_pylist() == [10, 11, 12, 13, 14] and loaded.rows("flows") == 1
    # Ten segments of 1500 bytes each 0.5 s are 0.24 Mbit/s.
    mbps = rates(loaded.cwnd, packet_bytes=1500, interval_s=1, begin_s=10, end_s=12, of="delivered").mbps
    assert mbps.tolist() == [[pytest.approx(0.24)] * 2]


def test_results_of_either_lane_are_pickled_with_their_tables(trace: Path, result: Result) -> None:
    for each in (cwnd.load(trace), result):
        twin = pickle.loads(pickle.dumps(each))
        assert twin == each and twin.lane == each.lane and hash(twin) == hash(each)  # type: ignore[union-attr]
    assert cwnd.load(trace) != result


def test_what_a_lane_does_not_have_is_said_in_a_line(trace: Path, result: Result, tmp_path: Path) -> None:
    from cwnd.plot import draw

    loaded = cwnd.load(trace)
    assert isinstance(loaded, KernelTrace)

    def said(words: str, what: object) -> None:
        with pytest.raises(LaneError, match=f"^{re.escape(words)}$"):
            what()  # type: ignore[operator]

    has = "which this result of lane kernel has"
    said(
        f'table: "queue" is not accepted; expected one of flows, cwnd, {has}; lane sim or live or linux has "queue"',
        lambda: loaded.queue,
    )
    said(
        f'table: "hooks" is not accepted; expected one of flows, cwnd, {has}; it was not recorded',
        lambda: loaded.tables["hooks"],
    )
    said(
        'table: "hooks" is not accepted; expected one of flows, links, rates, cwnd, queue, events, transfers, waits, which this '
        'result of lane sim has; lane kernel has "hooks"',
        lambda: result.hooks,
    )
    scenario = "scenario: this result of lane kernel has none; lane sim has one"
    said(scenario, lambda: measures(loaded, [[0]]))
    said(scenario, lambda: draw(loaded, tmp_path))
    assert "queue" not in loaded.tables and loaded.tables.get("queue") is None
    with pytest.raises(ScenarioError, match=r"^result: .* expected a cwnd.Result of lane sim"):
        cwnd.save(loaded, tmp_path / "again")


def test_the_schema_has_every_table_of_every_lane_with_meanings() -> None:
    assert TABLES["kernel"] == ("flows", "cwnd", "hooks", "packets")
    for name in TABLES["kernel"]:
        assert schema_of(name).names
    columns = schema_of("hooks").names
    # The private area of 104 bytes: of ours in one piece, of the kernel's own modules in 26 words.
    assert columns[:2] == ["connection", "hook"] and columns.count("state_before") == 1
    assert sum(name.startswith("priv") for name in columns) == 2 * 26


def test_replicates_are_read_back(tmp_path: Path) -> None:
    scenario = cwnd.dumbbell({"cubic": 2}, rate="5Mbit/s", rtt="20ms", duration="2s")
    study = cwnd.replicate(scenario, 3, 1, tmp_path / "study")
    again = cwnd.load(tmp_path / "study")
    assert isinstance(again, Replicates) and again.document == json.loads(json.dumps(study.document))
    assert (again.asked, again.done, again.found, again.stopped) == (3, 3, 3, False)
    assert isinstance(cwnd.load(tmp_path / "study" / "seed-0002"), Result)
    (tmp_path / "study" / "summary.json").unlink()
    with pytest.raises(NoResultError, match=r"expected replicates with their summary.json.*again to write it$"):
        cwnd.load(tmp_path / "study")
    with pytest.raises(NoResultError, match=r"expected a run, such as one of its seeds, not replicates$"):
        cwnd.replicate(scenario, 3, 1, tmp_path / "study")
        from cwnd.plot.redraw import redraw

        redraw(tmp_path / "study")
