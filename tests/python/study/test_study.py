# SPDX-License-Identifier: MIT OR Apache-2.0
"""Studies: axes, designs, tables, and runs that are kept."""

from __future__ import annotations

import json
import random
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cwnd
from cwnd.metrics.confidence_intervals import mean_interval
from cwnd.replicates.number_cache import collect_source
from cwnd.replicates.rows import MEASURES
from cwnd.study.braces import parse_flow
from cwnd.study.design import Design
from cwnd.study.keys import full, short_names, with_value
from cwnd.study.task import PointRun
from cwnd.study.values import Range, same, values_of

FLOWS = ["cubic@beta={0.7,0.85}", "reno"]
SMALL = {"rate": "20Mbit/s", "duration": "4s"}


def command(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cwnd", "sweep", *arguments], cwd=cwd, capture_output=True, text=True, timeout=120
    )


# 0.25 to 4 by equal factors in five steps: each is twice the one before. Evenly: (4 − 0.25)/4 = 0.9375 from one to the next.
def test_a_range_is_spaced_evenly_or_by_equal_factors() -> None:
    assert values_of("buffer", "0.25..4bdp/5log") == ["0.25bdp", "0.5bdp", "1bdp", "2bdp", "4bdp"]
    assert values_of("buffer", "0.25..4bdp/5") == ["0.25bdp", "1.1875bdp", "2.125bdp", "3.0625bdp", "4bdp"]
    assert values_of("rate", "10Mbit/s..40Mbit/s/3log") == ["10Mbit/s", "20Mbit/s", "40Mbit/s"]
    assert values_of("buffer", "10..40packets/4") == ["10packets", "20packets", "30packets", "40packets"]


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(2, 50), st.booleans())
def test_a_range_begins_and_ends_where_it_says(begin: int, more: int, count: int, log: bool) -> None:
    values = values_of("rtt", f"{begin}..{begin + more}.5ms/{count}{'log' if log else ''}")
    assert isinstance(values, list) and len(values) == count
    numbers = [float(value.removesuffix("ms")) for value in values]
    assert numbers == sorted(numbers)
    assert numbers[0] == begin and numbers[-1] == pytest.approx(begin + more + 0.5, rel=1e-5)


@given(st.sampled_from(["ns", "us", "ms", "s"]), st.integers(1, 999), st.integers(1, 999), st.booleans())
def test_what_is_drawn_from_a_range_of_times_is_a_time(unit: str, begin: int, more: int, log: bool) -> None:
    found = values_of("rtt", f"{begin}..{begin + more}.5{unit}{'log' if log else ''}")
    assert isinstance(found, Range)
    for part in (0.0, 0.123456789, 1 / 3, 0.999999999):
        cwnd.dumbbell("cubic", rate="1Mbit/s", rtt="1s", jitter=found.at(part), duration="1s")


@given(st.sampled_from(["bit/s", "kbit/s", "Mbit/s"]), st.integers(100, 999), st.integers(1, 999))
def test_what_is_drawn_from_a_range_of_rates_is_a_rate(unit: str, begin: int, more: int) -> None:
    found = values_of("rate", f"{begin}..{begin + more}{unit}")
    assert isinstance(found, Range)
    for part in (0.0, 0.123456789, 1 / 3):
        cwnd.dumbbell("cubic", rate=found.at(part), rtt="40ms", buffer="4packets", duration="1s")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("10ms,,40ms", "expected values with commas between"),
        ("10ms,10ms", "expected each value once"),
        ("40ms,10ms,0.04s", "expected each value once; it is that of 40ms"),
        ("40ms..10ms/3", "expected an increasing range"),
        ("0..10ms/3log", "expected an increasing range above 0"),
        ("10ms..1s/3", "expected the same unit at both ends"),
        ("1..3packets/9", "expected at most 3 values, which are whole numbers"),
        ("1ms..2ms/1", "expected 2 to 100000 values"),
    ],
)
def test_values_that_are_not_accepted_are_named(text: str, says: str) -> None:
    with pytest.raises(cwnd.ScenarioError, match=r"^rtt: ") as refusal:
        values_of("rtt", text)
    assert says in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("level", "given", "is_same"),
    [
        ("40ms", "0.04s", True),
        ("1min", "60s", True),
        ("0.1Gbit/s", "100Mbit/s", True),
        ("1.5kB", "1500B", True),
        (0.7, "0.70", True),
        (1e-05, "0.00001", True),
        (True, "true", True),
        ("40ms", 40, True),
        ("40ms", "40.0", True),
        ("40ms", "40s", False),
        ("1bdp", "1packets", False),
        (40, "40ms", False),
        (1, True, False),
        ("random:0.001", "random:0.0010", False),
    ],
)
def test_a_value_is_asked_for_in_any_unit_or_by_its_number(level: object, given: object, is_same: bool) -> None:
    assert same(level, given) is is_same


