# SPDX-License-Identifier: MIT OR Apache-2.0
"""What goes together in a difference: groups that are not in every run, algorithms that are varied, times over several points."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean, median

import pytest

import cwnd
from cwnd.diff.compute import Comparing, Series, effect_of, pooled
from cwnd.diff.statistics import Samples

RARE = """
duration = "6s"
[link]
rate = "20Mbit/s"
rtt = "40ms"
queue = {{ kind = "droptail", limit = "{limit}" }}
[[flow]]
cc = "cubic"
[[traffic]]
name = "small"
model = "sessions"
sessions = 1
gap = {{ kind = "exponential", mean = "8s" }}
size = {{ kind = "pareto", shape = 1.2, mean = "6packets" }}
[[traffic]]
name = "big"
model = "sessions"
sessions = 10
gap = {{ kind = "exponential", mean = "1s" }}
size = {{ kind = "pareto", shape = 1.2, mean = "300packets" }}
"""


def test_a_group_that_starts_no_transfer_under_a_seed_moves_no_other_groups_numbers(tmp_path: Path) -> None:
    sides = []
    for limit in ("1bdp", "2bdp"):
        (tmp_path / f"{limit}.toml").write_text(RARE.format(limit=limit))
        sides.append(cwnd.sweep(tmp_path / f"{limit}.toml", seeds=12))
    found = cwnd.diff(*sides, measures=["completion_p50_s"])
    for name in ("small", "big"):
        of_name = [
            {
                row["seed"]: row["value"]
                for row in side.runs.to_pylist()
                if row["measure"] == "completion_p50_s" and row["name"] == f"{name}, forward"
            }
            for side in sides
        ]
        assert (len(of_name[0]) < 12) == (name == "small"), "the test is of a group that is not in every run"
        common = [seed for seed in of_name[0] if seed in of_name[1]]
        (effect,) = (each for each in found.over_points if each.label == f"{name}, forward")
        assert effect.n == len(common)
        assert effect.a == pytest.approx(fmean(of_name[0][seed] for seed in common))
        assert effect.b == pytest.approx(fmean(of_name[1][seed] for seed in common))
        rows = [row for row in sides[0].means.to_pylist() if row["name"] == f"{name}, forward"]
        (mean,) = (row for row in rows if row["measure"] == "completion_p50_s")
        assert mean["n"] == len(of_name[0])


def test_an_algorithm_that_is_varied_has_its_own_name_at_each_point_and_both_over_them() -> None:
    sides = [
        cwnd.sweep(["{cubic,reno}", "reno"], rate="20Mbit/s", buffer=buffer, seeds=2, duration="4s")
        for buffer in ("1bdp", "2bdp")
    ]
    found = cwnd.diff(*sides, measures=["throughput"])
    assert [each.label for each in found.over_points] == ["cubic or reno 1", "reno or reno 2"]
    at = {(each.place["cc"], each.label): each for each in found.at_points}
    rows = [row for row in sides[0].means.to_pylist() if row["measure"] == "throughput_mbps"]
    of_cubic = next(row for row in rows if row["name"] == "cubic")
    assert at["cubic", "cubic"].a == pytest.approx(of_cubic["value"])
    assert {label for _, label in at} == {"cubic", "reno", "reno 2"}


# Points share seeds, and with them what is random: three seeds at two points are three pairs, not six.
def test_times_over_several_points_have_a_pair_per_seed() -> None:
    seeds = [1, 2, 3]
    first = Series(Samples([1.0, 2.0, math.inf], [2.0, 4.0, math.inf], paired=True), (seeds, seeds), 1, "")
    second = Series(Samples([3.0, 6.0, math.inf], [5.0, math.inf, math.inf], paired=True), (seeds, seeds), 1, "")
    merged = pooled([first, second], median, paired=True)
    # Medians of two: of 1 and 3, of 2 and 6; of 4 and ∞ it is ∞. Under the third seed neither side got there.
    assert (merged.samples.a, merged.samples.b) == ([2.0, 4.0, math.inf], [3.5, math.inf, math.inf])
    assert merged.undefined == 1
    effect = effect_of(merged, ("all", "all flows", "all flows"), "convergence_s", "s", Comparing())
    # Differences 1.5 and ∞; two pairs are too few for an interval of the sign test.
    assert (effect.n, effect.difference, effect.low, effect.high) == (2, math.inf, None, None)


def test_groups_of_one_name_are_compared_with_each_other_and_the_rest_by_their_order(tmp_path: Path) -> None:
    sides = [
        cwnd.compare(flows, rate="20Mbit/s", duration="4s", seeds=3) for flows in (["cubic", "reno"], ["reno", "htcp"])
    ]
    found = cwnd.diff(*sides, measures=["throughput"])
    assert sorted(effect.name for effect in found.over_points if effect.of == "group") == ["cubic → htcp", "reno"]


# At 10 s a start at 15 s is refused: side B has lost that point, and the other is not held against it.
def test_a_point_that_one_side_has_lost_is_named_and_no_other_takes_its_place(tmp_path: Path) -> None:
    (tmp_path / "grid.toml").write_text(
        '[scenario]\nlink = { rate = "10Mbit/s", rtt = "20ms" }\nflow = [{ cc = "cubic" }]\n'
        '[axes]\nduration = ["10s", "30s"]\n"flow[0].start" = ["0s", "15s"]\n'
    )
    study = cwnd.sweep(tmp_path / "grid.toml")
    found = cwnd.diff(study, between="start=0s,15s", measures=["throughput"])
    assert found.points == 1 and found.factors == ["duration"] and "1 point of A, 0 of B" in found.unpaired
    assert all(effect.place == {"duration": "30s"} for effect in found.at_points)
    one, other = (
        cwnd.sweep("cubic", rtt=rtts, rate="10Mbit/s", duration="2s", seeds=2)
        for rtts in (["40ms", "80ms"], ["10ms", "20ms"])
    )
    with pytest.raises(cwnd.ScenarioError, match="their factors have other values"):
        cwnd.diff(one, other)


# At a gap of 100 s no transfer starts within 6 s under these seeds: of two points one has completion times.
def test_a_number_that_one_of_two_points_has_is_pooled_over_one(tmp_path: Path) -> None:
    sides = []
    for limit in ("1bdp", "2bdp"):
        (tmp_path / f"{limit}.toml").write_text(RARE.format(limit=limit))
        sides.append(
            cwnd.sweep(
                tmp_path / f"{limit}.toml", {"traffic[1].gap": ["1s", "100min"], "traffic[0].gap": ["100min"]}, seeds=2
            )
        )
    found = cwnd.diff(*sides, measures=["completion_p50_s", "throughput"])
    rows = [
        row for row in found.table.to_pylist() if row["gap" if "gap" in found.factors else found.factors[0]] is None
    ]
    assert found.points == 2
    assert {row["label"]: row["points"] for row in rows} == {"cubic": 2, "big, forward": 1}
    assert {each.label: each.points for each in found.over_points} == {"cubic": 2, "big, forward": 1}


def test_points_and_values_that_are_written_in_another_way_are_the_same_ones() -> None:
    sides = [
        cwnd.sweep("cubic@beta={0.7,0.85}", rate="20Mbit/s", rtt=rtt, seeds=2, duration="2s")
        for rtt in (["10ms", "40ms"], ["0.01s", "40000us"])
    ]
    for where in ({}, {"rtt": "0.04s"}, {"beta": "0.70"}, {"rtt": "40000us", "beta": 0.7}):
        found = cwnd.diff(*sides, where=where, measures=["throughput"])
        assert found.points == 4 / 2 ** len(where) and not found.unpaired
        assert {each.verdict for each in found.at_points} == {"same"}, where
    assert cwnd.diff(sides[0], between="rtt=0.01s,0.04s").points == 2
    with pytest.raises(cwnd.ScenarioError, match="with two values of a factor"):
        cwnd.diff(sides[0], between="rtt=40ms,0.04s")
