# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a line of netem replaces in a scenario file, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd.study.keys import with_value
from cwnd.study.results import Study

BARE = """duration = "1s"
[link]
rtt = "60ms"
[[flow]]
cc = "cubic"
rwnd = 10
"""
#: The same with keys of the link.
WITH_LINE = BARE.replace("[link]\n", '[link]\nnetem = "delay 20ms rate 10mbit limit 50"\n')
WITH_JITTER = BARE.replace("[link]\n", '[link]\njitter = "3ms"\nloss = "random:1%"\n')
#: Of two links in a row, the first has a line.
GRAPH = """duration = "1s"
[[link]]
from = "a"
to = "b"
netem = "delay 20ms rate 10mbit limit 50"
[[link]]
from = "b"
to = "c"
rate = "9Mbit/s"
delay = "5ms"
[[flow]]
cc = "cubic"
from = "a"
to = "c"
rwnd = 10
"""
LINE = "delay 10ms loss 1%"
DELAY = "delay: each packet takes 10 ms"
LOSS = "loss: each packet is lost with probability 0.01, before the queue"
NO_RATE = "no rate: sending a packet takes no time, and no packet waits"
OWN_LIMIT = "limit 1000 (netem's default): packets that may be on the link at once; without a rate, none waits"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    texts = {"bare": BARE, "line": WITH_LINE, "jitter": WITH_JITTER, "graph": GRAPH}
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    # 6 Mbit/s: 1500 bytes every 2 ms.
    (tmp_path / "radio.trace").write_text("".join(f"{ms}\n" for ms in range(2, 201, 2)))
    return tmp_path


def meanings_of(cwnd: Cli, folder: Path, *arguments: str) -> list[str]:
    """What a command says of the words of `--netem`."""
    done = cwnd(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("netem: ") for line in done.stderr.splitlines() if line.startswith("netem")]


def link_run(cwnd: Cli, folder: Path, *arguments: str) -> dict[str, object]:
    """The first link that `cwnd run` simulates."""
    done = cwnd("run", *arguments, "-o", "out", "--force", "--no-plots", cwd=folder)
    assert done.returncode == 0, done.stderr
    link = json.loads(package.Scenario.from_file(folder / "out" / "scenario.toml").to_json())["link"]
    first: dict[str, object] = link[0] if isinstance(link, list) else link
    return first


def throughputs(study: Study) -> dict[str, float]:
    rows = [row for row in study.runs.to_pylist() if (row["of"], row["measure"]) == ("group", "throughput_mbps")]
    return {row["netem"]: row["value"] for row in rows}


# With the rate of a trace the limit is that of a queue, and the link has a rate.
# The link loses 1 % and has jitter of up to 3 ms.
def test_loss_0_and_a_jitter_of_0_turn_off_the_links_own(cwnd: Cli, files: Path) -> None:
    link = link_run(cwnd, files, "jitter.toml", "--netem", "delay 10ms 0ms loss 0%")
    assert "loss" not in link and "jitter" not in link and link["delay"] == "10ms"
    said = meanings_of(cwnd, files, "run", "jitter.toml", "--netem", "delay 10ms 0ms loss 0%", "-o", "o", "--force")
    assert "loss: no packet is lost" in said and not any("keeps its own" in line for line in said)
    refused = cwnd("compare", "cubic", "--loss", "random:0.1", "--netem", "loss 0%")
    assert refused.returncode == 2 and "no --loss with --netem" in refused.stderr
    lines = ["delay 10ms loss 0%", "delay 10ms loss 20%"]
    study = package.sweep(files / "jitter.toml", axes={"link.netem": lines}, seeds=1)
    lost = {row["netem"]: row["value"] for row in study.runs.to_pylist() if row["measure"] == "drops_loss"}
    assert lost[lines[0]] == 0 < lost[lines[1]]
    assert package.netem("delay 10ms 0ms loss 0%")["loss"] is None
    both = WITH_JITTER.replace("[link]\n", '[link]\nnetem = "loss 0%"\n')
    with pytest.raises(package.ScenarioError, match="expected no loss: netem sets it"):
        package.Scenario.from_toml(both)


