# SPDX-License-Identifier: MIT OR Apache-2.0
"""Studies with real stacks: a stack as an axis, TCP beside stacks, and connections that fail."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import ScenarioError, Study, sweep

PATH = {"rate": "10Mbit/s", "rtt": "20ms", "duration": "1s"}
OPTIONS = ("--rate", "10Mbit/s", "--rtt", "20ms", "--duration", "1s")


def values(study: Study, measure: str) -> dict[tuple[str, str], float | None]:
    """A measure by what it is of and its label."""
    rows = study.means.to_pylist()
    return {(row["of"], row["label"]): row["value"] for row in rows if row["measure"] == measure}


def groups(study: Study) -> list[str]:
    return [label for of, label in values(study, "throughput_mbps") if of == "group"]


# At 1 Gbit/s and 40 ms, and without a limit by the receive window, slow start without HyStart leaves more gaps than quinn keeps; with it, or
# on TCP, nothing fails.
def test_connections_that_fail_are_counted_of_groups_with_a_stack(tmp_path: Path, cwnd: Cli) -> None:
    flow = "cubic@stack={tcp,quinn},slow_start={standard,hystart},rwnd=1000000000"
    study = sweep(flow, rate="1Gbit/s", rtt="40ms", duration="1s", seeds=2)
    assert values(study, "failures") == {
        ("all", "all flows"): 0.0,
        ("group", "cubic stack=quinn slow_start=standard"): 1.0,
        ("group", "cubic stack=quinn slow_start=hystart"): 0.0,
    }
    of_group = [row for row in study.runs.to_pylist() if row["measure"] == "failures" and row["of"] == "group"]
    assert [(row["slow_start"], row["seed"], row["value"]) for row in of_group] == [
        ("standard", 1, 1.0),
        ("standard", 2, 1.0),
        ("hystart", 1, 0.0),
        ("hystart", 2, 0.0),
    ]
    place = ("--rate", "1Gbit/s", "--rtt", "40ms", "--duration", "1s", "--seeds", "2")
    done = cwnd("sweep", flow, *place, "-o", tmp_path / "study")
    # Each such run counts as failed, with its reason; its numbers are there.
    assert done.returncode == 1, done.stderr
    lines = done.stderr.splitlines()
    for seed in (1, 2):
        [line] = [line for line in lines if line.startswith(f"failed: stack=quinn, slow_start=standard, seed {seed}: ")]
        assert "its connection ended at 0." in line and "too many gaps in stream buffer" in line
    assert sum(line.startswith("failed: ") for line in lines) == 2
    failed = [(each["factors"]["slow_start"], each["seed"], each["ended"]) for each in study.failed]
    assert failed == [("standard", 1, True), ("standard", 2, True)] and study.left == 0 and study.done == study.asked
    # Again from the folder, of which nothing is run.
    again = cwnd("sweep", flow, *place, "-o", tmp_path / "study")
    assert again.returncode == 1 and "seed 2: " in again.stderr, again.stderr
    assert package.load(tmp_path / "study").failed == study.failed
    [heading] = [line for line in done.stdout.splitlines() if "loss %" in line]
    assert heading.split()[-1] == "failed"
    ends = {" ".join(line.split()[:3]): line.split()[-1] for line in done.stdout.splitlines() if "standard" in line}
    assert (ends["cubic stack=tcp slow_start=standard"], ends["cubic stack=quinn slow_start=standard"]) == ("-", "1.0")
    assert "failures" in (tmp_path / "study" / "means.csv").read_text()
    shown = cwnd("diff", tmp_path / "study", "--between", "slow_start=standard,hystart")
    assert "failures" in shown.stdout


def test_where_nothing_fails_the_table_has_no_such_column_and_without_stacks_no_such_row(cwnd: Cli) -> None:
    assert "failures" not in sweep("cubic@beta={0.7,0.85}", **PATH).means["measure"].to_pylist()
    done = cwnd("sweep", "cubic@stack={tcp,quinn}", *OPTIONS)
    assert done.returncode == 0 and "failed" not in done.stdout, done.stdout


def test_a_stack_and_its_own_algorithm_are_axes_on_the_command_line_in_a_file_and_in_python(
    tmp_path: Path, cwnd: Cli
) -> None:
    braces = sweep("{cubic,stock-cubic}@stack={quinn,noq}", **PATH)
    assert groups(braces) == [
        "cubic stack=quinn",
        "cubic stack=noq",
        "stock-cubic stack=quinn",
        "stock-cubic stack=noq",
    ]
    assert not braces.failed and braces.fixed["flows"] == "the variant alone"
    (tmp_path / "grid.toml").write_text(
        '[scenario]\nduration = "1s"\nlink = { rate = "10Mbit/s", rtt = "20ms" }\nflow = [{ cc = "cubic" }]\n'
        '[axes]\n"flow.cc" = ["cubic", "stock-cubic"]\n"flow[0].stack" = ["quinn", "noq"]\n'
    )
    assert groups(sweep(tmp_path / "grid.toml")) == groups(braces)
    by_axes = sweep("cubic", {"flow[0].cc": ["cubic", "stock-cubic"], "flow[0].stack": ["quinn", "noq"]}, **PATH)
    assert values(by_axes, "throughput_mbps") == values(braces, "throughput_mbps")
    axes = ("--axis", "flow[0].cc=cubic,stock-cubic", "--axis", "flow[0].stack=quinn,noq")
    done = cwnd("sweep", "cubic", *axes, *OPTIONS, "-o", tmp_path / "study")
    assert done.returncode == 0, done.stderr
    assert values(package.load(tmp_path / "study"), "throughput_mbps") == values(braces, "throughput_mbps")
    # Its captions name what all points share.
    assert cwnd("plot", tmp_path / "study").returncode == 0


# `tcp` is the value of no stack; an algorithm with its settings in one value walks along both.
def test_tcp_and_stacks_stand_on_one_axis(tmp_path: Path, cwnd: Cli) -> None:
    assert groups(sweep("cubic@stack={tcp,quinn,noq}", **PATH)) == [
        "cubic stack=tcp",
        "cubic stack=quinn",
        "cubic stack=noq",
    ]
    named = ["cubic", "cubic@stack=quinn", "stock-cubic@stack=quinn"]
    study = sweep("{" + ",".join(named) + "}:2", **PATH)
    assert groups(study) == named and not study.failed
    assert all(count == 2 for (of, _), count in values(study, "flows").items() if of == "group")
    # The first value's settings are not those of the others.
    turned = sweep("{" + ",".join(reversed(named)) + "}:2", **PATH)
    assert values(turned, "throughput_mbps")["group", "cubic"] == values(study, "throughput_mbps")["group", "cubic"]
    listed = sweep("cubic:2", {"flow[0].cc": named}, **PATH)
    assert values(listed, "throughput_mbps") == values(study, "throughput_mbps")
    done = cwnd("sweep", "cubic:2", "--axis", "flow.cc=" + ",".join(named), *OPTIONS)
    assert done.returncode == 0 and all(name in done.stdout for name in named), done.stderr
    with pytest.raises(ScenarioError, match="without a count, which is an axis of its own"):
        sweep("cubic", {"flow[0].cc": ["cubic:2@stack=quinn"]}, **PATH)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            ("cubic@stack={quinn,nok}",),
            'failed: stack=nok: flow[0].stack: "nok" is not accepted; expected tcp, quinn, noq, smoltcp or exec (did you mean noq?)',
        ),
        (("{cubic,stock-cubc}@stack=quinn",), "stock-bbr (did you mean stock-cubic?)"),
        (("{cubic,stock-cubic}",), 'expected an algorithm of cwnd, or `stack = "quinn"` or `stack = "noq"`'),
        (
            ("{cubic,cubic@stak=quinn}",),
            'flow[0].stak: "quinn" is not accepted; expected a known key (did you mean stack?)',
        ),
        (
            ("cubic", "--axis", "stack=quinn,noq"),
            'axis: "stack" is not accepted; expected flow.stack, which is that of all flows, or flow[0].stack of one group',
        ),
        (("cubic", "--axis", "beta=0.7,0.8"), 'axis: "beta" is not accepted; expected flow.beta'),
        (("cubic", "--axis", "cc=cubic,stock-cubic"), 'axis: "cc" is not accepted; expected flow.cc'),
    ],
)
def test_a_wrong_value_of_such_an_axis_is_one_line(arguments: tuple[str, ...], says: str, cwnd: Cli) -> None:
    ended = cwnd("sweep", *arguments, *OPTIONS)
    assert ended.returncode != 0 and says in ended.stderr and len(ended.stderr.strip().splitlines()) == 1, ended.stderr


# Both have β as an axis: the stack, which is the same at all points, tells them apart.
def test_groups_with_one_axis_are_told_apart_by_what_else_they_are() -> None:
    study = sweep(["cubic@stack=quinn", "cubic@stack=noq", "cubic"], {"flow.beta": [0.7, 0.85]}, **PATH)
    assert groups(study) == [
        "cubic quinn beta=0.7",
        "cubic noq beta=0.7",
        "cubic beta=0.7",
        "cubic quinn beta=0.85",
        "cubic noq beta=0.85",
        "cubic beta=0.85",
    ]


# Where the algorithm is CUBIC, both would be "cubic"; the stack is named at all points.
def test_a_group_whose_algorithm_is_an_axis_is_told_from_one_that_has_it() -> None:
    assert groups(sweep(["{cubic,reno}@stack=quinn", "cubic"], **PATH)) == ["cubic quinn", "cubic", "reno quinn"]
