# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--netem` and `--trace` of `cwnd run` and `cwnd sweep`, with flows and with a file."""

from __future__ import annotations

import json
import tomllib
from itertools import product
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd.study.keys import with_value
from cwnd.study.results import Study

# A link of 8 Mbit/s in whole packets of 1500 bytes; a trace of 6 Mbit/s, 1500 bytes every 2 ms.
DUMBBELL = """duration = "2s"
[link]
rate = "8Mbit/s"
rtt = "60ms"
jitter = "1ms"
queue = { kind = "codel", limit = "50packets" }
[[flow]]
cc = "cubic"
"""
GRAPH = """duration = "2s"
[[link]]
from = "a"
to = "b"
rate = "8Mbit/s"
delay = "5ms"
queue = { kind = "droptail", limit = "50packets" }
[[link]]
from = "b"
to = "c"
rate = "9Mbit/s"
delay = "5ms"
queue = { kind = "droptail", limit = "50packets" }
[[flow]]
cc = "cubic"
from = "a"
to = "c"
"""
LOT = """duration = "2s"
[parking_lot]
hops = 2
rate = "8Mbit/s"
delay = "5ms"
queue = { kind = "droptail", limit = "50packets" }
[[flow]]
cc = "cubic"
from = "n0"
to = "n2"
"""
SAID = ["netem: loss", "netem: delay", "netem: rate", "netem: limit"]
WORDS = "delay 20ms loss 1% rate 4mbit limit 30"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in {"x.toml": DUMBBELL, "graph.toml": GRAPH, "lot.toml": LOT}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "radio.trace").write_text("".join(f"{ms}\n" for ms in range(2, 201, 2)))
    (tmp_path / "slow.trace").write_text("10\n")
    return tmp_path


def link_of(folder: Path) -> dict[str, object]:
    """The first link of the scenario in a result's folder."""
    link = json.loads(package.Scenario.from_file(folder / "scenario.toml").to_json())["link"]
    first: dict[str, object] = link[0] if isinstance(link, list) else link
    return first


def meanings_in(stderr: str) -> list[str]:
    return [" ".join(line.split()[:2]).strip(":") for line in stderr.splitlines() if line.startswith("netem: ")]


@pytest.mark.parametrize("name", ["x.toml", "graph.toml"])
def test_run_takes_words_of_netem_for_the_keys_of_its_first_link(cwnd: Cli, files: Path, name: str) -> None:
    done = cwnd("run", name, "--netem", WORDS, "-o", "out", "--no-plots", cwd=files)
    assert done.returncode == 0, done.stderr
    assert meanings_in(done.stderr) == [*SAID, *(["netem: jitter"] if name == "x.toml" else [])]
    link = link_of(files / "out")
    assert (link["rate"], link["delay"], link["loss"]) == ("4Mbit/s", "20ms", "random:0.01")
    queue = link["queue"]
    # What the words do not say stays: the queue's kind, and jitter.
    assert isinstance(queue, dict) and queue["limit"] == "30packets"
    if name == "x.toml":
        assert queue["kind"] == "codel" and link["jitter"] == {
            "kind": "uniform",
            "max": "1ms",
            "overtaking": False,
            "centered": False,
        }


def test_run_takes_a_trace_and_words_that_say_no_rate(cwnd: Cli, files: Path) -> None:
    both = cwnd("run", "x.toml", "--netem", "loss 1%", "--trace", "radio.trace", "-o", "out", "--no-plots", cwd=files)
    assert both.returncode == 0, both.stderr
    assert (link_of(files / "out")["rate"], link_of(files / "out")["loss"]) == (
        {"trace": "input-1-radio.trace"},
        "random:0.01",
    )
    refused(
        cwnd("run", "x.toml", "--netem", WORDS, "--trace", "radio.trace", cwd=files),
        "--trace",
        "radio.trace",
        "no --trace with --netem",
    )
    refused(cwnd("run", "x.toml", "--netem", "corrupt 1%", cwd=files), "netem", "corrupt", "no such word")
    refused(cwnd("run", "x.toml", "--netem", "delay 70ms", cwd=files), "link.rtt", "60ms", "at least 70ms")


def throughputs_of(folder: Path, factor: str) -> dict[str, float]:
    """Throughput of the flow at each level of a study's factor; of the only point without one."""
    study = package.load(folder)
    assert isinstance(study, Study)
    rows = [row for row in study.runs.to_pylist() if (row["of"], row["measure"]) == ("group", "throughput_mbps")]
    return {row.get(factor, ""): row["value"] for row in rows}


