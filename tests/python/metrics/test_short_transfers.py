# SPDX-License-Identifier: MIT OR Apache-2.0
"""A flow with a size has its completion time in every report, whenever it ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package

#: 1 MB beside an endless flow: over after about 1.2 s, where the first 4 s of 20 are not measured.
SHORT = ("cubic-linux@size=1MB", "reno-linux", "--rate", "40Mbit/s", "--rtt", "100ms", "--duration", "20s")
NOTE = "cubic-linux: ended before the measured interval: rates exclude it, and fairness counts it with rate 0"


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("seeds", [(), ("--seeds", "2")])
def test_a_transfer_of_the_first_fifth_is_reported_and_explained(seeds: tuple[str, ...], cwnd: Cli) -> None:
    done = cwnd("compare", *SHORT, *seeds)
    assert done.returncode == 0, done.stderr
    assert "took s" in done.stdout and NOTE in flat(done.stdout)
    group = json.loads(cwnd("compare", *SHORT, *seeds, "--json").stdout)["transfers"][0]
    started, before, took_s = (group["started"], group["ended_before"], group["completion_s"]["p50"])
    if seeds:
        started, before, took_s = started["mean"], before["mean"], took_s["mean"]
    # 691 segments in rounds of 10, 20, 40 … 640 are 7 of 100 ms, and a handshake of one: above 0.6 s; below the 2 s of half the rate.
    assert (started, before) == (1, 1) and 0.6 < took_s < 2


def test_what_the_note_says_of_fairness_is_what_the_index_does(cwnd: Cli) -> None:
    summary = json.loads(cwnd("compare", SHORT[0], "reno-linux", "cubic-linux@label=b", *SHORT[2:], "--json").stdout)
    early, *others = [flow["throughput_mbps"] for flow in summary["flows"]]
    # (0 + x + y)² / (3 (0 + x² + y²)): at most 2/3.
    assert early == 0
    assert summary["jain"] == pytest.approx(sum(others) ** 2 / (3 * sum(rate**2 for rate in others)))
    assert 0.5 < summary["jain"] <= 2 / 3


def test_listed_transfers_are_reported_whenever_they_ended(cwnd: Cli, tmp_path: Path) -> None:
    path = 'duration = "20s"\nmeasure = ["4s", "20s"]\n[link]\nrate = "40Mbit/s"\nrtt = "100ms"\n'
    listed = '[[traffic]]\nname = "few"\nmodel = "list"\nlist = [["0s", "100kB"], ["1us", "100kB"], ["10s", "100kB"]]\n'
    (tmp_path / "listed.toml").write_text(path + listed)
    done = cwnd("run", "listed.toml", cwd=tmp_path)
    note = "few: 2 of 3 ended before the measured interval: rates exclude them (--measure sets the interval)"
    assert done.returncode == 0 and note in flat(done.stdout), done.stdout + done.stderr
    summary = json.loads(cwnd("run", "listed.toml", "--json", cwd=tmp_path).stdout)
    [group] = summary["transfers"]
    assert (group["of"], group["started"], group["finished"], group["ended_before"]) == ("traffic", 3, 3, 2)
    [asked] = summary["traffic"]
    assert (asked["asked"], asked["asked_mbps"]) == ("list", None) and "a list" in done.stdout
    # A process, of which the interval is a sample, has only what started in it.
    drawn = '[[traffic]]\nname = "many"\nmodel = "mix"\narrivals = "1s"\nsize = "10kB"\n'
    (tmp_path / "drawn.toml").write_text(path + drawn)
    summary = json.loads(cwnd("run", "drawn.toml", "--json", cwd=tmp_path).stdout)
    assert summary["transfers"][0]["ended_before"] == 0


def test_a_transfer_is_said_where_the_interval_is_explicit(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("compare", "cubic-linux@size=1MB", *SHORT[2:], "--measure", "4s..20s")
    assert NOTE in flat(done.stdout) and "measured 4 to 20 s" in done.stdout
    (tmp_path / "short.toml").write_text(
        'duration = "20s"\nmeasure = ["4s", "20s"]\n[link]\nrate = "40Mbit/s"\nrtt = "100ms"\n'
        '[[flow]]\ncc = "cubic-linux"\ncount = 2\nsize = "1MB"\n[[flow]]\ncc = "reno-linux"\nsize = "100MB"\n'
    )
    done = cwnd("run", "short.toml", cwd=tmp_path)
    note = "cubic-linux: 2 of 2 ended before the measured interval: rates exclude them, and fairness counts them with rate 0"
    assert note in flat(done.stdout)
    assert "some did not end within the run and count as longer than all others" in done.stdout


def test_transfers_alone_are_measured_from_the_begin(cwnd: Cli) -> None:
    sized = ("cubic-linux@size=1MB", "reno-linux@size=2MB", *SHORT[2:])
    done = cwnd("compare", *sized)
    assert "measured 0 to 20 s" in done.stdout and "ended before" not in done.stdout
    assert json.loads(cwnd("compare", *SHORT, "--json").stdout)["measured_s"] == [4, 20]
    # 1 MB of payload in 20 s are 0.4 Mbit/s.
    flow = json.loads(cwnd("compare", *sized, "--json").stdout)["flows"][0]
    assert flow["goodput_mbps"] == pytest.approx(0.4)
    result = package.compare(["cubic-linux@size=1MB"], rate="40Mbit/s", duration="20s")
    assert result.scenario.measured_s == (0, 20) and result.measures.transfers[0].ended_before == 0
    kept = package.compare(["cubic-linux@size=1MB"], rate="40Mbit/s", duration="20s", measure=("1s", "2s"))
    assert kept.scenario.measured_s == (1, 2)


# A size that is an axis is one at every point: 300 kB of payload in 20 s are 0.12 Mbit/s, and none before the interval.
def test_a_size_by_its_axis_alone_is_measured_from_the_begin(cwnd: Cli, tmp_path: Path) -> None:
    link = SHORT[2:]
    braces = cwnd("sweep", "cubic-linux@size={300kB,1MB}", *link, "-o", "braces", cwd=tmp_path)
    axis = cwnd("sweep", "cubic-linux", *link, "--axis", "flow.size=300kB,1MB", "-o", "axis", cwd=tmp_path)
    assert (braces.returncode, axis.returncode) == (0, 0), axis.stderr
    tables = [package.load(tmp_path / name).runs for name in ("braces", "axis")]
    assert tables[0].to_pylist() == tables[1].to_pylist()
    python = package.sweep(
        "cubic-linux", {"flow[0].size": ["300kB", "1MB"]}, rate="40Mbit/s", rtt="100ms", duration="20s"
    )
    assert python.runs.to_pylist() == tables[1].to_pylist()
    goodputs = [
        row["value"] for row in tables[1].to_pylist() if (row["of"], row["measure"]) == ("group", "goodput_mbps")
    ]
    assert goodputs == pytest.approx([0.12, 0.4])
    # Of two groups one has no size: the run has a steady state.
    cwnd("sweep", "cubic-linux", "reno-linux", *link, "--axis", "flow[0].size=1MB", "-o", "one", cwd=tmp_path)
    assert package.load(tmp_path / "one").fixed["measured"] == "4 to 20 s"


def test_a_study_of_transfers_has_their_times_everywhere(cwnd: Cli, tmp_path: Path) -> None:
    study = ("cubic-linux@size={300kB,1MB}", *SHORT[1:], "--seeds", "3", "-o", "out")
    done = cwnd("sweep", *study, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "took s: mean" in done.stdout and "ended before" in flat(done.stdout)
    loaded = package.load(tmp_path / "out")
    rows = [
        row for row in loaded.means.to_pylist() if row["of"] == "transfers" and row["name"] == "cubic-linux, forward"
    ]
    took = {(row["size"], row["measure"]): row["value"] for row in rows}
    assert 0.3 < took["300kB", "completion_p95_s"] < took["1MB", "completion_p95_s"] < 2
    assert took["1MB", "ended_before"] == took["1MB", "started"] == 1
    differs = cwnd("diff", "out", "--between", "size=300kB,1MB", "--measures", "p95 completion time", cwd=tmp_path)
    assert differs.returncode == 0 and "completion_p95_s" in differs.stdout and "higher" in differs.stdout
    plotted = cwnd("plot", "out", "--measure", "completion_p95_s", cwd=tmp_path)
    assert plotted.returncode == 0, plotted.stderr


# 1 MB takes 1 to 2 s of 20, of which the first four are not measured.
def test_a_flow_that_has_ended_has_no_mean_window_and_its_line_ends(cwnd: Cli) -> None:
    from cwnd.plot.data import RunData

    rows: dict[str, list[str]] = {}
    for line in cwnd("compare", *SHORT).stdout.splitlines():
        rows.setdefault(line.split()[0] if line.strip() else "", line.split())
    assert rows["cubic-linux"][5] == "-" and float(rows["reno-linux"][5]) > 10
    result = package.compare(["cubic-linux@size=1MB", "reno-linux"], rate="40Mbit/s", rtt="100ms", duration="20s")
    (end_s,) = (row["end_s"] for row in result.transfers.to_pylist() if row["number"] == 0)
    run = RunData(result)
    (times, windows), (others, _) = run.window(0), run.window(1)
    assert times[-1] == end_s < 3 and len(times) == len(windows) > 5 and windows[-1] == windows[-2]
    assert others[-1] > 19 and run.ends == {}


# Of two flows one has all that is carried: x² / (2 x²) = 1/2.
def test_a_flow_that_sent_nothing_is_said_to_count_in_fairness(cwnd: Cli) -> None:
    words = ("--rate", "10Mbit/s", "--duration", "20s")
    stopped = cwnd("compare", "cubic@stop=2s", "reno", *words).stdout
    assert "1 flow of 2 sent nothing in the measured interval: fairness counts it with rate 0" in flat(stopped)
    assert "Jain index 0.500" in stopped
    # Said once: of transfers a line of their own says it.
    ended = cwnd("compare", *SHORT).stdout
    assert "sent nothing" not in ended and "fairness counts it" not in flat(
        cwnd("compare", "cubic", "reno", *words).stdout
    )
