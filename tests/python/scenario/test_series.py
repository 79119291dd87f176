# SPDX-License-Identifier: MIT OR Apache-2.0
"""Rates, delays, sizes and flows from files, and lines of netem: on the command line, in scenarios and in Python."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import Scenario
from cwnd._native import ScenarioError
from cwnd.study.results import Study

# 8 Mbit/s for 1 s, nothing for 1 s, 4 Mbit/s for 2 s; the last value lasts as long as the one before it. In the form of a modem's log.
RATES = "time_s,rate_mbps\n0,8\n1,0\n2,4\n3,4\n"
# A trace of 6 Mbit/s in Mahimahi's form: 1500 bytes every 2 ms.
TRACE = "".join(f"{ms}\n" for ms in range(2, 201, 2))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "bw.csv").write_text(RATES)
    (tmp_path / "bw.csv.gz").write_bytes(gzip.compress(RATES.encode()))
    (tmp_path / "radio.trace").write_text(TRACE)
    return tmp_path


def carried_mbps(document: dict[str, object]) -> float:
    flows = document["flows"]
    assert isinstance(flows, list)
    return float(sum(flow["throughput_mbps"] for flow in flows))


# In 8 s the series offers 8 + 0 + 4 + 4 Mbit twice, 4 Mbit/s in the mean; a flow from its beginning on fills at least three quarters of it.
def test_compare_takes_a_trace_or_a_series(cwnd: Cli, files: Path) -> None:
    said = "rate from {}: series of 4 values over 4 s, mean 4 Mbit/s"
    for name, words in (
        ("bw.csv", said.format("bw.csv")),
        ("bw.csv.gz", said.format("bw.csv.gz")),
        ("radio.trace", "rate from radio.trace: Mahimahi trace of 100 opportunities over 0.2 s, mean 6.000 Mbit/s"),
    ):
        done = cwnd(
            "compare",
            "cubic-linux",
            "--trace",
            name,
            "--duration",
            "8s",
            "--measure",
            "0s..8s",
            "--buffer",
            "100packets",
            "--json",
            cwd=files,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr.count("\n") == 1 and words in done.stderr, done.stderr
        mean = 6 if name == "radio.trace" else 4
        assert 0.75 * mean < carried_mbps(json.loads(done.stdout)) <= mean * 1.001
    quiet = cwnd("compare", "cubic", "--trace", "bw.csv", "--duration", "1s", "-q", cwd=files)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    refused = cwnd("compare", "cubic", "--trace", "bw.csv", "--rate", "1Mbit/s", cwd=files)
    assert (refused.returncode, refused.stderr) == (
        2,
        'error: --trace: "bw.csv" is not accepted; expected it or --rate, not both\n',
    )
    missing = cwnd("compare", "cubic", "--trace", "none.csv", cwd=files)
    assert missing.returncode == 2 and "link.rate.trace" in missing.stderr and missing.stderr.count("\n") == 1


def test_run_takes_a_trace_for_the_rate_of_its_first_link(cwnd: Cli, files: Path) -> None:
    scenario = package.dumbbell("cubic", rate={"trace": str(files / "radio.trace")}, rtt="40ms", duration="2s")
    (files / "x.toml").write_text(scenario.to_toml())
    done = cwnd("run", "x.toml", "--trace", "bw.csv", "-o", "out", "--no-plots", cwd=files)
    assert done.returncode == 0 and "series of 4 values" in done.stderr, done.stderr
    result = package.load(files / "out")
    assert isinstance(result, package.Result) and result.scenario is not None
    assert [file.path for file in result.scenario.files] == ["bw.csv"]
    assert result.scenario.rate_mbps == 4
    again = cwnd("run", "out/scenario.toml", "--json", cwd=files)
    assert again.returncode == 0, again.stderr
    for path, word in (("none.csv", "exists"), ("/dev/zero", "device")):
        refused = cwnd("run", "x.toml", "--trace", path, cwd=files)
        assert refused.returncode == 2 and refused.stderr.startswith("error: --trace: ") and word in refused.stderr


def test_traces_are_an_axis_of_a_study(cwnd: Cli, files: Path) -> None:
    done = cwnd("sweep", "cubic", "--trace", "bw.csv,radio.trace", "--duration", "2s", "-o", "study", cwd=files)
    assert done.returncode == 0, done.stderr
    study = package.load(files / "study")
    assert isinstance(study, Study)
    assert set(study.runs["trace"].to_pylist()) == {"bw.csv", "radio.trace"}
    one = cwnd("sweep", "cubic", "--trace", "bw.csv", "--duration", "2s", "--dry-run", cwd=files)
    assert one.returncode == 0 and "1 point" in one.stdout + one.stderr


def test_python_takes_series_of_rates_and_of_delays(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (files / "rtt.csv").write_text("time_s,rtt_ms\n0,20\n1,60\n2,20\n")
    rate = {"series": str(files / "bw.csv"), "end": "hold"}
    delay = {"series": str(files / "rtt.csv"), "end": "hold"}
    scenario = package.dumbbell("cubic", rate="20Mbit/s", delay=delay, rtt="20ms", duration="3s", interval="100ms")
    assert scenario == Scenario.of_printed(
        scenario.to_toml(), {file.path: file.contents for file in scenario.files}, of_folder=False
    )
    flow = package.run(scenario).table("cwnd")
    rtts = {at: rtt for at, rtt in zip(flow["time_s"].to_pylist(), flow["srtt_ms"].to_pylist(), strict=True)}
    assert rtts[1.9] > 40 > 20 <= rtts[0.9]
    held = package.dumbbell("cubic", rate=rate, rtt="20ms", duration="3s")
    assert held.remarks == [
        f"link: rate from {files / 'bw.csv'}: series of 4 values over 4 s, mean 4 Mbit/s (columns time_s and rate_mbps; the last value held)"
    ]
    monkeypatch.chdir(files)
    command = package.compare_command("cubic", rate={"trace": "bw.csv"})
    assert command == "cwnd compare cubic --trace bw.csv"


def test_sizes_in_per_cent_and_lists_of_flows_are_traffic(cwnd: Cli, files: Path) -> None:
    (files / "sizes.txt").write_text("0 0\n10000 15\n20000 60\n100000 100\n")
    (files / "flow.txt").write_text("3\n2 1 3 100 30000 0.5\n3 1 3 100 20000 0.25\n4 1 3 100 10000 0.5\n")
    sizes = 'model = "mix", share = 0.2, size = { kind = "empirical", file = "sizes.txt", unit = "B" }'
    flows = 'model = "list", file = "flow.txt", cc = "cubic"'
    done = cwnd(
        "compare",
        "cubic",
        "--duration",
        "3s",
        "--traffic",
        sizes,
        "--traffic",
        flows,
        "-o",
        "out",
        "--no-plots",
        cwd=files,
    )
    assert done.returncode == 0, done.stderr
    result = package.load(files / "out")
    assert isinstance(result, package.Result)
    transfers = result.table("transfers").to_pylist()
    listed = [(row["start_s"], row["bytes"]) for row in transfers if row["group"] == 1]
    assert sorted(listed) == [(0.25, 20000), (0.5, 10000), (0.5, 30000)]


def test_the_line_of_netem_that_the_guide_shows_lets_packets_through(cwnd: Cli) -> None:
    page = (Path(__file__).parents[3] / "docs" / "guide" / "netem.md").read_text()
    line = next(line for line in page.splitlines() if line.startswith("cwnd compare") and "--netem" in line)
    _, *arguments = shlex.split(line.removesuffix("2>&1"))
    done = cwnd(*arguments, "--json")
    # A tenth of the 10 Mbit/s of the link.
    assert json.loads(done.stdout)["flows"][0]["throughput_mbps"] > 1, done.stderr


# Transfers of one packet each: their durations are single delays, 20 ms in the mean on the link. The mean of 1000 delays with a
# deviation of 11 ms at most deviates by 0.35 ms. The rate is not netem's own, with which a packet that would overtake waits.
@pytest.mark.parametrize("shape", [" 5ms", " 20ms", " 5ms distribution normal", " 20ms distribution normal"])
def test_the_mean_delay_does_not_depend_on_the_shape_of_netems_delay(shape: str) -> None:
    def mean_ms(words: str) -> float:
        flows = "reno:1000@size=1kB,start=0s..4s,recovery=sack-prr"
        result = package.compare(flows, rtt="60ms", duration="5s", **package.netem(words, rate="1Gbit/s"))
        assert isinstance(result, package.Result)
        times = [row["end_s"] - row["start_s"] for row in result.table("transfers").to_pylist()]
        assert len(times) == 1000
        return 1000 * sum(times) / len(times)

    assert abs(mean_ms(f"delay 20ms{shape}") - mean_ms("delay 20ms")) < 1.5


def test_netem_is_said_back_and_runs(cwnd: Cli, files: Path) -> None:
    words = "delay 20ms 5ms distribution normal loss gemodel 1% 10% 70% 0.1% rate 10mbit limit 1000"
    done = cwnd(
        "compare", "cubic", "--rtt", "60ms", "--duration", "2s", "--netem", words, "-o", "out", "--no-plots", cwd=files
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("netem: ")]
    assert [line.split()[1].strip(":") for line in said] == ["loss", "delay", "rate", "limit"], said
    keywords = package.netem(words)
    assert keywords["rate"] == "10000000bit/s" and keywords["buffer"] == "1000packets"
    by_python = package.compare("cubic", rtt="60ms", duration="2s", **keywords)
    assert by_python.scenario is not None
    assert Scenario.from_file(files / "out" / "scenario.toml") == by_python.scenario
    (files / "netem.toml").write_text(
        f'duration = "2s"\n[link]\nrtt = "60ms"\nnetem = "{words}"\n[[flow]]\ncc = "cubic"\n'
    )
    run = cwnd("run", "netem.toml", cwd=files)
    assert run.returncode == 0 and run.stderr.count("link.netem: ") == 4, run.stderr
    for given, expected in (
        (("--netem", "duplicate 1%"), 'netem: "duplicate" is not accepted; expected no such word'),
        (
            ("--netem", "rate 1mbit", "--rate", "2Mbit/s"),
            '--rate: "2Mbit/s" is not accepted; expected no --rate with --netem',
        ),
        (
            ("--netem", "rate 1mbit", "--trace", "bw.csv"),
            '--trace: "bw.csv" is not accepted; expected no --trace with --netem',
        ),
        (
            ("--netem", "delay 50ms"),
            '--rtt: "40ms" is not accepted; expected at least 50ms, the delay of the link in both directions (--netem; without --rtt it is 40ms)',
        ),
    ):
        refused = cwnd("compare", "cubic", *given, cwd=files)
        assert refused.returncode == 2 and refused.stderr.splitlines()[-1].startswith(f"error: {expected}"), (
            refused.stderr
        )
    with pytest.raises(ScenarioError, match=r"^netem: "):
        package.netem("slot 1ms")
