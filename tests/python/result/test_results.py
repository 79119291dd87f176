# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables, files and pictures of a run."""

from __future__ import annotations

import importlib
import json
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import SHORT, Cli

import cwnd as package
from cwnd import Flow, ScenarioError, _native, dumbbell

TABLES = ("flows", "links", "rates", "cwnd", "queue", "events", "transfers", "waits")


def contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / f"{name}.parquet").read_bytes() for name in TABLES}


# The seed is 1 when it is not given. Each of these programs hashes strings in its own way.
@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes(program: Cli, drawn: Path, tmp_path: Path) -> None:
    assert program(*SHORT, "--seed", 1, "-o", tmp_path / "again").returncode == 0
    assert program(*SHORT, "--seed", 2, "--no-plots", "-o", tmp_path / "other").returncode == 0
    assert contents(tmp_path / "again") == contents(drawn)
    assert contents(tmp_path / "other") != contents(drawn)
    for name in ("cwnd.png", "overview.svg", "manifest.json", "scenario.toml"):
        assert (tmp_path / "again" / name).read_bytes() == (drawn / name).read_bytes(), name


def test_the_scenario_that_was_written_repeats_the_run(cwnd: Cli, tmp_path: Path) -> None:
    flow = "cubic:2@rtt=35ms,start=0s..1s,beta=0.75,stop=2s"
    compare = (
        "compare",
        flow,
        "tahoe",
        "--duration",
        "3s",
        "--loss",
        "random:0.001",
        "--seed",
        5,
        "--interval",
        "10ms",
    )
    assert cwnd(*compare, "--no-plots", "-o", tmp_path / "a").returncode == 0
    assert cwnd("run", tmp_path / "a" / "scenario.toml", "--no-plots", "-o", tmp_path / "b").returncode == 0
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_every_file_that_is_promised_is_there(drawn: Path) -> None:
    names = {path.name for path in drawn.iterdir()}
    pictures = {
        f"{name}.{kind}" for name in ("cwnd", "throughput", "queue", "shares", "overview") for kind in ("png", "svg")
    }
    assert names == pictures | {f"{name}.parquet" for name in TABLES} | {
        "manifest.json",
        "scenario.toml",
        "summary.json",
    }
    for name in pictures:
        data = (drawn / name).read_bytes()
        if name.endswith("png"):
            width, height = struct.unpack(">II", data[16:24])
            assert width >= 1000 and height >= 300, name
        else:
            assert b"</svg>" in data
    manifest = json.loads((drawn / "manifest.json").read_text())
    assert {"scenario", "versions", "seed", "lane", "machine"} <= set(manifest)


def test_the_tables_agree_with_each_other() -> None:
    scenario = dumbbell({"cubic": 2, "sack": 1}, rate="20Mbit/s", rtt="20ms", duration="5s")
    result = package.run(scenario)
    cwnd, queue, events = (result.table(name).to_pylist() for name in ("cwnd", "queue", "events"))
    # A sample every 100 ms from 0 to 5 s, for each of three flows.
    assert len(queue) == 51 and len(cwnd) == 3 * 51
    drops = [event for event in events if event["kind"] == "drop_queue"]
    assert len(drops) == queue[-1]["drops_queue"] + sum(event["time_s"] > queue[-1]["time_s"] for event in drops)
    assert sum(flow["drops"] for flow in result.flows.to_pylist()) == len(drops)
    assert [event["kind"] for event in events].count("start") == 3
    last = {row["flow"]: row["forwarded"] for row in cwnd if row["time_s"] == 5.0}
    assert sum(last.values()) == result.summary["perf"]["packets"]
    assert max(row["packets"] for row in queue) <= scenario.bdp_packets + 1


def test_per_ack_tracing_records_every_acknowledgement() -> None:
    for ack_every in (1, 2, 4):
        # No loss: nothing is acknowledged out of turn. (Linux's receiver also acknowledges what its application reads.)
        flows = [Flow("reno", recovery="rfc", ack_every=ack_every, rwnd=8)]
        result = package.run(dumbbell(flows, rate="10Mbit/s", rtt="20ms", duration="5s", per_ack=True))
        packets = result.summary["perf"]["packets"]
        assert result.cwnd.num_rows * ack_every == pytest.approx(packets, rel=0.02)
    assert package.run(dumbbell({"reno": 1}, rate="10Mbit/s", rtt="20ms", duration="2s")).cwnd.num_rows == 21


