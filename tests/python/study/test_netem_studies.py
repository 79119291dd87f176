# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lines of netem in studies: their limit is that of each point's link, which has a rate or none, and what they mean is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd.study.results import Study

#: A window that is larger than netem's default limit, 1000 packets.
WIDE = """duration = "2s"
[link]
rtt = "100ms"
[[flow]]
cc = "cubic"
recovery = "sack-prr"
rwnd = 1500
"""
OWN = WIDE.replace("[link]\n", '[link]\nnetem = "delay 20ms"\n')
RATED = WIDE.replace("[link]\n", '[link]\nnetem = "delay 20ms 5ms loss 1% rate 10mbit limit 50"\n')
DEFAULT = WIDE.replace("[link]\n", '[link]\nnetem = "delay 20ms rate 10mbit"\n')
REVERSE = """duration = "1s"
[link]
rtt = "60ms"
rate = "20Mbit/s"
queue = { kind = "droptail", limit = "30packets" }
[link.reverse]
netem = "delay 10ms 5ms"
[[flow]]
cc = "cubic"
"""
#: Throughput in Mbit/s at each rate of the link: with none, the limit drops packets.
EXPECTED = {"none": 68.15, "20Mbit/s": 16.79}
RATES, LINES = "link.rate=none,20Mbit/s", "link.netem={delay 20ms,delay 20ms limit 1000}"
FLOW = ("cubic@rwnd=1500,recovery=sack-prr", "--rtt", "100ms", "--duration", "3s")
DELAY = "delay: each packet takes 20 ms"
REVERSE_DELAY = "link.reverse.netem: delay: uniform from 5 ms to 15 ms; its mean, 10 ms, is part of rtt; packets may overtake each other"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    texts = {"bare": WIDE, "own": OWN, "rated": RATED, "rated-default": DEFAULT, "reverse": REVERSE}
    for name, text in texts.items():
        (tmp_path / f"{name}.toml").write_text(text)
    for name in ("own", "bare"):
        line = '"link.netem" = ["delay 20ms"]\n' if name == "bare" else ""
        axes = f'[axes]\n"link.rate" = ["none", "20Mbit/s"]\n{line}'
        (tmp_path / f"study-{name}.toml").write_text(f'scenario = "{name}.toml"\n{axes}')
    (tmp_path / "radio.trace").write_text("".join(f"{ms}\n" for ms in range(2, 201, 2)))
    return tmp_path


def throughputs(study: Study, factor: str = "rate") -> dict[str, float]:
    """Throughput of the flow at each level of a factor, which other factors do not change."""
    rows = [row for row in study.runs.to_pylist() if (row["of"], row["measure"]) == ("group", "throughput_mbps")]
    found: dict[str, set[float]] = {}
    for row in rows:
        found.setdefault(row[factor], set()).add(round(row["value"], 2))
    assert all(len(values) == 1 for values in found.values()), found
    return {level: values.pop() for level, values in found.items()}


def swept(cwnd: Cli, folder: Path, *arguments: str, factor: str = "rate") -> dict[str, float]:
    done = cwnd("sweep", *arguments, "-o", "out", "--force", cwd=folder)
    assert done.returncode == 0, done.stderr
    study = package.load(folder / "out")
    assert isinstance(study, Study)
    return throughputs(study, factor)


def notes_of(cwnd: Cli, folder: Path, *arguments: str) -> list[str]:
    """What a command says of lines of netem."""
    done = cwnd(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "netem" in line.partition(":")[0]]


# Wherever the line and the rate stand, and in any order.
@pytest.mark.parametrize(
    "arguments",
    [
        ("own.toml", "--axis", RATES),
        ("own.toml", "--axis", "link.rate=none"),
        ("study-own.toml",),
        ("study-bare.toml",),
        ("bare.toml", "--netem", "delay 20ms", "--axis", RATES),
        ("rated.toml", "--netem", "delay 20ms", "--axis", RATES),
        ("bare.toml", "--axis", LINES.replace("delay 20ms,", ""), "--axis", "link.rate=none"),
        ("bare.toml", "--axis", "link.netem=delay 20ms", "--axis", RATES),
        ("bare.toml", "--axis", RATES, "--axis", "link.netem=delay 20ms"),
        ("bare.toml", "--axis", "link.rate=none", "--axis", LINES),
    ],
)
def test_netems_default_limit_is_that_of_the_points_link(cwnd: Cli, files: Path, arguments: tuple[str, ...]) -> None:
    found = swept(cwnd, files, *arguments)
    assert found == {rate: EXPECTED[rate] for rate in found}