@pytest.mark.parametrize("command", ["run", "sweep"])
def test_the_meanings_of_a_line_are_those_of_the_link_with_its_trace(cwnd: Cli, files: Path, command: str) -> None:
    said = meanings_of(cwnd, files, command, "bare.toml", "--netem", "delay 10ms limit 50", "--trace", "radio.trace")
    assert said == [DELAY, "limit 50: packets that may wait for the link; netem also counts those in transit"]


# 1000 packets are netem's own limit, which the words do not say.
def test_one_line_means_the_same_in_run_sweep_and_compare(cwnd: Cli, files: Path) -> None:
    expected = [LOSS, DELAY, OWN_LIMIT, NO_RATE]
    flows = ("cubic", "--duration", "1s")
    for arguments in (("run", "bare.toml"), ("sweep", "bare.toml"), ("compare", *flows), ("sweep", *flows)):
        assert meanings_of(cwnd, files, *arguments, "--netem", LINE) == expected, arguments


# The line has no rate and no limit, so the link has neither the rate nor the queue of the line that it replaces.
@pytest.mark.parametrize("name", ["line.toml", "graph.toml"])
def test_a_line_replaces_the_line_of_a_file(cwnd: Cli, files: Path, name: str) -> None:
    link = link_run(cwnd, files, name, "--netem", LINE)
    assert "rate" not in link and "queue" not in link, link
    assert (link["delay"], link["loss"], link["delay_limit"]) == ("10ms", "random:0.01", "1000packets")
    assert meanings_of(cwnd, files, "run", name, "--netem", LINE) == [LOSS, DELAY, OWN_LIMIT, NO_RATE]
    # A line that says less: the delay is gone too.
    assert link_run(cwnd, files, name, "--netem", "loss 1%")["delay"] == "0s"


def test_lines_of_an_axis_replace_the_line_of_a_file(cwnd: Cli, files: Path) -> None:
    lines = [LINE, "delay 10ms loss 2%"]
    bare = throughputs(package.sweep(files / "bare.toml", {"link.netem": lines}))
    assert throughputs(package.sweep(files / "line.toml", {"link.netem": lines})) == bare
    axis = f"{{{','.join(lines)}}}"
    for options in (("--axis", f"link.netem={axis}"), ("--netem", axis)):
        done = cwnd("sweep", "line.toml", *options, "-o", "out", "--force", cwd=files)
        assert done.returncode == 0, done.stderr
        study = package.load(files / "out")
        assert isinstance(study, Study) and throughputs(study) == bare, options
    # A trace is the rate at both points, and the limit is no longer the 50 packets of the file's line.
    traced = ("--trace", "radio.trace", "--axis", f"link.netem={axis}", "-o", "out", "--force")
    both = []
    for name in ("bare.toml", "line.toml"):
        assert cwnd("sweep", name, *traced, cwd=files).returncode == 0
        study = package.load(files / "out")
        assert isinstance(study, Study)
        both.append(throughputs(study))
    assert both[0] == both[1]


def test_a_value_of_the_key_replaces_the_key() -> None:
    document = {"link": {"netem": "delay 20ms rate 10mbit limit 50"}}
    assert (
        with_value(document, "link.netem", "loss 1%")["link"]
        == with_value({"link": {}}, "link.netem", "loss 1%")["link"]
    )


# "each packet takes 10 ms" alone would be wrong: the link has jitter of its own.
def test_keys_of_the_link_that_a_line_leaves_are_said(cwnd: Cli, files: Path) -> None:
    jitter = "jitter: the words do not set it, so the link keeps its own, and the delay varies"
    loss = "loss: the words do not set it, so the link keeps its own"
    words = ("--netem", "delay 10ms")
    options = ("--jitter", "3ms", "--loss", "random:1%", "--duration", "1s")
    for arguments in (("run", "jitter.toml"), ("sweep", "jitter.toml"), ("compare", "cubic", *options)):
        assert meanings_of(cwnd, files, *arguments, *words) == [DELAY, OWN_LIMIT, jitter, loss, NO_RATE], arguments
    link = link_run(cwnd, files, "jitter.toml", *words)
    assert isinstance(link["jitter"], dict) and link["jitter"]["max"] == "3ms"
    assert link["loss"] == "random:0.01"
    # The words set both keys.
    assert LOSS in (said := meanings_of(cwnd, files, "run", "jitter.toml", "--netem", "delay 10ms 2ms loss 1%"))
    assert not any("keeps its own" in line for line in said), said


