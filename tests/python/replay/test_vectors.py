# SPDX-License-Identifier: MIT OR Apache-2.0
"""Test vectors: every file in vectors/ holds, does not hold for its negative control, and tells one changed number."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import Cli

from cwnd.replay.vectors import replay

VECTORS = Path(__file__).parents[3] / "vectors"
FILES = sorted(path for path in VECTORS.rglob("*.toml") if "golden" not in path.parts)
NAMES = [str(path.relative_to(VECTORS)) for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_every_call_gives_what_the_file_expects(path: Path) -> None:
    outcome = replay(path)
    assert outcome["calls"] > 0
    assert (outcome["differences"], outcome["first"]) == (0, None)


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_another_parameter_set_differs(path: Path) -> None:
    assert replay(path, tomllib.loads(path.read_text())["not"])["differences"] > 0


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_one_changed_number_is_found(path: Path, tmp_path: Path) -> None:
    # The last expectation, a number or a range, moved far away.
    head, mark, tail = path.read_text().rpartition("expect = {")
    changed = re.sub(r"= (\[?)(\d)", r"= \g<1>1000000\2", tail, count=1)
    changed = re.sub(r"(\[1000000\d[^,\]]*, )(\d)", r"\g<1>1000000\2", changed, count=1)
    assert mark and changed != tail
    (tmp_path / "changed.toml").write_text(head + mark + changed)
    assert replay(tmp_path / "changed.toml")["differences"] == 1


def test_files_are_listed_with_their_origin() -> None:
    page = (VECTORS / "README.md").read_text()
    assert [name for name in NAMES if f"`{name}`" not in page] == []


def test_the_command_line_runs_them_as_it_runs_a_trace(cwnd: Cli) -> None:
    done = cwnd("replay", VECTORS / "highspeed" / "table12.toml", "--json")
    assert (done.returncode, json.loads(done.stdout)) == (0, {"calls": 146, "differences": 0, "first": None})
    done = cwnd("replay", VECTORS / "highspeed" / "table12.toml", "--cc", "scalable", "--json")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["calls"]) == (1, 146)
    assert outcome["first"].startswith('case "w = 38: a = 1, b = 0.50", call 2, ssthresh: returned 34 instead of [')


GOOD = """
origin = "here"
cc = "reno"
not = "scalable"
[[case]]
name = "one"
start = { cwnd = 10, ssthresh = 2 }
calls = [{ hook = "cong_avoid", acked = 1, expect = { cwnd_cnt = 1 } }]
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('origin = "here"', "", ("origin: missing",)),
        ('"here"', "4", ('origin: "4"', "the source of the numbers")),
        ('cc = "reno"', 'cc = "renoo"', ('cc: "renoo"', "reno")),
        ("cong_avoid", "cong_void", ("case 1, call 1", 'hook: "cong_void"', "cong_avoid")),
        ("acked = 1", "acked = -1", ('acked: "-1"', "0 to 4294967295")),
        ("acked = 1", 'acked = "one"', ('acked: "one"', "whole number")),
        ("acked = 1", "packets = 1", ('unknown field "packets"', "acked")),
        ("cwnd = 10", "cwind = 10", ("case 1, start", 'unknown field "cwind"', "cwnd_clamp")),
        ("cwnd = 10", "cwnd = 5_000_000_000", ('cwnd: "5000000000"',)),
        ("cwnd_cnt = 1 }", "cwnd_count = 1 }", ('unknown field "expect.cwnd_count"',)),
        ("cwnd_cnt = 1 }", "cwnd_cnt = [2, 1] }", ('expect.cwnd_cnt: "[2, 1]"',)),
        ("[[case]]", "[[cases]]", ('unknown field "cases"',)),
        ('hook = "cong_avoid", acked = 1', 'hook = "set_state", state = "lost"', ('state: "lost"', "recovery")),
        ("calls = [", "calls = [3, ", ('call 1: "3"',)),
        ("calls = [{", "calls = []\nold = [{", ('unknown field "old"',)),
        ('{ hook = "cong_avoid", acked = 1, expect = { cwnd_cnt = 1 } }', "", ('calls: "[]"', "at least one")),
        ("[[case]]", "[[case", ("no TOML",)),
        ("acked = 1", "acked = 1, repeat = 0", ('repeat: "0"', "1 or more")),
    ],
)
def test_a_bad_file_is_refused_with_file_field_and_value(
    cwnd: Cli, tmp_path: Path, old: str, new: str, words: tuple[str, ...]
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(GOOD)
    assert replay(path)["differences"] == 0
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    done = cwnd("replay", path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in (str(path), *words)), done.stderr


def test_a_trace_needs_the_name_of_a_parameter_set(cwnd: Cli) -> None:
    done = cwnd("replay", VECTORS / "golden" / "linux-6.1" / "reno_12M_40ms.parquet")
    assert done.returncode == 2 and "--cc: missing" in done.stderr