def test_python_gives_the_same_in_any_order_of_axes(files: Path) -> None:
    rates = {"link.rate": list(EXPECTED)}
    line = {"link.netem": ["delay 20ms"]}
    for name, axes in (("own", rates), ("bare", {**rates, **line}), ("bare", {**line, **rates})):
        assert throughputs(package.sweep(files / f"{name}.toml", axes)) == EXPECTED, axes
    run = package.run(package.Scenario.from_file(files / "own.toml"))
    assert round(run.summary["flows"][0]["throughput_mbps"], 2) == EXPECTED["none"]


# 94.08 Mbit/s with netem's default limit, 5.55 with 50 packets; with the rate, the queue has 1 BDP, or these 50 packets.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--netem", "delay 20ms", "--rate", "none,20Mbit/s"), {"none": 94.08, "20Mbit/s": 20.0}),
        (("--netem", "delay 20ms", "--rate", "none"), {"none": 94.08}),
        (("--netem", "delay 20ms", "--axis", RATES), {"none": 94.08, "20Mbit/s": 20.0}),
        (("--axis", "link.netem=delay 20ms", "--rate", "none,20Mbit/s"), {"none": 94.08, "20Mbit/s": 20.0}),
        (("--netem", "{delay 20ms,delay 20ms loss 0%}", "--rate", "none,20Mbit/s"), {"none": 94.08, "20Mbit/s": 20.0}),
        (("--netem", "delay 20ms limit 50", "--rate", "none,20Mbit/s"), {"none": 5.55, "20Mbit/s": 19.52}),
        (("--netem", "delay 20ms limit 50", "--axis", RATES), {"none": 5.55, "20Mbit/s": 19.52}),
    ],
)
def test_a_line_with_flows_has_the_limit_of_the_points_link(
    cwnd: Cli, files: Path, options: tuple[str, ...], expected: dict[str, float]
) -> None:
    if options[2:] == ("--rate", "none"):
        done = cwnd("sweep", *FLOW, *options, "-o", "out", cwd=files)
        assert done.returncode == 0, done.stderr
        study = package.load(files / "out")
        assert isinstance(study, Study)
        values = [row["value"] for row in study.runs.to_pylist() if row["measure"] == "throughput_mbps"]
        assert {round(value, 2) for value in values} == {expected["none"]}
    else:
        assert swept(cwnd, files, *FLOW, *options) == expected


def test_python_gives_flows_the_limit_of_the_points_link() -> None:
    settings = {"rtt": "100ms", "duration": "3s"}
    expected = {"none": 94.08, "20Mbit/s": 20.0}
    line: dict[str, object] = {"link.netem": ["delay 20ms"]}
    rates = list(expected)
    by_keyword = package.sweep(FLOW[0], line, rate=rates, **settings)  # type: ignore[arg-type]
    by_axis = package.sweep(FLOW[0], {**line, "link.rate": rates}, **settings)  # type: ignore[arg-type]
    assert throughputs(by_keyword) == throughputs(by_axis) == expected


# The rate of the file's own line goes with the line that an option replaces. A rate that an axis sets brings no limit of netem's.
@pytest.mark.parametrize("name", ["rated.toml", "bare.toml"])
def test_a_line_without_a_rate_takes_rates_of_an_axis(cwnd: Cli, files: Path, name: str) -> None:
    (files / "known.toml").write_text(WIDE.replace("[link]\n", '[link]\nrate = "10Mbit/s"\n'))
    known = cwnd("run", "known.toml", "--netem", "delay 20ms", "--json", cwd=files)
    found = swept(cwnd, files, name, "--netem", "delay 20ms", "--axis", "link.rate=10Mbit/s,20Mbit/s")
    assert found["10Mbit/s"] == round(json.loads(known.stdout)["flows"][0]["throughput_mbps"], 2)
    assert found["20Mbit/s"] == EXPECTED["20Mbit/s"]


