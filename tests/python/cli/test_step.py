# SPDX-License-Identifier: MIT OR Apache-2.0
"""Calls of hooks from the command line and in Python."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import Scenario, dumbbell, hook_calls

TEXT = 'duration = "10s"\n[link]\nrate = "20Mbit/s"\nrtt = "40ms"\n[[flow]]\ncc = "cubic-linux"\n[[flow]]\ncc = "reno"\nlabel = "other"\nstart = "1s"\n'


# Reno's window grows by one segment for a window of acknowledged ones: cwnd_cnt counts them, and the call at which it reaches the window
# takes it from there and adds one.
def test_each_call_begins_where_the_one_before_ended() -> None:
    table = hook_calls(dumbbell("reno", rate="20Mbit/s", rtt="40ms", duration="10s"), start_s=5, count=400)
    assert table.num_rows == 400 and table["time_s"][0].as_py() >= 5
    rows = [row for row in table.to_pylist() if row["hook"] == "cong_avoid"]
    assert len(rows) > 50
    grown = [row for row in rows if row["cwnd_after"] == row["cwnd_before"] + 1]
    assert grown, "400 calls are more than a window of them"
    for row in rows:
        acked = int(row["arguments"].removeprefix("acked="))
        change = row["cwnd_cnt_after"] - row["cwnd_cnt_before"]
        if row["cwnd_after"] == row["cwnd_before"]:
            assert change in (0, acked), row
        else:
            assert change == acked - row["cwnd_before"], row
    calls = table.to_pylist()
    for before, after in itertools.pairwise(calls):
        assert (before["cwnd_after"], before["cwnd_cnt_after"]) == (after["cwnd_before"], after["cwnd_cnt_before"])


def test_the_command_prints_the_calls_that_python_returns(tmp_path: Path, cwnd: Cli) -> None:
    (tmp_path / "a.toml").write_text(TEXT)
    printed = cwnd("step", "a.toml", "--flow", "other", "--from", "2500ms", "--count", 5, "--json", cwd=tmp_path)
    calls = json.loads(printed.stdout)
    table = hook_calls(Scenario.from_toml(TEXT), "other", start_s=2.5, count=5).to_pylist()
    assert [(call["t_s"], call["hook"]) for call in calls] == [(row["time_s"], row["hook"]) for row in table]
    for call, row in zip(calls, table, strict=True):
        assert all(row[f"{field['name']}_after"] == field["after"] for field in call["fields"])
    shown = cwnd("step", "a.toml", "--flow", 1, "--from", "2.5s", "--count", 5, cwd=tmp_path).stdout
    assert all(f"{call['t_s']:.6f}" in shown for call in calls) and "cong_avoid(acked=" in shown


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--flow", "othr"], '--flow: "othr" is not accepted; expected the name of a flow (did you mean other?)'),
        (["--flow", "7"], "--flow: 7 is not accepted; expected a flow's name, or its number from 0 to 1"),
        (["--from", "soon"], '--from: "soon" is not accepted; expected a time, such as 20s or 1500ms'),
        (["--from", "10s"], "--from: 10.0 is not accepted; expected seconds from 0 up to the end, 10"),
        (["--count", "0"], "--count: 0 is not accepted; expected a whole number from 1 to 1000000"),
    ],
)
def test_what_is_wrong_is_one_line(options: list[str], says: str, tmp_path: Path, cwnd: Cli) -> None:
    (tmp_path / "a.toml").write_text(TEXT)
    done = cwnd("step", "a.toml", *options, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and done.stderr.startswith(f"error: {says}"), done.stderr


def test_a_flow_that_makes_no_more_calls_has_fewer_rows() -> None:
    scenario = dumbbell([package.Flow("reno", size="30kB")], rate="20Mbit/s", rtt="40ms", duration="5s")
    assert 0 < hook_calls(scenario, count=10_000).num_rows < 200
    assert hook_calls(scenario, start_s=4).num_rows == 0