def test_the_builder_and_the_file_are_the_same_scenario() -> None:
    built = dumbbell(
        [Flow("cubic", count=2, rtt="160ms", start="10s", beta=0.8), Flow("sack")],
        rate="400Mbit/s",
        rtt="40ms",
        buffer="0.5bdp",
        duration="30s",
        measure=("5s", "30s"),
        seed=9,
        loss="every:1000",
    )
    text = """
        name = ""
        duration = "30s"
        measure = ["5s", "30s"]
        seed = 9
        [link]
        rate = "400Mbit/s"
        rtt = "40ms"
        loss = "every:1000"
        queue = { kind = "droptail", limit = "0.5bdp" }
        [[flow]]
        cc = "cubic"
        count = 2
        rtt = "160ms"
        start = "10s"
        beta = 0.8
        [[flow]]
        cc = "sack"
    """
    assert package.Scenario.from_toml(text).to_toml() == built.to_toml()


def test_the_builders_refusals_carry_field_value_and_expectation() -> None:
    with pytest.raises(ScenarioError) as caught:
        dumbbell({"cubic": 1}, rate="fast", rtt="40ms")
    assert (caught.value.field, caught.value.value) == ("link.rate", '"fast"')
    assert "Mbit/s" in caught.value.expected


def test_many_flows_are_drawn_too(cwnd: Cli, tmp_path: Path) -> None:
    compare = ("compare", "cubic:20", "sack:20", "--rate", "100Mbit/s", "--duration", "3s")
    assert cwnd(*compare, "-o", tmp_path / "out").returncode == 0
    assert (tmp_path / "out" / "overview.png").stat().st_size > 50_000