def throughput_of(cwnd: Cli, files: Path, *arguments: str) -> float:
    """Throughput of the flow of a run."""
    done = cwnd(*arguments, "--json", cwd=files)
    assert done.returncode == 0, done.stderr
    return float(json.loads(done.stdout)["flows"][0]["throughput_mbps"])


@pytest.mark.parametrize("name", ["x.toml", "graph.toml"])
@pytest.mark.parametrize(
    ("option", "value", "other", "factor"),
    [("--trace", "radio.trace", "slow.trace", "trace"), ("--netem", "loss 1% rate 4mbit", "loss 0.5%", "netem")],
)
def test_beside_a_file_sweep_means_what_run_means(
    cwnd: Cli, files: Path, name: str, option: str, value: str, other: str, factor: str
) -> None:
    one = cwnd("sweep", name, option, value, "-o", "one", cwd=files)
    assert one.returncode == 0, one.stderr
    runs = {each: throughput_of(cwnd, files, "run", name, option, each) for each in (value, other)}
    assert len(set(runs.values())) == 2
    assert throughputs_of(files / "one", factor) == {"": runs[value]}
    axis = f"{value},{other}" if option == "--trace" else f"{{{value},{other}}}"
    several = cwnd("sweep", name, option, axis, "-o", "several", cwd=files)
    assert several.returncode == 0, several.stderr
    assert throughputs_of(files / "several", factor) == runs


def test_words_beside_flows_are_an_option_or_an_axis(cwnd: Cli, files: Path) -> None:
    flows = ("cubic", "--rtt", "60ms", "--duration", "2s")
    words = ("delay 20ms rate 4mbit", "loss 1%")
    runs = {each: throughput_of(cwnd, files, "compare", *flows, "--netem", each) for each in words}
    axis = cwnd("sweep", *flows, "--netem", f"{{{','.join(words)}}}", "-o", "several", cwd=files)
    assert axis.returncode == 0, axis.stderr
    assert throughputs_of(files / "several", "netem") == runs
    assert 'netem "loss 1%": loss: each packet is lost with probability 0.01' in axis.stderr
    one = cwnd("sweep", *flows, "--netem", f"{words[0]} limit 9", "--buffer", "20packets,40packets", cwd=files)
    refused(one, "--buffer", "20packets,40packets", "no --buffer with --netem")
    python = package.sweep(list(flows[:1]), {"link.netem": list(words)}, rtt="60ms", duration="2s")
    rows = [row for row in python.runs.to_pylist() if (row["of"], row["measure"]) == ("group", "throughput_mbps")]
    assert {row["netem"]: row["value"] for row in rows} == runs


# A trace's path is of the working directory, and a path in a scenario of the scenario's folder.
def test_a_trace_beside_a_file_is_of_the_working_directory(cwnd: Cli, files: Path) -> None:
    (files / "sub").mkdir()
    (files / "sub" / "x.toml").write_text(DUMBBELL)
    done = cwnd("sweep", "sub/x.toml", "--trace", "radio.trace", "-o", "out", cwd=files)
    assert done.returncode == 0, done.stderr
    assert throughputs_of(files / "out", "") == {
        "": throughput_of(cwnd, files, "run", "x.toml", "--trace", "radio.trace")
    }


# All links of a parking lot have one table.
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_a_parking_lot_has_no_first_link(cwnd: Cli, files: Path, command: str) -> None:
    for option, value in (("--trace", "radio.trace"), ("--netem", "loss 1%")):
        refused(cwnd(command, "lot.toml", option, value, cwd=files), option, value, "a file with link", "--axis")