# A row of an axis is what `cwnd run` makes of its line.
def test_a_line_of_an_axis_leaves_the_keys_that_run_leaves(cwnd: Cli, files: Path) -> None:
    lines = ["delay 20ms 5ms", "delay 20ms"]
    axis = throughputs(package.sweep(files / "jitter.toml", {"link.netem": lines}))
    for line in lines:
        done = cwnd("run", "jitter.toml", "--netem", line, "--json", cwd=files)
        assert axis[line] == json.loads(done.stdout)["flows"][0]["throughput_mbps"], line


# The delay of a dumbbell's link is part of its rtt, so both points have a round trip of 60 ms.
@pytest.mark.parametrize(
    "options", [("--netem", "{delay 20ms,delay 30ms}"), ("--axis", "link.delay=20ms,30ms", "--reverse")]
)
def test_a_study_says_that_points_differ_only_in_a_delay_that_is_part_of_rtt(
    cwnd: Cli, files: Path, options: tuple[str, ...]
) -> None:
    flows = ("sweep", "cubic@rwnd=10,recovery=sack-prr", "--rtt", "60ms", "--duration", "1s", "--loss", "random:1%")
    said = "2 points differ from another point only in the link's delay, which is part of rtt"
    done = cwnd(*flows, *options, cwd=files)
    note = next(line for line in done.stderr.splitlines() if "part of rtt" in line)
    assert note.startswith(said) and "delay 20ms; " in note.replace("=", " "), note
    assert "delay 30ms" in note.replace("=", " "), note
    rows = [line.split()[-4:] for line in done.stdout.splitlines() if line.split()[:1] == ["cubic"]]
    assert len(rows) == 2 and rows[0] == rows[1], done.stdout


def test_a_study_says_nothing_of_delays_that_change_a_round_trip_or_go_with_more(cwnd: Cli, files: Path) -> None:
    sweep, axis = ("sweep", "--dry-run"), "--axis"
    for arguments in (
        ("cubic@rwnd=10", "--netem", "{delay 20ms,delay 20ms 5ms}"),
        ("cubic", "--netem", "{delay 20ms loss 1%,delay 10ms loss 2%}"),
        ("cubic", axis, "link.delay=10ms,20ms", axis, "rtt=40ms,60ms", "--zip", "link.delay,rtt"),
        # Delays of the links of a graph add up.
        ("graph.toml", axis, "link[1].delay=10ms,20ms"),
    ):
        done = cwnd(*sweep, *arguments, cwd=files)
        assert done.returncode == 0, done.stderr
        assert "points differ" not in done.stderr, (arguments, done.stderr)


# A line without a rate limits the packets on a link without one, and the queue of one that has its rate from an option or an axis: 50 packets of
# 12 000 bits wait 150 ms at 4 Mbit/s.
@pytest.mark.parametrize(
    "options",
    [
        ("run", "limited.toml", "--trace", "four.csv"),
        ("sweep", "limited.toml", "--trace", "four.csv"),
        ("sweep", "limited.toml", "--axis", "link.rate=4Mbit/s,8Mbit/s"),
    ],
)
def test_a_line_of_a_file_without_a_rate_is_that_of_the_link_which_has_one(
    cwnd: Cli, files: Path, options: tuple[str, ...]
) -> None:
    (files / "four.csv").write_text("time_s,rate_mbps\n0,4\n9,4\n")
    (files / "limited.toml").write_text(
        'duration = "3s"\n[link]\nrtt = "60ms"\nnetem = "delay 20ms limit 50"\n[[flow]]\ncc = "cubic"\n'
    )
    done = cwnd(*options, "-o", "limited", cwd=files)
    assert done.returncode == 0, done.stderr
    if options[0] == "run":
        scenario = package.Scenario.from_file(files / "limited" / "scenario.toml")
        queue = json.loads(scenario.to_json())["link"]["queue"]
        assert queue == {"kind": "droptail", "limit": "50packets"}
