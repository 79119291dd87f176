# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables that leave a run while it goes on, flows that are recorded or not, and runs that are too large."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused
from in_kernel import PATIENCE_S, PROGRAM, until

import cwnd as package
from cwnd import Flow, Scenario, ScenarioError, dumbbell
from cwnd._native import Simulation
from cwnd.result import result, store, tables

LINK = {"rate": "10Mbit/s", "rtt": "40ms"}
BUSY = dumbbell(
    [Flow("cubic", count=2), Flow("sack", size="1MB")], duration="20s", interval="1ms", inner=True,
    traffic=[{"model": "mix", "share": 0.1, "size": "20packets"}], **LINK,
)  # fmt: skip
HUGE = ("compare", "cubic", "--interval", "1ns")
# 60 s at 1 ns: 60 G rows of 48 bytes, and as many of 64.
REFUSAL = "record: about 7.2 TB of tables (rows: 60 G of cwnd, 60 G of queue) is not accepted; expected at most 2GB (record.limit): "


def test_a_run_into_a_folder_has_the_tables_of_one_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = package.run(BUSY)
    # In many pieces.
    for module in (result, store, tables):
        monkeypatch.setattr(module, "ROWS_PER_BATCH", 1000)
    monkeypatch.setitem(result.STEPS, "sim", 1000)
    streamed = package.run(BUSY, folder=tmp_path / "run", pictures=False)
    assert pq.ParquetFile(tmp_path / "run" / "cwnd.parquet").num_row_groups > 20
    for stored in (streamed, package.load(tmp_path / "run")):
        assert {name: stored.table(name).num_rows for name in stored.tables} == {
            name: in_memory.rows(name) for name in in_memory.tables
        }
        for name, table in in_memory.tables.items():
            assert stored.table(name).equals(table), name
        assert {**stored.summary, "perf": 0} == {**in_memory.summary, "perf": 0}
    assert in_memory.summary["transfers"] and in_memory.rows("transfers") > 20


@pytest.mark.slow
def test_every_file_of_a_saved_result_is_there(tmp_path: Path) -> None:
    package.save(package.run(BUSY), tmp_path / "saved")
    package.run(BUSY, folder=tmp_path / "run")
    names = [{path.name for path in (tmp_path / folder).iterdir()} for folder in ("saved", "run")]
    assert names[0] == names[1]
    assert {"overview.png", "summary.json", "manifest.json", "scenario.toml", "inner.parquet"} <= names[0]


def test_tables_without_rows_have_their_columns(tmp_path: Path) -> None:
    scenario = dumbbell({"cubic": 1}, duration="1s", interval="0s", **LINK)
    package.run(scenario, folder=tmp_path / "run", pictures=False)
    empty = package.load(tmp_path / "run").cwnd
    assert empty.num_rows == 0
    assert empty.schema.equals(package.run(scenario).cwnd.schema)