def scenario_of(cwnd: Cli, folder: Path, *arguments: str) -> package.Scenario:
    """The scenario that a command runs."""
    done = cwnd(*arguments, "-o", "out", "--no-plots", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    return package.Scenario.from_file(folder / "out" / "scenario.toml").with_name("")


# Whether the rate stands in the words, beside them or nowhere, and whether a limit does.
@pytest.mark.parametrize(
    ("words", "rate"),
    [
        *product(
            ["delay 20ms loss 1%", "delay 20ms limit 30", "delay 20ms 5ms loss 1% limit 30"], [None, "10Mbit/s", "none"]
        ),
        ("delay 20ms rate 4mbit", None),
    ],
)
def test_a_line_means_the_same_as_an_option_a_key_keywords_and_an_axis(
    cwnd: Cli, tmp_path: Path, words: str, rate: str | None
) -> None:
    given = [] if rate is None else ["--rate", rate]
    option = scenario_of(
        cwnd, tmp_path, "compare", "cubic", "--rtt", "60ms", "--duration", "1s", "--netem", words, *given
    )
    keywords = package.netem(words, rate=rate)
    times: dict[str, object] = {"rtt": "60ms", "duration": "1s", "measure": ("0s", "1s")}
    by_python = package.compare("cubic", rtt="60ms", duration="1s", **keywords)
    assert by_python.scenario.with_name("") == option
    own = '[[flow]]\ncc = "cubic"\nstart = "0s"\n'
    head = 'duration = "1s"\nmeasure = ["0s", "1s"]\n'
    key = f'rate = "{rate}"\n' if rate else ""
    (tmp_path / "key.toml").write_text(f'{head}[link]\nrtt = "60ms"\nnetem = "{words}"\n{key}{own}')
    in_file = package.Scenario.from_file(tmp_path / "key.toml")
    assert package.dumbbell("cubic@start=0s", **times, **keywords) == in_file
    (tmp_path / "bare.toml").write_text(f'{head}[link]\nrtt = "60ms"\n{key}{own}')
    assert scenario_of(cwnd, tmp_path, "run", "bare.toml", "--netem", words) == in_file
    # As a point of an axis.
    point = with_value(tomllib.loads((tmp_path / "bare.toml").read_text()), "link.netem", words)
    assert package.Scenario.from_json(json.dumps(point)) == in_file


def test_a_limit_of_the_link_stays_where_only_netems_default_would_replace_it(cwnd: Cli, tmp_path: Path) -> None:
    for own, words, limit in (
        ('delay_limit = "20packets"\ndelay = "10ms"', "loss 1%", "20packets"),
        ('delay_limit = "20packets"\ndelay = "10ms"', "loss 1% limit 30", "30packets"),
        ('rate = "5Mbit/s"\nqueue = { kind = "droptail", limit = "20packets" }', "loss 1%", "20packets"),
        ('queue = { kind = "droptail", limit = "20packets" }', "loss 1% rate 4mbit", "20packets"),
        ('delay = "10ms"', "loss 1%", "1000packets"),
    ):
        (tmp_path / "x.toml").write_text(f'duration = "1s"\n[link]\nrtt = "60ms"\n{own}\n[[flow]]\ncc = "cubic"\n')
        scenario_of(cwnd, tmp_path, "run", "x.toml", "--netem", words)
        link = link_of(tmp_path / "out")
        queue = link.get("queue")
        assert link.get("delay_limit", queue["limit"] if isinstance(queue, dict) else None) == limit, (own, words)
    beside = cwnd(
        "compare", "cubic", "--netem", "delay 20ms rate 4mbit", "--buffer", "20packets", "--duration", "1s", "--json"
    )
    assert beside.returncode == 0, beside.stderr


def test_an_axis_of_what_an_option_says_is_refused(cwnd: Cli, files: Path) -> None:
    said = "with {}, which sets it"
    for option, value, axis in (
        ("--trace", "radio.trace", "rate=1Mbit/s,2Mbit/s"),
        ("--netem", "loss 1%", "link.loss=random:0.1"),
        ("--netem", "limit 5", "buffer=1bdp,2bdp"),
    ):
        refused(
            cwnd("sweep", "x.toml", option, value, "--axis", axis, cwd=files),
            "--axis",
            axis.partition("=")[0],
            said.format(option),
        )
    # Without the option a scenario's own words can be axes, key by key.
    (files / "words.toml").write_text(
        'duration = "2s"\n[link]\nrtt = "60ms"\nnetem = "loss 1% rate 4mbit"\n[[flow]]\ncc = "cubic"\n'
    )
    own = cwnd("sweep", "words.toml", "--axis", "rate=2Mbit/s,4Mbit/s", "-o", "own", cwd=files)
    assert own.returncode == 0, own.stderr
    assert throughputs_of(files / "own", "rate")["4Mbit/s"] == throughput_of(cwnd, files, "run", "words.toml")
    (files / "twice.toml").write_text(
        '[link]\nrate = "1Mbit/s"\nrtt = "60ms"\nnetem = "rate 4mbit"\n[[flow]]\ncc = "cubic"\n'
    )
    refused(cwnd("sweep", "twice.toml", cwd=files), "link.rate", "1Mbit/s", "no rate: netem sets it")


LINES = "link.netem={delay 20ms loss 1%,delay 30ms loss 1%}"


# Of two axes that set one key the later one would win, and the rows of the other would show values that were not run.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--axis", "link.loss=random:5%,random:10%", "--axis", LINES), 'axis: "link.loss" is not accepted'),
        (("--axis", LINES, "--axis", "loss=random:5%,random:10%"), 'axis: "loss" is not accepted'),
        (("--loss", "{random:5%,random:10%}", "--axis", LINES), 'axis: "loss" is not accepted'),
        (("--loss", "random:9%", "--axis", LINES), '--loss: "random:9%" is not accepted; expected no --loss with'),
        (("--rate", "1Mbit/s", "--axis", "link.netem={rate 4mbit,loss 1%}"), '--rate: "1Mbit/s" is not accepted'),
        (("--netem", "limit 5", "--axis", LINES), '--axis: "link.netem" is not accepted; expected no axis of it with'),
        (("--trace", "radio.trace", "--axis", "link.netem={rate 4mbit,loss 1%}"), '--trace: "radio.trace" is not'),
    ],
)
def test_what_lines_of_an_axis_say_is_no_other_axis_or_option(
    cwnd: Cli, files: Path, arguments: tuple[str, ...], expected: str
) -> None:
    done = cwnd("sweep", "cubic", "--rtt", "100ms", "--duration", "2s", *arguments, cwd=files)
    refused(done, expected)
    assert done.stderr.startswith(f"error: {expected}"), done.stderr


