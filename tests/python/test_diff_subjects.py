# SPDX-License-Identifier: MIT OR Apache-2.0
"""What goes together in a difference: groups that are not in every run, algorithms that are varied, times over several points."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import fmean, median

import pytest

import cwnd
from cwnd.difference.compute import Comparing, Series, effect_of, pooled
from cwnd.difference.effect import Samples

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
    # Differences 1.5, ∞ and 0; three pairs are too few for an interval of the sign test.
    assert (effect.n, effect.difference, effect.low, effect.high) == (3, 1.5, None, None)
