# SPDX-License-Identifier: MIT OR Apache-2.0
"""HyStart++ with rare acknowledgements: what a run's report and `cwnd show` say of it. RFC 9406, section 4.2: L is 8 segments."""

from __future__ import annotations

import json

import pytest
from conftest import Cli

import cwnd as package
from cwnd.scenario.hystart import RECORD, limit_notes
from tools.hystart_cost import ALGORITHM, utilisation

PATH = {"rate": "10Mbit/s", "rtt": "20ms", "duration": "1s"}
OPTIONS = ("--rate", "10Mbit/s", "--rtt", "20ms", "--duration", "1s")


def notes(flow: str) -> list[str]:
    return limit_notes(package.compare(flow, **PATH).scenario)


# 8 of 64 segments: the window grows by an eighth a round trip.
def test_the_report_of_a_run_and_of_seeds_says_that_hystart_limits_the_start(cwnd: Cli) -> None:
    words = "cubic: an acknowledgement may be for 64 segments, and HyStart++ lets it add 8 to the window of a flow that is not paced"
    for more in ((), ("--seeds", "2")):
        shown = " ".join(cwnd("compare", "cubic@ack_every=64", *OPTIONS, *more).stdout.split())
        assert words in shown and "slow start grows by as little as 12 % a round trip, not by 100 %" in shown, shown


@pytest.mark.parametrize(
    ("flow", "limited"),
    [
        ("cubic@ack_every=9", True),
        ("cubic@ack_every=8", False),
        ("cubic@ack_every=16,l=16", False),
        ("cubic@ack_every=16,l=4", True),
        ("cubic@ack_every=64,l=0", False),
        ("cubic@ack_every=64,pacing=true", False),
        ("cubic@ack_every=64,slow_start=standard", False),
        ("cubic-linux@ack_every=64", False),
        ("cubic@stack=quinn", False),
    ],
)
def test_only_where_it_can_limit(flow: str, limited: bool) -> None:
    assert bool(notes(flow)) == limited


def test_every_set_with_hystart_shows_the_cost_and_no_other(cwnd: Cli) -> None:
    cost = json.loads(RECORD.read_text())["utilisation"]
    sets = [each for known in package._native.algorithms() for each in known["sets"]]
    with_it = [each["name"] for each in sets if each["params"].get("slow_start") == "hystart++"]
    assert "cubic" in with_it
    for name in [*with_it, "hystart++"]:
        shown = " ".join(cwnd("show", name).stdout.split())
        assert f"{cost['2']:.1f} % with one for every 2, " in shown and "RFC 9406 §4.2" in shown, shown
    assert "with one for every 2" not in cwnd("show", "cubic-linux").stdout


def test_the_recorded_cost_is_what_a_run_measures_and_rises_with_rarer_acknowledgements() -> None:
    record = json.loads(RECORD.read_text())
    used = [record["utilisation"][every] for every in ("2", "16", "64", "128", "256")]
    assert used == sorted(used, reverse=True) and used[0] - used[-1] > 5, used
    for every in ("2", "256"):
        assert utilisation(f"{ALGORITHM}@start=0s,ack_every={every}") == record["utilisation"][every]