# A limit is that of the queue or, without a rate, of the packets on the link; a link with a rate has no delay_limit.
@pytest.mark.parametrize(
    ("axes", "keywords", "expected"),
    [
        ({"link.netem": ["loss 1%"], "link.loss": ["random:5%"]}, {}, 'axis: "link.loss"'),
        ({"link.netem": ["delay 2ms"], "link.delay": ["1ms"]}, {}, 'axis: "link.delay"'),
        ({"link.netem": ["limit 5"], "link.queue": [{"kind": "codel"}]}, {"rate": "1Mbit/s"}, 'axis: "link.queue"'),
        ({"link.netem": ["limit 5"]}, {"rate": "1Mbit/s", "buffer": "1bdp"}, 'buffer: "1bdp"'),
        ({"link.netem": ["rate 4mbit"]}, {"delay_limit": "9packets"}, 'delay_limit: "9packets"'),
        ({"link.netem": ["loss 1%"]}, {"loss": "random:5%"}, 'loss: "random:5%"'),
        ({"link.reverse.netem": ["loss 1%"]}, {"rate": "1Mbit/s", "reverse": {"loss": "random:5%"}}, "reverse: {"),
    ],
)
def test_python_refuses_what_lines_of_an_axis_say(
    axes: dict[str, object], keywords: dict[str, object], expected: str
) -> None:
    with pytest.raises(package.ScenarioError, match=r"whose lines set it$") as error:
        package.sweep("cubic", axes, rtt="100ms", duration="2s", **keywords)  # type: ignore[arg-type]
    assert str(error.value).startswith(expected)
    # What no line says can be set: the loss of the link, where lines are of its reverse path.
    if "link.reverse.netem" in axes:
        keywords["reverse"] = {"rate": "1Mbit/s"}
        other = package.sweep("cubic", axes, rtt="100ms", duration="2s", loss="random:5%", **keywords)  # type: ignore[arg-type]
        assert not other.failed


@pytest.mark.parametrize(
    ("name", "axis", "other"),
    [
        ("graph.toml", "link[0].netem", "link[*].loss"),
        ("graph.toml", "link[*].netem", "link[1].loss"),
        ("lot.toml", "parking_lot.netem", "parking_lot.loss"),
        ("x.toml", "link.reverse.netem", "link.reverse.loss"),
    ],
)
def test_the_axes_of_a_study_file_say_a_thing_once(cwnd: Cli, files: Path, name: str, axis: str, other: str) -> None:
    study = f'scenario = "{name}"\n[axes]\n"{axis}" = ["loss 1%", "loss 2%"]\n'
    (files / "study.toml").write_text(f'{study}"{other}" = ["random:0.1"]\n')
    refused(cwnd("sweep", "study.toml", cwd=files), f'axis: "{other}" is not accepted')
    (files / "study.toml").write_text(study)
    refused(cwnd("sweep", "study.toml", "--axis", f"{other}=random:0.1", cwd=files), f'axis: "{other}"')
    alone = cwnd("sweep", "study.toml", cwd=files)
    assert alone.returncode == 0, alone.stderr


# A line replaces the keys of a file, so its row is true: what the file says is no second label.
def test_lines_of_an_axis_replace_the_keys_of_a_file(cwnd: Cli, files: Path) -> None:
    lines = ("rate 4mbit loss 0.5%", "rate 2mbit limit 20")
    axis = cwnd("sweep", "x.toml", "--axis", f"link.netem={{{','.join(lines)}}}", "-o", "out", cwd=files)
    assert axis.returncode == 0, axis.stderr
    runs = {line: throughput_of(cwnd, files, "run", "x.toml", "--netem", line) for line in lines}
    assert throughputs_of(files / "out", "netem") == runs
