# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which recovery a flow uses that names none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Cli

from cwnd import Flow, _native, dumbbell, run

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "algorithms" / "README.md"
# Today's names; the forms of today's kernel, which all end in -linux, join them. An older kernel's has its number.
TODAY = {"cubic", "reno"}
SETS = {
    parameter_set["name"]: parameter_set["recovery"]
    for algorithm in _native.algorithms()
    for parameter_set in algorithm["sets"]
    if algorithm["built_in"]
}


# Today's names and today's kernel's have Linux's. The papers' hosts had RFC 6675 or less.
@pytest.mark.parametrize("name", SETS)
def test_sets_have_the_recovery_of_their_hosts(name: str) -> None:
    others = {"newreno": "newreno", "tahoe": "tahoe"}
    is_todays = name in TODAY or re.fullmatch("[a-z]+-linux", name) is not None
    assert SETS[name] == ("linux" if is_todays else others.get(name, "sack"))


def test_the_documents_list_what_every_set_uses() -> None:
    rows = dict(re.findall(r"^\| `(linux|sack-prr|sack|newreno|tahoe)` \| (.*) \|$", PAGE.read_text(), re.MULTILINE))
    listed = {name: recovery for recovery, names in rows.items() for name in re.findall(r"`([^`]+)`", names)}
    assert listed == SETS


# HyStart++ leaves slow start a round trip late, at a window of 1304 with a pipe of 666; RFC 6675 alone then refills 913 at once.
def test_the_tools_own_default_run_has_no_timeout(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic", "--json")
    assert done.returncode == 0, done.stderr
    (flow,) = json.loads(done.stdout)["flows"]
    assert flow["recovery"] == "linux"
    assert flow["timeouts_run"] == 0
    assert flow["retransmits_run"] == flow["drops_run"] > 0, "every loss is repaired once"


@pytest.mark.parametrize("cc", sorted(TODAY | {"cubic-linux", "reno-linux"}))
@pytest.mark.parametrize(
    ("rate", "rtt"), [("50Mbit/s", "40ms"), ("100Mbit/s", "20ms"), ("100Mbit/s", "80ms"), ("200Mbit/s", "40ms")]
)
def test_its_neighbours_have_none_either(cc: str, rate: str, rtt: str) -> None:
    flow = Flow(cc, start={"uniform": ["0s", "100ms"]})
    (row,) = run(dumbbell([flow], rate=rate, rtt=rtt, duration="20s", interval="0s")).summary["flows"]
    assert row["timeouts_run"] == 0