def test_a_run_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(simulation: Simulation) -> None:
        if simulation.progress > 0.5:
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        package.run(dumbbell({"cubic": 2}, duration="300s", **LINK), fail, folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_keeps_the_folder_that_was_there(tmp_path: Path) -> None:
    def fail(_: object) -> None:
        raise RuntimeError("stop")

    package.run(BUSY, folder=tmp_path / "run", pictures=False)
    before = (tmp_path / "run" / "cwnd.parquet").read_bytes()
    with pytest.raises(RuntimeError, match="stop"):
        package.run(BUSY, fail, folder=tmp_path / "run", pictures=False)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert (tmp_path / "run" / "cwnd.parquet").read_bytes() == before


# The sibling folder that the tables go to is there as soon as the run has begun: it is stopped only then.
def test_ctrl_c_during_a_run_leaves_nothing(tmp_path: Path) -> None:
    command = ["compare", "cubic:50", "--duration", "10000s", "--interval", "10ms", "--record-limit", "none"]
    process = subprocess.Popen(
        [PROGRAM, *command, "-o", tmp_path / "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until(lambda: list(tmp_path.glob(".run.*/cwnd.parquet")) != [] or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


# 20 flows sampled every millisecond: 48 MB of rows every 50 s, 173 MB between the two. Peaks are the processes' own.
def test_memory_does_not_grow_with_the_length_of_a_run(tmp_path: Path) -> None:
    code = (
        "import resource, sys, cwnd\n"
        "scenario = cwnd.dumbbell({'cubic': 20}, rate='10Mbit/s', rtt='40ms', interval='1ms', duration=sys.argv[1])\n"
        "folder = {'folder': sys.argv[2], 'pictures': False} if len(sys.argv) > 2 else {}\n"
        "cwnd.run(scenario, **folder)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )

    def peak_mb(duration: str, *folder: str) -> float:
        done = subprocess.run(
            [sys.executable, "-c", code, duration, *folder], capture_output=True, text=True, check=True
        )
        return int(done.stdout) / 1024

    short, long = (peak_mb(duration, str(tmp_path / duration)) for duration in ("20s", "200s"))
    assert long < short + 60, f"{short:.0f} and {long:.0f} MB"
    assert pq.read_metadata(tmp_path / "200s" / "cwnd.parquet").num_rows == 20 * 200_001


@pytest.mark.parametrize(
    ("flows", "numbers"), [("all", {0, 1, 2}), ("none", set()), (["cubic 2"], {1}), (["sack", 0], {0, 2})]
)
def test_only_the_flows_that_are_chosen_are_sampled(flows: str | list[str | int], numbers: set[int]) -> None:
    def ran(**record: object) -> package.Result:
        return package.run(dumbbell({"cubic": 2, "sack": 1}, duration="5s", inner=True, **record, **LINK))  # type: ignore[arg-type]

    every, chosen = ran(), ran(record_flows=flows)
    assert set(chosen.cwnd["flow"].to_pylist()) == numbers
    assert set(chosen.inner["flow"].to_pylist()) == numbers & {0, 1}
    rows = [row for row in every.cwnd.to_pylist() if row["flow"] in numbers]
    assert chosen.cwnd.to_pylist() == rows, "the others' rows are the same"
    assert chosen.events.equals(every.events)
    assert chosen.queue.equals(every.queue)
    assert {**chosen.summary, "perf": 0} == {**every.summary, "perf": 0}


def test_per_ack_samples_only_the_flows_that_are_chosen() -> None:
    scenario = dumbbell({"cubic": 2}, duration="5s", per_ack=True, record_flows=[1], **LINK)
    assert set(package.run(scenario).cwnd["flow"].to_pylist()) == {1}


@pytest.mark.slow
def test_a_run_without_every_flow_is_drawn_and_measured(tmp_path: Path, cwnd: Cli) -> None:
    base = ("compare", "cubic:3", "sack", "--rate", "10Mbit/s", "--duration", "5s", "--record-flows")
    for number, chosen in enumerate(("none", "cubic 2,3")):
        done = cwnd(*base, chosen, "-o", tmp_path / str(number))
        assert done.returncode == 0, done.stderr
        assert (tmp_path / str(number) / "overview.png").exists()
        done = cwnd(*base, chosen, "--seeds", "2")
        assert done.returncode == 0, done.stderr
    wrong = cwnd(*base, "reno")
    refused(wrong, "record.flows")


@pytest.mark.parametrize("more", [(), ("--seeds", "3"), ("-o", "out"), ("-o", "out", "--seeds", "3")])
def test_a_run_that_is_too_large_is_refused_before_it_starts(cwnd: Cli, tmp_path: Path, more: tuple[str, ...]) -> None:
    done = cwnd(*HUGE, *more, cwd=tmp_path)
    refused(done, REFUSAL)
    assert list(tmp_path.iterdir()) == []


def test_python_and_scenario_files_refuse_it_too(cwnd: Cli, tmp_path: Path) -> None:
    scenario = dumbbell({"cubic": 1}, rate="100Mbit/s", rtt="40ms", duration="60s", interval="1ns")
    for attempt in (
        lambda: package.run(scenario),
        lambda: package.run(scenario, folder=tmp_path / "x"),
        lambda: package.replicate(scenario, 2),
    ):
        with pytest.raises(ScenarioError, match=r"a longer record\.interval than 1ns, fewer record\.flows") as raised:
            attempt()
        assert raised.value.field == "record"
    (tmp_path / "huge.toml").write_text(scenario.to_toml())
    done = cwnd("run", tmp_path / "huge.toml")
    refused(done, REFUSAL)


# 600 s of 10 Gbit/s are 500 million packets, and half as many acknowledgements: 12 GB.
def test_acknowledgements_are_expected_from_what_the_links_carry(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic", "--rate", "10Gbit/s", "--duration", "600s", "--per-ack")
    refused(done, "12 GB of tables (rows: 250 M of cwnd,", "no record.per_ack")


def test_a_larger_limit_or_fewer_rows_let_it_run(cwnd: Cli) -> None:
    small = ("compare", "cubic", "--rate", "1Mbit/s", "--duration", "1s", "--json")
    assert cwnd(*small, "--record-limit", "1kB").returncode == 2
    for more in (("none",), ("1MB",), ("1kB", "--record-flows", "none", "--interval", "1s")):
        done = cwnd(*small, "--record-limit", *more)
        assert done.returncode == 0, done.stderr
    assert (
        Scenario.from_json(json.dumps(json.loads(dumbbell({"cubic": 1}, record_limit="3GB", **LINK).to_json())))
        .to_toml()
        .count("3GB")
        == 1
    )


def test_a_run_too_large_to_draw_says_so(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("compare", "cubic:1001", "--rate", "1Mbit/s", "--duration", "1s", "-o", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert "no pictures: 1,001 flows are more than the 1,000 that are drawn" in done.stderr
    assert not list((tmp_path / "run").glob("*.png"))


# 0.1 BDP of 10 Mbit/s and 10 ms are 0.8 packets: a sweep over round trips goes on, in the program, a file and Python.
def test_a_sweep_reaches_parts_of_a_bdp_that_are_less_than_a_packet(cwnd: Cli, tmp_path: Path) -> None:
    for rtt in ("100ms", "10ms", "1ms"):
        for buffer in ("0.1bdp", "0.1bdp, at least 4packets"):
            scenario = dumbbell({"cubic": 1}, rate="10Mbit/s", rtt=rtt, buffer=buffer, duration="1s")
            assert package.run(scenario).summary["link"]["utilization"] > 0
            done = cwnd("compare", "cubic", "--rate", "10Mbit/s", "--rtt", rtt, "--buffer", buffer, "--duration", "1s")
            assert done.returncode == 0, done.stderr
            (tmp_path / "one.toml").write_text(scenario.to_toml())
            assert cwnd("run", tmp_path / "one.toml").returncode == 0


def test_a_burst_may_have_its_unit_on_the_command_line_too(cwnd: Cli) -> None:
    runs = [cwnd("compare", f"cubic@burst={burst}", "--duration", "2s", "--json") for burst in ("4", "4packets")]
    flows, other = (json.loads(done.stdout)["flows"] for done in runs)
    assert flows == other
    assert flows != json.loads(cwnd("compare", "cubic", "--duration", "2s", "--json").stdout)["flows"]


def test_the_table_of_completion_times_says_what_they_include(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic@size=100kB", "--duration", "2s", "--measure", "0s..2s")
    assert "time from the start (before any handshake)" in done.stdout