def test_axes_are_crossed_zipped_or_drawn() -> None:
    axes = {"rtt": ["10ms", "40ms"], "rate": ["1Mbit/s", "4Mbit/s"], "beta": [0.5, 0.7, 0.9]}
    assert len(list(Design(axes))) == len(Design(axes)) == 2 * 2 * 3
    together = list(Design(axes, [("rtt", "rate")]))
    assert len(together) == 2 * 3
    assert {(row["rtt"], row["rate"]) for row in together} == {("10ms", "1Mbit/s"), ("40ms", "4Mbit/s")}
    drawn = list(Design({"rtt": Range.of("rtt", "0..100ms"), "cc": ["cubic", "reno"]}, latin=10))
    # Of ten parts of the range each has one value, and each of two names is there five times.
    assert sorted(int(float(str(row["rtt"]).removesuffix("ms")) // 10) for row in drawn) == list(range(10))
    assert [row["cc"] for row in drawn].count("cubic") == 5
    assert drawn == list(Design({"rtt": Range.of("rtt", "0..100ms"), "cc": ["cubic", "reno"]}, latin=10))


def test_a_key_is_set_wherever_it_means() -> None:
    document = {"link": {"rtt": "1ms"}, "flow": [{"cc": "a"}, {"cc": "b"}]}
    assert with_value(document, "flow.rtt", "9ms")["flow"] == [{"cc": "a", "rtt": "9ms"}, {"cc": "b", "rtt": "9ms"}]
    assert with_value(document, "flow[1].cc", "c")["flow"] == [{"cc": "a"}, {"cc": "c"}]
    queue = {"kind": "droptail", "limit": "1bdp"}
    assert with_value(document, "link.queue.limit", "1bdp")["link"] == {"rtt": "1ms", "queue": queue}
    assert document["flow"] == [{"cc": "a"}, {"cc": "b"}], "the document itself stays"
    assert full("rtt") == full("link.rtt") == "link.rtt" and full("flow.beta") == "flow[*].beta"
    assert list(short_names(["rtt", "flow[0].rtt", "flow[1].beta"]).values()) == ["link.rtt", "flow[0].rtt", "beta"]
    with pytest.raises(cwnd.ScenarioError, match="number from 0 to 1"):
        with_value(document, "flow[2].cc", "c")


def test_braces_make_axes_of_a_flow() -> None:
    flow, axes = parse_flow("{cubic,reno}:2@rtt=40ms,start=0s..1s", 3)
    assert flow.table == {"cc": "cubic", "count": 2, "rtt": "40ms", "start": {"uniform": ["0s", "1s"]}}
    assert axes == {"flow[3].cc": ["cubic", "reno"]}
    assert parse_flow("cubic@beta={0.7,0.85}", 0)[1] == {"flow[0].beta": [0.7, 0.85]}
    with pytest.raises(cwnd.ScenarioError, match=r"each value once; it is that of 0\.7"):
        parse_flow("cubic@beta={0.7,0.70}", 0)
    with pytest.raises(cwnd.ScenarioError, match="braces around a whole"):
        parse_flow("cubic@rtt=1{0,5}ms", 0)


def test_each_number_of_a_study_is_that_of_the_run_by_itself() -> None:
    study = cwnd.sweep(FLOWS, **SMALL, rtt=["10ms", "40ms"], seeds=2)
    assert (study.asked, study.done, study.found, study.failed) == (8, 8, 0, [])
    row = {"beta": 0.85, "rtt": "40ms", "seed": 2, "of": "group", "measure": "throughput_mbps", "name": "cubic"}
    (found,) = [each for each in study.runs.to_pylist() if all(each[key] == value for key, value in row.items())]
    alone = cwnd.compare(["cubic@beta=0.85", "reno"], **SMALL, rtt="40ms", seed=2)
    assert found["value"] == alone.summary["flows"][0]["throughput_mbps"]
    assert (found["unit"], found["label"], found["rtt_ms"]) == ("Mbit/s", "cubic beta=0.85", 40.0)
    (mean,) = [
        each
        for each in study.means.to_pylist()
        if all(each[key] == value for key, value in row.items() if key != "seed")
    ]
    both = [
        each["value"]
        for each in study.runs.to_pylist()
        if all(each[key] == value for key, value in row.items() if key != "seed")
    ]
    assert mean["n"] == 2 and mean["value"] == pytest.approx(sum(both) / 2)


def test_runs_are_kept_found_and_shared(tmp_path: Path) -> None:
    points = tmp_path / "shared"
    first = cwnd.sweep(FLOWS, **SMALL, rtt="40ms", seeds=2, folder=tmp_path / "a", points=points)
    again = cwnd.sweep(FLOWS, **SMALL, rtt=["40ms", "80ms"], seeds=2, folder=tmp_path / "b", points=points)
    assert (first.found, again.found, again.done) == (0, 4, 8)
    assert cwnd.load(tmp_path / "b").means.equals(again.means)
    whole = cwnd.sweep(FLOWS, **SMALL, rtt=["40ms", "80ms"], seeds=2)
    assert whole.runs.equals(again.runs), "runs that were kept are those that are made"


@pytest.mark.slow
def test_parts_of_a_study_make_the_whole(tmp_path: Path) -> None:
    options = [*FLOWS, "--rate", "20Mbit/s", "--duration", "4s", "--rtt", "10ms,40ms", "--seeds", "3"]
    for part in (1, 2, 3):
        done = command(*options, "--shard", f"{part}/3", "-o", f"part{part}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    merge = [sys.executable, "-m", "cwnd", "merge", "part1", "part2", "part3", "-o", "all"]
    lacking = subprocess.run([*merge[:4], "part1", "-o", "some"], cwd=tmp_path, capture_output=True, text=True)
    assert lacking.returncode == 1 and "runs are left" in lacking.stderr
    assert subprocess.run(merge, cwd=tmp_path, capture_output=True, text=True).returncode == 0
    assert command(*options, "-o", "whole", cwd=tmp_path).returncode == 0
    for name in ("runs.parquet", "means.parquet", "means.csv"):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.slow
def test_a_study_that_is_killed_ten_times_goes_on(tmp_path: Path) -> None:
    options = ["cubic", "--rate", "100Mbit/s", "--duration", "100s", "--rtt", "10..100ms/10", "--seeds", "4"]
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    moments = random.Random(seed)
    for _ in range(10):
        process = subprocess.Popen([sys.executable, "-m", "cwnd", "sweep", *options, "-o", "killed"], cwd=tmp_path)
        # Begun, read, running, or writing tables.
        time.sleep(moments.uniform(0.3, 1.8))
        process.send_signal(signal.SIGKILL)
        process.wait()
    # Once more in the midst of it, however fast the machine is: as soon as some run is kept.
    process = subprocess.Popen([sys.executable, "-m", "cwnd", "sweep", *options, "-o", "midst"], cwd=tmp_path)
    while not list((tmp_path / "midst").glob("points/*/*.json")):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = len(list((tmp_path / "midst").glob("points/*/*.json")))
    again = command(*options, "-o", "midst", cwd=tmp_path)
    assert again.returncode == 0 and 0 < kept < 40 and f"{kept} of them reused" in again.stderr, again.stderr
    done = command(*options, "-o", "killed", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert command(*options, "-o", "whole", cwd=tmp_path).returncode == 0
    for name in ("runs.parquet", "means.parquet", "means.csv"):
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert not list((tmp_path / "killed").rglob(".*"))


@pytest.mark.slow
def test_parts_keep_why_runs_failed_and_merge_says_it(tmp_path: Path) -> None:
    # With many losses more is captured than the limit allows, which only the run shows.
    (tmp_path / "grid.toml").write_text("""
[scenario]
duration = "60s"
link = { rate = "100Mbit/s", rtt = "20ms" }
record = { packets = "senders", limit = "150kB", interval = "0s" }
flow = [{ cc = "cubic", size = "1MB" }]
[axes]
loss = ["random:0.001", "random:0.2"]
""")
    for part in (1, 2):
        command("grid.toml", "--shard", f"{part}/2", "-o", f"part{part}", cwd=tmp_path)
    merge = [sys.executable, "-m", "cwnd", "merge", "part1", "part2", "-o", "all"]
    done = subprocess.run(merge, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and "seed 1: record.packets" in done.stderr, done.stderr
    assert "1 of 2 runs" in done.stderr and "left" not in done.stderr
    (failed,) = json.loads((tmp_path / "all" / "failed.json").read_text())
    assert failed["seed"] == 1
    # It is tried again, and fails again.
    again = command("grid.toml", "-o", "all", cwd=tmp_path)
    assert again.returncode == 1 and "1 of them reused" in again.stderr


def test_a_measure_that_no_run_has_is_refused_before_any_run(tmp_path: Path) -> None:
    done = command("cubic", "--until", "5% of queue_p59_ms", "-o", "s", cwd=tmp_path)
    assert done.returncode == 2 and "until" in done.stderr and "did you mean queue_p" in done.stderr, done.stderr
    assert not (tmp_path / "s").exists()


def test_the_measures_that_are_known_are_those_of_runs() -> None:
    scenario = cwnd.dumbbell(
        ["cubic", cwnd.Flow("reno", size="100kB"), cwnd.Flow("cubic", stack="quinn")],
        rate="20Mbit/s",
        rtt="20ms",
        traffic=["surge"],
        duration="5s",
    )
    study = cwnd.sweep(scenario)
    # Of the classes of size, those that the run has transfers in. The kernel drops packets in lane linux alone.
    shown = set(study.runs["measure"].to_pylist())
    assert shown <= MEASURES
    missing = {name for name in MEASURES - shown if "MB.." not in name}
    assert missing == {"drops_kernel", "drops_kernel_run"}


def test_points_that_are_refused_are_listed_and_do_not_end_the_others(tmp_path: Path) -> None:
    done = command("{cubic,hybla-linux}@beta=0.7", "--duration", "2s", "-o", "s", cwd=tmp_path)
    assert done.returncode == 1 and "failed: cc=hybla-linux" in done.stderr and done.stderr.count("\n") == 2
    (failed,) = json.loads((tmp_path / "s" / "failed.json").read_text())
    assert failed["factors"] == {"cc": "hybla-linux"} and "beta" in failed["why"]
    assert "cubic" in done.stdout


# Half of the interval is t·s/√n: of 10 and 12 it is 12.71·1.414/1.414 = 12.7, more than 2 % of 11; twice as many seeds are asked for.
# docs/guide/studies.md says these numbers of the command of the same words (test_study_edges.py).
@pytest.mark.slow
def test_seeds_where_they_are_needed_are_less_than_half_of_as_many_for_all() -> None:
    study = {"rate": "20Mbit/s", "rtt": ["10ms", "20ms", "40ms", "80ms", "160ms"], "duration": "20s"}
    adaptive = cwnd.sweep(["cubic", "reno"], **study, until="5%", most_seeds=200)
    rows = [row for row in adaptive.means.to_pylist() if row["measure"] == "throughput_mbps" and row["of"] == "group"]
    assert all((row["high"] - row["low"]) / 2 <= 0.05 * row["value"] for row in rows)
    seeds = {row["rtt"]: row["n"] for row in rows}
    fixed = cwnd.sweep(["cubic", "reno"], **study, seeds=max(seeds.values()))
    values: dict[tuple[str, str], list[float]] = {}
    for row in fixed.runs.to_pylist():
        if row["measure"] == "throughput_mbps" and row["of"] == "group":
            values.setdefault((row["rtt"], row["name"]), []).append(row["value"])

    def is_enough(count: int) -> bool:
        """Whether every interval of so many seeds is narrow enough."""
        intervals = [mean_interval(each[:count]) for each in values.values()]
        return all((each.half_width or 0.0) <= 0.05 * (each.centre or 0.0) for each in intervals)

    smallest = next(count for count in range(5, max(seeds.values()) + 1) if is_enough(count))
    assert (adaptive.done, min(seeds.values()), max(seeds.values()), smallest) == (225, 10, 115, 106)
    assert adaptive.done < 0.5 * smallest * len(seeds)


def test_a_dry_run_says_what_would_be_run_and_a_status_what_is_left(tmp_path: Path) -> None:
    options = [*FLOWS, "--rtt", "10ms,40ms", "--duration", "4s", "--seeds", "2"]
    dry = command(*options, "--dry-run", cwd=tmp_path)
    assert dry.returncode == 0 and "4 points, 2 seeds: 8 runs" in dry.stdout and not list(tmp_path.iterdir())
    assert command(*options, "--shard", "1/2", "-o", "s", cwd=tmp_path).returncode == 0
    assert "4 of 8 runs are done, 4 are left" in command(*options, "-o", "s", "--status", cwd=tmp_path).stdout


def test_a_file_says_the_same_as_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text("""
seeds = 2
zip = [["rtt", "rate"]]
[scenario]
duration = "4s"
measure = ["800ms", "4s"]
link = { rate = "20Mbit/s", rtt = "40ms" }
flow = [{ cc = "cubic", start = { uniform = ["0s", "100ms"] } }]
[axes]
rtt = ["10ms", "40ms"]
rate = ["20Mbit/s", "10Mbit/s"]
"flow[0].beta" = [0.7, 0.85]
""")
    study = cwnd.sweep(tmp_path / "grid.toml")
    assert study.done == 8
    same = cwnd.sweep(
        ["cubic@beta={0.7,0.85}"],
        rtt=["10ms", "40ms"],
        rate=["20Mbit/s", "10Mbit/s"],
        zip=[("rtt", "rate")],
        seeds=2,
        duration="4s",
    )
    key = ["beta", "rtt", "seed", "of", "measure"]
    assert (
        study.runs.select([*key, "value"])
        .sort_by([(name, "ascending") for name in key])
        .equals(same.runs.select([*key, "value"]).sort_by([(name, "ascending") for name in key]))
    )
    done = command("grid.toml", "--rtt", "1ms", cwd=tmp_path)
    assert done.returncode == 2 and "--axis" in done.stderr


def test_a_part_that_is_stopped_says_so(tmp_path: Path) -> None:
    options = [
        "cubic",
        "--rate",
        "100Mbit/s",
        "--duration",
        "1000s",
        "--rtt",
        "10..100ms/10",
        "--shard",
        "1/2",
        "-o",
        "s",
    ]
    process = subprocess.Popen([sys.executable, "-m", "cwnd", "sweep", *options], cwd=tmp_path, stderr=subprocess.PIPE)
    while not (tmp_path / "s" / "manifest.json").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130


def test_the_name_of_a_run_depends_on_all_code_that_makes_its_numbers() -> None:
    seen: dict[str, str] = {}
    collect_source(PointRun.run, seen, set())
    assert {"cwnd.replicates.rows.rows_of", "cwnd.replicates.document.describe", "cwnd.metrics.run.measures"} <= set(
        seen
    )


# Between 0.25 and 4 in nine steps by equal factors, each is √2 times the one before: 0.353553…, six decimals of which a scenario takes.
def test_buffers_by_equal_factors_are_ones_that_a_scenario_takes() -> None:
    values = values_of("buffer", "0.25..4bdp/9log")
    assert isinstance(values, list) and values[:4] == ["0.25bdp", "0.353553bdp", "0.5bdp", "0.707107bdp"]
    for value in values:
        cwnd.dumbbell("cubic", rate="20Mbit/s", rtt="40ms", buffer=value, duration="1s")


def test_a_study_knows_what_its_points_have_in_common(tmp_path: Path) -> None:
    study = cwnd.sweep(["cubic:2", "reno"], **SMALL, rtt=["10ms", "40ms"], loss="random:0.001", folder=tmp_path / "a")
    assert study.fixed == {
        "rate": "20 Mbit/s",
        "buffer": "1 BDP",
        "queue": "droptail",
        "loss": "random:0.001",
        "flows": "cubic:2 + reno together",
        "duration": "4 s",
        "measured": "0.8 to 4 s",
    }
    assert cwnd.load(tmp_path / "a").fixed == study.fixed
    flows = {row["name"]: row["value"] for row in study.runs.to_pylist() if row["measure"] == "flows"}
    assert flows == {"cubic": 2, "reno": 1}