# The axis takes the rate of the file's line away, and the limit is that of the packets on the link.
def test_an_axis_takes_the_rate_of_a_files_line_away(cwnd: Cli, files: Path) -> None:
    assert swept(cwnd, files, "rated-default.toml", "--axis", "link.rate=none,5Mbit/s")["none"] == EXPECTED["none"]
    without = cwnd("run", "bare.toml", "--netem", "delay 20ms 5ms loss 1% limit 50", "--json", cwd=files)
    found = swept(cwnd, files, "rated.toml", "--axis", "link.rate=none,5Mbit/s")
    assert found["none"] == round(json.loads(without.stdout)["flows"][0]["throughput_mbps"], 2)


# A default limit gives way; one that the line writes does not.
def test_netems_default_limit_gives_way_to_buffers(cwnd: Cli, files: Path) -> None:
    words, buffers = "delay 20ms rate 10mbit", "10packets,20packets"
    flows = ("cubic", "--duration", "2s", "--netem")
    found = swept(cwnd, files, *flows, words, "--buffer", buffers, factor="buffer")
    for buffer, value in found.items():
        done = cwnd("compare", *flows, words, "--buffer", buffer, "--json", cwd=files)
        assert round(json.loads(done.stdout)["flows"][0]["throughput_mbps"], 2) == value
    axis = f"link.queue.limit={buffers}"
    assert len(swept(cwnd, files, "bare.toml", "--netem", words, "--axis", axis, factor="buffer")) == 2
    for options in (
        (f"{words} limit 50", "--buffer", buffers),
        (f"{words} limit 50", "--buffer", "10packets"),
        ("delay 20ms limit 50", "--buffer", buffers, "--axis", "link.rate=10Mbit/s,20Mbit/s"),
        ("delay 20ms limit 50", "--buffer", buffers, "--rate", "none,20Mbit/s"),
    ):
        refused(cwnd("sweep", *flows, *options, cwd=files), f'error: --buffer: "{options[2]}" is not accepted')
    limited = cwnd("sweep", "bare.toml", "--netem", f"{words} limit 50", "--axis", axis, cwd=files)
    refused(limited, '--axis: "link.queue.limit" is not accepted', "with --netem")


def test_lines_that_all_have_a_rate_take_a_queue_discipline(cwnd: Cli, files: Path) -> None:
    lines = ("delay 20ms rate 10mbit", "delay 20ms rate 5mbit limit 20")
    flows = ("cubic", "--duration", "2s", "--drop-head", "--reverse", "--netem")
    found = swept(cwnd, files, *flows, f"{{{','.join(lines)}}}", factor="netem")
    for line in lines:
        done = cwnd("compare", *flows, line, "--json", cwd=files)
        assert round(json.loads(done.stdout)["flows"][0]["throughput_mbps"], 2) == found[line], line


def test_parts_of_a_study_keep_the_line_and_the_trace(cwnd: Cli, files: Path) -> None:
    study = ("sweep", "own.toml", "--netem", "delay 10ms", "--trace", "radio.trace", "--axis", "rtt=60ms,80ms")
    for part in ("1/2", "2/2"):
        done = cwnd(*study, "--shard", part, "-o", part[0], cwd=files)
        assert done.returncode == 0, done.stderr
    merged = cwnd("merge", "1", "2", "-o", "merged", cwd=files)
    assert merged.returncode == 0, merged.stderr
    both = package.load(files / "merged")
    assert isinstance(both, Study)
    assert throughputs(both, "rtt") == swept(cwnd, files, *study[1:], factor="rtt")