def test_a_failed_save_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = package.run(dumbbell({"reno": 1}, rate="10Mbit/s", rtt="20ms", duration="1s"))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "ParquetWriter", full)
    with pytest.raises(OSError, match="No space left"):
        package.save(result, tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_tables_come_in_pieces_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    import cwnd.result.tables

    run = package.run(dumbbell({"reno": 2}, rate="10Mbit/s", rtt="20ms", duration="5s"))
    whole = {name: run.table(name) for name in ("cwnd", "queue", "events")}
    monkeypatch.setattr(cwnd.result.tables, "ROWS_PER_BATCH", 7)
    for name, table in whole.items():
        pieces = list(run.batches(name))
        assert len(pieces) == -(-table.num_rows // 7)
        assert run.table(name).to_pylist() == table.to_pylist()


def test_inner_variables_come_back_where_they_are_asked_for(tmp_path: Path) -> None:
    def run(inner: bool | list[str]) -> package.Result:
        flows = {"cubic": 1, "scalable": 1}
        return package.run(dumbbell(flows, rate="20Mbit/s", rtt="20ms", duration="3s", inner=inner))

    result = run(inner=True)
    table = result.tables["inner"]
    assert str(table.schema.field("name").type).startswith("dictionary<values=string")
    known = {algorithm["name"]: algorithm["inner"] for algorithm in _native.algorithms()}
    assert set(table["name"].to_pylist()) == {variable["name"] for variable in known["cubic"]}
    assert set(table["flow"].to_pylist()) == {0}  # scalable shows none
    assert {"unit": "s", "scale": 1024, "name": "k_s_x1024"} in known["cubic"]
    package.save(result, tmp_path / "out", pictures=False)
    assert pq.read_table(tmp_path / "out" / "inner.parquet").to_pylist() == table.to_pylist()

    named = run(inner=["w_max"]).inner.to_pylist()
    assert named == [row for row in table.to_pylist() if row["name"] == "w_max"]
    plain = run(inner=False)
    assert list(plain.tables) == list(TABLES) and plain.inner.num_rows == 0
    package.save(plain, tmp_path / "plain", pictures=False)
    assert not (tmp_path / "plain" / "inner.parquet").exists()


def test_a_long_name_does_not_leave_the_picture() -> None:
    from cwnd.plot.draw import title

    lines = title(" + ".join(f"cubic@rtt={n}ms" for n in range(100)), 80).splitlines()
    assert len(lines) == 2 and all(len(line) <= 80 for line in lines)


LOT = """
name = "three bottlenecks"
duration = "20s"
measure = ["5s", "18s"]
[parking_lot]
rate = "20Mbit/s"
delay = "5ms"
hops = 3
reverse = true
[[flow]]
cc = "cubic"
count = 2
from = "n0"
to = "n3"
[[flow]]
cc = "reno"
from = "n1"
to = "n2"
start = "2s"
stop = "16s"
[[flow]]
cc = "sack"
from = "n2"
to = "n3"
size = "300kB"
start = "6s"
[[traffic]]
preset = "ha2008"
from = "n0"
to = "n1"
[[traffic]]
model = "udp"
rate = "2Mbit/s"
from = "n1"
to = "n3"
[[action]]
rate = { link = "hop2", at = "8s", to = "10Mbit/s" }
[[action]]
switch = { flow = "cubic 2", at = "12s", cc = "reno" }
[[action]]
delay = { link = "hop1", at = "14s", to = "250us" }
"""


@pytest.fixture(scope="module")
def lot() -> package.Result:
    return package.run(package.Scenario.from_toml(LOT))


def test_a_result_is_read_back_as_it_was(lot: package.Result, tmp_path: Path) -> None:
    from cwnd.metrics.run import measures

    package.save(lot, tmp_path / "out", pictures=False)
    read = package.load(tmp_path / "out")
    assert read.summary == lot.summary and read.scenario.to_json() == lot.scenario.to_json()
    assert list(read.tables) == list(lot.tables) == list(TABLES)
    for name, table in lot.tables.items():
        assert read.table(name).equals(table), name
        assert read.rows(name) == table.num_rows == lot.rows(name)
    assert measures(read, [[0, 1]]) == measures(lot, [[0, 1]])
    package.save(read, tmp_path / "again", pictures=False)
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def test_what_cannot_be_read_back_is_refused_with_the_reason(lot: package.Result, tmp_path: Path) -> None:
    from cwnd.load import NoResultError

    out = tmp_path / "out"
    package.save(lot, out, pictures=False)
    manifest = json.loads((out / "manifest.json").read_text())
    # As version 0.1 of the tables was: without links, rates, transfers and waits.
    old = [name for name in manifest["files"] if name not in ("links.parquet", "rates.parquet", "waits.parquet")]
    (out / "manifest.json").write_text(json.dumps({**manifest, "files": old}))
    with pytest.raises(NoResultError, match=r"tables links, rates, waits.*cwnd run .*scenario\.toml"):
        package.load(out)
    (out / "manifest.json").write_text(json.dumps({**manifest, "kind": "cwnd replicates"}))
    with pytest.raises(NoResultError, match=r"replicates with their summary.json"):
        package.load(out)
    (out / "manifest.json").write_text(json.dumps(manifest))
    (out / "scenario.toml").write_text(LOT.replace('"reno"', '"mine"'))
    with pytest.raises(NoResultError, match="mine"):
        package.load(out)
    with pytest.raises(NoResultError, match="manifest"):
        package.load(tmp_path)


def test_every_piece_of_a_table_has_the_same_columns(lot: package.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    import cwnd.result.tables

    whole = {name: lot.table(name) for name in ("transfers", "events")}
    # Some transfers did not end, and one is of no group; most pieces have neither.
    assert whole["transfers"]["group"].null_count == 1 and whole["events"]["link"].null_count > 0
    monkeypatch.setattr(cwnd.result.tables, "ROWS_PER_BATCH", 3)
    for name, table in whole.items():
        assert lot.table(name).to_pylist() == table.to_pylist()


def test_the_report_of_links_traffic_and_transfers_fits_a_hundred_columns(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "lot.toml").write_text(LOT)
    single = cwnd("run", tmp_path / "lot.toml")
    many = cwnd("run", tmp_path / "lot.toml", "--seeds", 4, "--jobs", 2)
    for done in (single, many):
        assert done.returncode == 0, done.stderr
        tables = [line for line in done.stdout.splitlines() if not line.startswith("*")]
        assert max(map(len, tables)) <= 100 and "…" not in done.stdout
        for word in ("hop1", "hop3", "back1", "ha2008", "reverse", "asked Mbit/s", "udp", "took s: mean"):
            assert word in done.stdout, word
    document = json.loads(cwnd("run", tmp_path / "lot.toml", "--json").stdout)
    assert [link["name"] for link in document["links"]] == ["hop1", "hop2", "hop3", "back1", "back2", "back3"]
    assert {(group["name"], group["direction"]) for group in document["traffic"]} == {
        ("ha2008", "forward"),
        ("ha2008", "reverse"),
        ("udp", "forward"),
    }
    assert [(group["of"], group["name"]) for group in document["transfers"]] == [
        ("flow", "sack"),
        ("traffic", "ha2008"),
        ("traffic", "ha2008"),
    ]
    over = json.loads(cwnd("run", tmp_path / "lot.toml", "--seeds", 3, "--json").stdout)
    assert [link["name"] for link in over["links"]] == [link["name"] for link in document["links"]]
    assert over["links"][1]["capacity_mbps"]["mean"] == pytest.approx((3 * 20 + 10 * 10) / 13)
    assert over["transfers"][0]["completion_s"]["p50"]["n"] == 3
    assert over["traffic"][0]["carried_mbps"]["low"] < over["traffic"][0]["carried_mbps"]["high"]


def test_what_happened_to_flows_and_links_is_marked(lot: package.Result) -> None:
    from cwnd.plot.data import RunData

    run = RunData(lot)
    assert [(mark.time_s, mark.text) for mark in run.marks_of()] == [
        (2, "start reno"),
        (6, "start sack"),
        (8, "hop2: 10 Mbit/s"),
        (12, "switch cubic 2"),
        (14, "hop1: delay 250us"),
        (16, "stop reno"),
    ]
    assert [mark.text for mark in run.marks_of("hop2")] == ["10 Mbit/s"]


@pytest.mark.slow
def test_several_links_and_traffic_alone_are_drawn(lot: package.Result, tmp_path: Path) -> None:
    from cwnd.plot import draw

    def size(path: Path) -> tuple[int, int]:
        width, height = struct.unpack(">II", path.read_bytes()[16:24])
        return width, height

    draw(lot, tmp_path)
    # Three rows of two links.
    assert size(tmp_path / "queue.png")[0] > 1600 and size(tmp_path / "queue.png")[1] > 1000
    text = 'duration = "2s"\n[link]\nrate = "10Mbit/s"\nrtt = "20ms"\n[[traffic]]\nmodel = "udp"\nrate = "12Mbit/s"\n'
    alone = package.run(package.Scenario.from_toml(text))
    assert alone.summary["flows"] == [] and alone.summary["link"]["utilization"] == pytest.approx(1, abs=0.01)
    package.save(alone, tmp_path / "alone")
    names = {path.name for path in (tmp_path / "alone").iterdir()}
    assert {"queue.png", "overview.svg"} <= names and "cwnd.png" not in names


def test_the_page_of_the_tables_and_the_types_follow_from_the_schema() -> None:
    results = importlib.import_module("tools.docs.schema_page")
    assert results.PAGE.read_text() == results.page(), "out of date: run make docs"
    assert results.TYPES.read_text() == results.types(), "out of date: run make docs"


def of_sim(column: _native.RecordColumn) -> bool:
    """Whether the tables of lane sim have it."""
    return not column["only"] or "sim" in column["only"]


def test_a_runs_tables_have_the_columns_of_the_schema() -> None:
    run = package.run(
        dumbbell([Flow("cubic", size="100kB"), Flow("reno")], rate="10Mbit/s", rtt="20ms", duration="2s", inner=True)
    )
    schema = {table["name"]: table["columns"] for table in _native.record_schema() if "sim" in table["lanes"]}
    for name, table in run.tables.items():
        columns = [(column["name"], column["nullable"]) for column in schema[name] if of_sim(column)]
        assert [(field.name, field.nullable) for field in table.schema] == columns
    for name in ("flows", "links"):
        shown = [column["name"] for column in schema[name] if of_sim(column) and not column["table_only"]]
        assert all(list(row) == shown for row in run.summary[name])  # type: ignore[literal-required]
