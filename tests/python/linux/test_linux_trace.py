# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traces of lane linux: each call of the kernel's own algorithms gives what ours gives, and nothing is missing from a record."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Cli
from needs import needs

import cwnd as package
from cwnd.linux import Kernel, find
from cwnd.linux.engine import VirtualRun
from cwnd.replay.trace import replay

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

GOLDEN = Path(__file__).parents[3] / "vectors" / "golden" / "replay.toml"
RECORDED = GOLDEN.parent / "virtual" / "6.12"
#: The release that RECORDED is of (vectors/golden/README.md).
RELEASE = "6.12.117"
#: Each set with the kernel's rules, and a set that must differ from it.
SETS = {trace["cc"]: trace["not"] for trace in tomllib.loads(GOLDEN.read_text())["trace"]}
PATH = {"rate": "20Mbit/s", "rtt": "40ms", "buffer": "1bdp", "duration": "10s", "seed": 1}


def scenario(cc: str | package.Flow, **settings: object) -> package.Scenario:
    return package.dumbbell([cc], **{**PATH, **settings})


def seqs(trace: package.Result) -> list[int]:
    return sorted([*trace.table("hooks")["seq"].to_pylist(), *trace.table("packets")["seq"].to_pylist()])


@pytest.mark.parametrize("name", sorted(SETS))
def test_the_kernels_module_does_at_each_call_what_our_set_does(name: str, tmp_path: Path) -> None:
    trace = package.linux.trace(
        scenario(f"kernel/{name.removesuffix('-linux')}", loss="random:0.0005"), tmp_path / "trace"
    )
    about = trace.summary
    assert (about["set"], about["differences"], about["first"]) == (name, 0, None)
    hooks = trace.table("hooks")["hook"].to_pylist()
    assert about["calls"] == len(hooks) > 5000
    assert hooks.count("init") == 1 and hooks.count("ssthresh") >= 3
    assert replay(trace.folder / "hooks.parquet", SETS[name])["differences"] > 0


