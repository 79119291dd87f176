# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a difference says of measures that have no value: the reason, of each side its own."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import ScenarioError
from cwnd.diff.compute import reason

LINK = ("--rate", "20Mbit/s", "--rtt", "20ms")
NAME = "convergence time"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of one flow, of which there is no convergence, and of two: too short for one, and too unfair within the time."""
    folder = tmp_path_factory.mktemp("undefined")
    package.compare(["cubic"], rate="20Mbit/s", rtt="20ms", duration="5s", seeds=2, folder=folder / "one")
    package.compare(["reno"], rate="20Mbit/s", rtt="20ms", duration="5s", seeds=2, folder=folder / "other")
    package.compare(["cubic", "reno"], rate="20Mbit/s", rtt="20ms", duration="1s", seeds=2, folder=folder / "short")
    unfair = ["cubic@app_rate=1Mbit/s", "cubic"]
    package.compare(unfair, rate="20Mbit/s", rtt="20ms", duration="60s", seeds=2, folder=folder / "unfair")
    return folder


def changes(done_stdout: str) -> list[str]:
    """The rows of the measure, without the blanks between columns."""
    return [" ".join(line.split()) for line in done_stdout.splitlines() if line.split()[:1] == ["convergence_s"]]


def test_a_measure_that_neither_side_has_is_not_a_time_that_neither_reached(cwnd: Cli, folder: Path) -> None:
    done = cwnd("diff", "one", "other", "--measures", NAME, cwd=folder)
    assert done.returncode == 0, done.stderr
    rows = changes(done.stdout)
    assert rows and set(rows) == {"convergence_s none none fewer than two flows undecided"}, done.stdout
    assert "never" not in done.stdout and "neither" not in done.stdout
    assert "one point, 0 pairs by seed (0: no value)" in done.stdout
    never = cwnd("diff", "unfair", "unfair", "--measures", NAME, cwd=folder)
    (row, *_) = changes(never.stdout)
    assert row == "convergence_s never never neither side reached it under any seed undecided"


def test_two_reasons_are_said_of_their_sides(cwnd: Cli, folder: Path) -> None:
    done = cwnd("diff", "one", "short", "--measures", NAME, cwd=folder)
    (row, *_) = changes(done.stdout)
    assert row.startswith("convergence_s none none A: fewer than two flows; B: run too short: needs "), done.stdout
    assert reason("x", "x") == "x" and reason("", "x") == "B: x" and reason("x", "") == "A: x"


# A flow of 1 Mbit/s beside one that takes 19 never has a fair share: later than all, and not what one flow has.
def test_a_time_beside_no_time_is_not_later(folder: Path) -> None:
    sides = [package.load(folder / name) for name in ("one", "unfair", "short")]
    (effect, *_) = package.diff(sides[0], sides[1], measures=[NAME]).over_points
    assert (effect.a, effect.b, effect.difference, effect.n, effect.undefined) == (None, None, None, 0, 2)
    assert effect.why.startswith("A: fewer than two flows; B: the shares never stayed within")
    assert effect.samples.a == [] and not math.isinf(effect.difference or 0)
    (apart, *_) = package.diff(sides[0], sides[2], measures=[NAME], paired=False).over_points
    assert apart.why.startswith("A: fewer than two flows; B: run too short")


def test_only_other_seeds_are_other_seeds(cwnd: Cli, folder: Path, tmp_path: Path) -> None:
    done = cwnd("compare", "reno", *LINK, "--duration", "5s", "--seed", 7, "--seeds", 2, "-o", tmp_path / "seeds")
    assert done.returncode == 0, done.stderr
    refused(cwnd("diff", folder / "one", tmp_path / "seeds", "--measures", NAME), "seeds that A has too")
    # No transfers on one side.
    sized = package.compare(["cubic@size=100kB"], rate="20Mbit/s", rtt="20ms", duration="5s", seeds=2)
    with pytest.raises(ScenarioError, match="a measure that both sides have"):
        package.diff(package.load(folder / "one"), sized, measures=["completion_p50_s"])


# One flow through 10 Mbit/s uses nearly all of it, and through no rate nothing of it; both carry something.
@pytest.mark.parametrize("paired", [True, False])
def test_a_side_that_has_a_value_shows_it_where_the_other_has_none(paired: bool) -> None:
    rated = package.compare("cubic", rate="10Mbit/s", rtt="100ms", duration="5s", seeds=2)
    rateless = package.compare("cubic", rate="none", loss="random:0.001", rtt="100ms", duration="5s", seeds=2)
    measures = ["capacity_mbps", "throughput", "queue_mean_ms", "queue_p95_ms", "queue_max_ms"]
    there = {each.measure: each for each in package.diff(rated, rateless, measures=measures, paired=paired).over_points}
    back = {each.measure: each for each in package.diff(rateless, rated, measures=measures, paired=paired).over_points}
    capacity, same = there["capacity_mbps"], back["capacity_mbps"]
    assert (capacity.a, capacity.b, capacity.difference, capacity.n) == (10, None, None, 0)
    assert (same.a, same.b, same.why) == (None, 10, "A: no rate")
    assert there["throughput_mbps"].difference is not None
    # Without a rate there is no queue: its delay is not 0.
    for name in ("queue_mean_ms", "queue_p95_ms", "queue_max_ms"):
        delay = back[name]
        assert (delay.a, delay.difference, delay.why) == (None, None, "A: no rate") and (delay.b or 0) > 1


# Algorithms at two rates: A's capacity over both points is that of neither, as one has none; 10 alone would be that of one point.
def test_over_points_a_side_has_a_mean_where_it_has_a_value_at_each(cwnd: Cli, tmp_path: Path) -> None:
    study = ("sweep", "{cubic,reno}@rwnd=10", "--rtt", "100ms", "--duration", "2s", "--rate", "10Mbit/s,none")
    assert cwnd(*study, "-o", "study", cwd=tmp_path).returncode == 0
    found = package.diff(tmp_path / "study", between="cc=cubic,reno", measures=["capacity_mbps"])
    (over,) = found.over_points
    assert (over.a, over.b, over.difference) == (None, None, None)
    assert [(each.a, each.b) for each in found.at_points] == [(10, 10), (None, None)]
    done = cwnd("diff", "study", "--between", "cc=cubic,reno", "--measures", "capacity_mbps", "--each", cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "0 of 1 differences are decided; 1 row has no difference"
    assert repr(found).endswith("0 of 0 numbers differ over 2 points)")
    # One side has 10 Mbit/s at both points, the other no rate at either.
    sides = [
        package.sweep("cubic@rwnd={9,10}", rate=rate, rtt="100ms", duration="2s", seeds=2)
        for rate in ("10Mbit/s", "none")
    ]
    for paired in (True, False):
        (both,) = package.diff(*sides, measures=["capacity_mbps"], paired=paired).over_points
        assert (both.a, both.b, both.points) == (10, None, 2)


# 5 s are too short for the shares to converge, and a run that is long enough never had fair ones.
def test_a_side_that_never_reached_a_time_says_never_beside_one_that_has_none(cwnd: Cli, folder: Path) -> None:
    done = cwnd("diff", "unfair", "one", "--measures", NAME, cwd=folder)
    words = " ".join(done.stdout.split())
    assert "convergence_s A never B none change (95 %) A: the shares never stayed within" in words, done.stdout