# With a rate at some points only, a note says where it holds.
def test_the_meaning_of_a_limit_says_for_which_points_it_is(cwnd: Cli, files: Path) -> None:
    own = "limit 1000 (netem's default): packets that may be on the link at once; without a rate, none waits"
    on_link, waiting = (
        "limit 50: packets that may be on the link at once; without a rate, none waits",
        "limit 50: packets that may wait for the link; netem also counts those in transit",
    )
    no_rate = "no rate: sending a packet takes no time, and no packet waits"
    assert notes_of(cwnd, files, "sweep", "own.toml", "--axis", RATES, "--dry-run") == [
        f"link.netem: {DELAY}",
        f"link.netem: without a rate: {own}",
    ]
    options = ("sweep", *FLOW, "--rate", "none,20Mbit/s", "--dry-run")
    for words, label in (("delay 20ms limit 50", "netem"), ("{delay 20ms limit 50,delay 20ms}", "netem")):
        said = notes_of(cwnd, files, *options, "--netem", words)
        label = f'{label} "delay 20ms limit 50"' if words.startswith("{") else label
        first = [f"{label}: {DELAY}", f"{label}: without a rate: {on_link}", f"{label}: {no_rate}"]
        assert said[:4] == [*first, f"{label}: with a rate: {waiting}"]


# `cwnd run` says them of each link that has the key, whatever else is given.
@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        (("run", "reverse.toml"), []),
        (("run", "reverse.toml", "--seeds", "2"), []),
        (("run", "reverse.toml", "--trace", "radio.trace"), []),
        (("run", "reverse.toml", "--netem", "delay 20ms"), [f"netem: {DELAY}"]),
        (("sweep", "reverse.toml", "--dry-run"), []),
        (("sweep", "reverse.toml", "--axis", "link.queue.limit=20packets,30packets", "--dry-run"), []),
        (("sweep", "reverse.toml", "--netem", "delay 20ms", "--dry-run"), [f"netem: {DELAY}"]),
        (("sweep", "reverse.toml", "--axis", "link.netem=delay 20ms", "--dry-run"), [f"link.netem: {DELAY}"]),
    ],
)
def test_the_lines_of_a_file_that_are_in_force_are_explained(
    cwnd: Cli, files: Path, arguments: tuple[str, ...], first: list[str]
) -> None:
    assert notes_of(cwnd, files, *arguments) == [*first, REVERSE_DELAY]


# What an axis or a trace sets is no longer what the line says.
def test_what_is_set_in_place_of_a_line_is_not_explained(cwnd: Cli, files: Path) -> None:
    loss = "link.netem: loss: each packet is lost with probability 0.01, before the queue"
    for arguments in (("sweep", "--axis", "rate=5Mbit/s,8Mbit/s", "--dry-run"), ("run", "--trace", "radio.trace")):
        said = notes_of(cwnd, files, arguments[0], "rated.toml", *arguments[1:])
        assert loss in said and not any("rate: 10000000" in line for line in said), said
    said = notes_of(cwnd, files, "sweep", "rated.toml", "--axis", "loss=random:2%,random:3%", "--dry-run")
    assert loss not in said and "link.netem: rate: 10000000 bit/s, not counting headers of lower layers" in said
    said = notes_of(cwnd, files, "sweep", "rated.toml", "--axis", "buffer=20packets,30packets", "--dry-run")
    assert loss in said and not any("limit" in line for line in said), said


# The reader of scenarios reads these lines itself: the link's queue has a table of its own, or the axis is the whole link.
def test_a_line_that_stays_in_the_scenario_is_explained_too(cwnd: Cli, files: Path) -> None:
    (files / "codel.toml").write_text(DEFAULT.replace("[[flow]]", 'queue = { kind = "codel" }\n[[flow]]'))
    links = '[{ rtt = "100ms", netem = "delay 20ms" }, { rtt = "90ms", netem = "delay 20ms" }]'
    (files / "links.toml").write_text(f'scenario = "bare.toml"\n[axes]\nlink = {links}\n')
    for arguments in (("codel.toml", "--axis", "buffer=20packets,30packets"), ("links.toml",)):
        said = notes_of(cwnd, files, "sweep", *arguments, "--dry-run")
        assert said[0] == f"link.netem: {DELAY}" and len(said) == 2, said