# record.py made them on another machine, and says how.
@pytest.mark.ci_may_skip
@pytest.mark.parametrize("name", ["bbr", "cubic", "dctcp"])
def test_a_trace_of_another_machine_is_the_same_here(name: str, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("record", GOLDEN.parent / "record.py")
    assert spec is not None and spec.loader is not None
    record = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(record)
    kernel = find("6.12")
    if kernel.release != RELEASE:
        pytest.skip(f"the traces are of Linux {RELEASE}, and this is {kernel.release}")
    recorded = package.linux.trace(record.scenario(name), tmp_path / "trace", kernel="6.12", pictures=False)
    assert record.used(recorded.table("hooks")).equals(pq.read_table(RECORDED / f"{name}.parquet"))


# Timers fire at ticks. On a path of ten ticks, what leaves with one is acknowledged with a later one, to the nanosecond: where no tick is missing,
# an event is less than a tick after the last one that is counted.
def test_what_arrives_with_a_tick_comes_after_it(tmp_path: Path) -> None:
    trace = package.linux.trace(
        scenario("kernel/reno", loss="random:0.1", duration="100s"), tmp_path / "trace", kernel="6.12", pictures=False
    )
    packets = trace.table("packets").filter(pc.equal(pc.field("kind"), "ack"))
    (tick_ns,) = {10**9 // hz for hz in packets["tick_hz"].to_pylist()}
    rows = zip(packets["time_ns"].to_pylist(), packets["jiffies"].to_pylist(), strict=True)
    since_us = [(time_ns - jiffies * tick_ns) // 1000 for time_ns, jiffies in rows]
    assert since_us.count(min(since_us)) > 10, "what this is about"
    assert max(since_us) - min(since_us) < tick_ns // 1000


@pytest.mark.parametrize("cc", ["cubic", "htcp", "vegas-linux", "reno"])
def test_our_algorithm_in_the_kernel_does_what_it_does_here_to_the_byte(cc: str, tmp_path: Path) -> None:
    trace = package.linux.trace(scenario(cc, loss="random:0.001"), tmp_path / "trace")
    about = trace.summary
    assert (about["differences"], about["first"]) == (0, None)
    assert about["states_compared"] == about["calls"] > 5000


# The sender's own state tells what has happened: before each segment that arrives, `snd_una` is what the earlier ones acknowledged; new data
# begin where the last ended; and `total_retrans` counts what is sent again.
def test_no_segment_is_missing_from_a_trace_and_it_is_the_same_each_time(tmp_path: Path) -> None:
    one, other = (
        package.linux.trace(scenario("cubic-linux", loss="random:0.01"), tmp_path / name) for name in ("one", "other")
    )
    numbers = seqs(one)
    assert numbers == list(range(len(numbers)))
    first = one.table("packets")["sequence"][0].as_py() + 1
    acknowledged = end = again = 0
    for row in one.table("packets").to_pylist():
        if row["kind"] == "ack":
            assert row["snd_una"] - first == acknowledged
            acknowledged = max(acknowledged, row["acknowledges"] - first)
        elif row["kind"] == "sent" and row["payload"]:
            if row["sequence"] - first == end:
                end += row["payload"]
            else:
                assert row["sequence"] - first < end
                again += -(-row["payload"] // (row["gso_size"] or row["payload"]))
            assert row["total_retrans"] == again
    assert end > 4_000_000 and again > 20
    assert all(one.table(name).equals(other.table(name)) for name in ("hooks", "packets", "cwnd", "flows"))


# BBR and CDG draw from the kernel's generator, and 60 flows fill several pieces of records: neither may take a number of it.
@pytest.mark.parametrize("name", ["bbr", "cdg"])
def test_a_traced_run_is_the_run_without_a_trace(name: str, virtual_kernel: Kernel) -> None:
    flow = package.Flow(f"kernel/{name}", count=60, start={"uniform": ["0s", "1s"]})
    given = scenario(flow, rate="200Mbit/s", rtt="30ms", loss="random:0.001", buffer="40packets", duration="3s")
    runs = [VirtualRun(given, virtual_kernel, traced) for traced in (None, f"kernel/{name}")]
    for run in runs:
        while not run.step(50):
            pass
    plain, traced = (run.tables for run in runs)
    assert plain["events"].num_rows > 1000 and runs[1].records["hooks"].size > 10_000_000
    assert [name for name, table in plain.items() if not table.equals(traced[name])] == []


# 136 ms are 34 ticks of 4 ms. The wheel of timers repeats after 4096.
@pytest.mark.parametrize(("phase", "ticks"), [("0s", 0), ("136ms", 34), ("2001ms", 500)])
def test_the_count_of_ticks_has_run_for_the_phase_when_a_scenario_begins(
    phase: str, ticks: int, tmp_path: Path
) -> None:
    flow = package.Flow("cubic-linux", host_clock_phase=phase)
    first = package.linux.trace(scenario(flow, duration="1s"), tmp_path / "trace").table("packets").slice(0, 1)
    assert first["kind"].to_pylist() == ["sent"] and first["jiffies"][0].as_py() % 4096 == ticks


@pytest.mark.parametrize("cc", ["kernel/cubic", "kernel/reno"])
@pytest.mark.parametrize(
    "path",
    [{"loss": "random:0.01"}, {"reorder": {"share": 0.02, "extra": "5ms"}}, {"buffer": "20packets", "rate": "5Mbit/s"}],
)
def test_the_simulators_sender_makes_the_calls_of_the_kernels(cc: str, path: dict[str, object], tmp_path: Path) -> None:
    package.linux.trace(scenario(cc, **path), tmp_path / "trace")
    outcome = package.replay_transport(tmp_path / "trace")
    assert outcome["complete"] and outcome["events"] > 2000
    assert (outcome["divergent"], outcome["out_of_step"], outcome["windows"], outcome["gaps"]) == (0, 0, 0, 0)


# Linux: what is delivered in the interval of a sample is `delivered` now less `delivered` at its beginning.
def test_a_rate_sample_counts_what_was_delivered_since_its_beginning(tmp_path: Path) -> None:
    trace = package.linux.trace(scenario("kernel/bbr", loss="random:0.001"), tmp_path / "trace")
    hooks = trace.table("hooks")
    given = hooks.filter(pc.equal(hooks["hook"], "cong_control"))
    assert given.num_rows > 2000
    # The acknowledgement's number, and with it Linux's flags: new data, in order or beyond a hole.
    assert given["arg0"].equals(given["snd_una"])
    assert pc.any(pc.equal(pc.bit_wise_and(given["arg1"], 0x24), 0x20)).as_py()
    valid = given.filter(pc.is_valid(given["rs_delivered"]))
    since = pc.subtract(valid["delivered"], pc.cast(valid["rs_prior_delivered"], pa.uint64()))
    assert since.equals(pc.cast(valid["rs_delivered"], pa.uint64()))
    rates = pc.divide(pc.cast(valid["rs_delivered"], pa.float64()), pc.cast(valid["rs_interval_us"], pa.float64()))
    # 20 Mbit/s are 0.00167 packets of 1500 bytes a µs; a sample over few packets may be a little above.
    assert 0.9 < pc.quantile(rates, 0.5)[0].as_py() / (20 / 8 / 1500) < 1.1
    assert hooks.filter(pc.not_equal(hooks["hook"], "cong_control"))["rs_losses"].null_count > 0


def test_a_trace_says_what_was_run(cwnd: Cli, tmp_path: Path) -> None:
    given = scenario("kernel/bbr", duration="1s")
    trace = package.linux.trace(given, tmp_path / "trace")
    source = trace.summary["source"]
    assert source["scenario"] == given.to_toml() and source["lane"].startswith("linux:") and source["hz"] == 250
    # By the name that the scenario has, not by that of the wrapper in the kernel.
    assert trace.summary["algorithm"] == "kernel/bbr" and trace.table("flows")["algorithm"].to_pylist() == [
        "kernel/bbr"
    ]
    said = cwnd("qlog", tmp_path / "trace").stdout
    assert "kernel/bbr" in said and "k_bbr" not in said


def test_refusals_name_what_there_is(cwnd: Cli, tmp_path: Path) -> None:
    udp = "duration = '1s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[traffic]]\nmodel = 'udp'\nrate = '1Mbit/s'\n"
    (tmp_path / "udp.toml").write_text(udp)
    done = cwnd("linux", "trace", "udp.toml", "-o", "trace", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1) and "expected one with a flow" in done.stderr
    (tmp_path / "x.toml").write_text(package.dumbbell(["cubic", "reno"], **PATH).to_toml())
    for arguments, expected in (
        ([], "cc: missing; expected one of the scenario's algorithms: cubic, reno"),
        (["--cc", "cubik"], 'cc: "cubik" is not accepted; expected an algorithm of the scenario'),
        (["--cc", "cubic", "--kernel", "5.4"], 'kernel: "5.4" is not accepted'),
    ):
        done = cwnd("linux", "trace", "x.toml", "-o", "trace", *arguments, cwd=tmp_path)
        assert done.returncode == 2 and expected in done.stderr and done.stderr.count("\n") == 1, done.stderr
        assert not (tmp_path / "trace").exists()
