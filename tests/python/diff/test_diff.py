# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd diff`: effects against scipy's own tests and hand arithmetic; pairs; conditions; refusals."""

from __future__ import annotations

import csv
import json
import math
import random
from pathlib import Path
from statistics import fmean

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused
from scipy import stats

import cwnd as package
from cwnd.diff.compute import Comparing, Series, effect_of, pooled
from cwnd.diff.conditions import Condition
from cwnd.diff.report import percent
from cwnd.diff.results import Difference, Effect
from cwnd.diff.statistics import PooledSamples, Samples, difference, equivalent, median_difference, relative

SHORT = ("--rate", "20Mbit/s", "--duration", "5s")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff") / "study"
    package.sweep(
        ["cubic@beta={0.7,0.85}", "reno"], rate="20Mbit/s", rtt=["10ms", "40ms"], duration="5s", seeds=5, folder=folder
    )
    return folder


def samples(n: int, *, paired: bool, seed: int) -> Samples:
    source = random.Random(seed)
    common = [source.gauss(0, 3) for _ in range(n)]
    a = [20 + each + source.gauss(0, 1) for each in common]
    b = [22 + each + source.gauss(0, 2) for each in common]
    return Samples(a, b if paired else b[: n - 2], paired)


@pytest.mark.parametrize("seed", range(5))
def test_the_tests_are_those_of_scipy(seed: int) -> None:
    pairs = samples(9, paired=True, seed=seed)
    found, theirs = difference(pairs, 0.9), stats.ttest_rel(pairs.b, pairs.a)
    ends = theirs.confidence_interval(0.9)
    assert (found.low, found.high) == (pytest.approx(ends.low), pytest.approx(ends.high)), f"seed {seed}"
    above = stats.ttest_rel(pairs.b, pairs.a, alternative="greater").pvalue
    assert pairs.p_above(1) == pytest.approx(above)
    sides = samples(9, paired=False, seed=seed)
    welch = stats.ttest_ind(sides.b, sides.a, equal_var=False)
    ends = welch.confidence_interval(0.95)
    found = difference(sides, 0.95)
    assert (found.low, found.high) == (pytest.approx(ends.low), pytest.approx(ends.high)), f"seed {seed}"


def test_a_ratio_by_hand() -> None:
    # b = 2a + (−1, 0, 1): mean(a) 20, s(a)² 100, mean(b) 40, s(b)² = 4·100 + 2·2·10 + 1 = 441, s(ab) = 2·100 + 10 = 210.
    pairs = Samples([10.0, 20.0, 30.0], [19.0, 40.0, 61.0], paired=True)
    found = relative(pairs, 0.5)
    # t of two degrees at 50 %: 0.8165; t²/n = 2/9. The limits solve (40 − 20 r)² = 2/9 (441 − 420 r + 100 r²).
    for ratio in (1 + (found.low or 0), 1 + (found.high or 0)):
        assert (40 - 20 * ratio) ** 2 == pytest.approx(2 / 9 * (441 - 420 * ratio + 100 * ratio**2))
    assert found.centre == 1 and found.low is not None and found.high is not None and found.low < 1 < found.high
    # Where A may be zero there is no interval, and where it is, no ratio.
    assert relative(Samples([-1.0, 1.0, 3.0], [1.0, 2.0, 3.0], paired=True), 0.95).low is None
    assert relative(Samples([0.0, 0.0], [1.0, 2.0], paired=True), 0.95).centre is None


# 34 and 40 have the mean 37 ± 12.706 · 3 = 38.1, which may be zero: the row is B − A, of 1965 and 1959 the mean 1962 ± 12.706 · 3.
def test_where_a_may_be_zero_the_row_is_the_difference_and_no_count_falls_by_more_than_all() -> None:
    drops, name = ([34.0, 40.0], [1999.0, 1999.0]), ("group", "cubic", "cubic")
    for paired, there in ((True, "+1962 ± 38"), (False, "+1962 ± 38")):
        series = Series(Samples(*drops, paired), ((1, 2), (1, 2)), 0, "")
        found = effect_of(series, name, "drops", "packets", Comparing(paired=paired))
        assert (found.low, found.high) == (pytest.approx(1962 - 38.12, abs=0.01), pytest.approx(1962 + 38.12, abs=0.01))
        assert percent(found) == there
        back = relative(Samples(drops[1], drops[0], paired), 0.95)
        assert back.low == -1 and back.high == pytest.approx((37 + 38.12) / 1999 - 1, abs=1e-4)
    # One seed has no interval at all: its row is the change. Values that may be negative may fall by more than all.
    alone = effect_of(
        Series(Samples([34.0], [1999.0], True), ((1,), (1,)), 0, ""), name, "drops", "packets", Comparing()
    )
    assert percent(alone) == "+5779% (one replicate has no confidence interval)"
    assert (relative(Samples([100.0, 100.0], [-3.0, 3.0], True), 0.95).low or 0) < -1
    counts = PooledSamples((), (), True, (Samples(drops[1], drops[0], True),) * 2)
    assert relative(counts, 0.99).low == pytest.approx(-0.992, abs=1e-3) and relative(counts, 1 - 1e-6).low == -1


def test_95_per_cent_of_the_intervals_of_ratios_cover() -> None:
    seed, covered, trials = 17, {True: 0, False: 0}, 1500
    source = random.Random(seed)
    for _ in range(trials):
        common = [source.gauss(0, 2) for _ in range(8)]
        a = [10 + each + source.gauss(0, 1) for each in common]
        b = [15 + 1.5 * each + source.gauss(0, 1) for each in common]
        free = [15 + source.gauss(0, 3) for _ in range(8)]
        for paired, other in ((True, b), (False, free)):
            found = relative(Samples(a, other, paired), 0.95)
            assert found.low is not None and found.high is not None
            covered[paired] += found.low <= 0.5 <= found.high
    # Three standard errors of 1500 trials are 0.0169. Pairs: exact. Else the degrees of freedom are estimated.
    assert covered[True] / trials == pytest.approx(0.95, abs=0.0169), f"seed {seed}"
    assert covered[False] / trials == pytest.approx(0.95, abs=0.02), f"seed {seed}"


def test_equivalence_is_two_one_sided_tests() -> None:
    pairs = Samples([10.0, 11.0, 12.0, 13.0], [10.1, 11.0, 12.2, 13.1], paired=True)
    for margin in (0.005, 0.02, 0.2):
        lower = stats.ttest_1samp([b - (1 - margin) * a for a, b in zip(pairs.a, pairs.b)], 0, alternative="greater")
        upper = stats.ttest_1samp([b - (1 + margin) * a for a, b in zip(pairs.a, pairs.b)], 0, alternative="less")
        assert equivalent(pairs, margin, 0.95) == (max(lower.pvalue, upper.pvalue) <= 0.05)
    assert equivalent(pairs, 0.2, 0.95) and not equivalent(pairs, 0.005, 0.95)


def test_a_bootstrap_is_that_of_scipy_and_wants_ten_values() -> None:
    pairs = samples(30, paired=True, seed=3)
    found = difference(pairs, 0.95, "bootstrap")
    plain = difference(pairs, 0.95)
    assert None not in (found.low, found.high, plain.low, plain.high)
    # Normal values: both say the same within a tenth of the interval's length.
    length = (plain.high or 0) - (plain.low or 0)
    assert (found.low, found.high) == (
        pytest.approx(plain.low, abs=length / 10),
        pytest.approx(plain.high, abs=length / 10),
    )
    few = difference(samples(9, paired=True, seed=3), 0.95, "bootstrap")
    assert few.low is None and "too few" in few.why


def test_a_time_that_one_side_never_reached_is_later() -> None:
    pairs = Samples([1.0, 2.0, 3.0, 4.0, 5.0, math.inf], [math.inf, 3.0, 5.0, 6.0, 9.0, math.inf], paired=True)
    # Differences ∞, 1, 2, 2, 4; the last pair says nothing, and five are too few for an interval.
    found = median_difference(pairs, 0.95)
    assert (found.centre, found.low, found.high, found.n) == (2, None, None, 5)


def times(a: list[float], b: list[float]) -> Effect:
    """The effect on a time of these pairs."""
    seeds = list(range(len(a)))
    neither = sum(x == y == math.inf for x, y in zip(a, b))
    series = Series(Samples(a, b, paired=True), (seeds, seeds), neither, "")
    return effect_of(series, ("all", "all flows", "all flows"), "convergence_s", "s", Comparing())


NEVER = math.inf


# The sign test: of 25 pairs that say something all are later, p = 2 · 2⁻²⁵ = 6e-8.
def test_pairs_that_neither_side_reached_say_nothing() -> None:
    effect = times([*[5.0] * 25, *[NEVER] * 51], [*[9.0] * 20, *[NEVER] * 56])
    assert (effect.n, effect.undefined, effect.verdict, effect.decided) == (25, 51, "higher", True)
    assert (effect.difference, effect.low, effect.high) == (4, 4, 4)
    # Two of twenty later, the others equal: not all pairs are equal.
    assert times([5.0] * 20, [*[5.0] * 18, 9.0, 13.0]).verdict == "undecided"
    assert times([5.0] * 20, [5.0] * 20).verdict == "same"
    nobody = times([NEVER] * 8, [NEVER] * 8)
    assert (nobody.difference, nobody.n, nobody.undefined) == (None, 0, 8) and "neither side" in nobody.why


def test_a_side_that_never_gets_there_again_is_later_and_fails_a_condition() -> None:
    for b, low in (([NEVER] * 10, NEVER), ([*[22.0] * 4, *[NEVER] * 6], 20)):
        effect = times([2.0] * 10, b)
        assert (effect.difference, effect.low, effect.verdict, effect.decided) == (NEVER, low, "higher", True)
        found = Difference("A", "B", [], [effect], [effect], 1, [], True, 0.95, "t")
        condition = Condition.of("convergence time > +5s", found)
        assert condition.judge(effect, found) == "met"
        assert Condition.of("convergence time < -5s", found).judge(effect, found) == "not met"
        back = times(b, [2.0] * 10)
        assert (back.difference, back.verdict) == (-NEVER, "lower")
        assert condition.judge(back, found) == "not met"


# Means of 10 and 20 at the first point and of 30 and 36 at the second: 20 to 28.
def test_points_with_other_seeds_are_pooled_by_their_own_means() -> None:
    first = Series(Samples([9.0, 11.0], [18.0, 22.0], paired=True), ([1, 2], [1, 2]), 0, "")
    second = Series(Samples([29.0, 30.0, 31.0], [36.0, 36.0, 36.0], paired=True), ([1, 2, 3], [1, 2, 3]), 0, "")
    merged = pooled([first, second], fmean, paired=True)
    effect = effect_of(merged, ("group", "cubic", "cubic"), "throughput_mbps", "Mbit/s", Comparing())
    assert (effect.a, effect.b, effect.difference) == (20, 28, 8)
    # Differences 9, 11 and 7, 6, 5: variances of their means 1 and 1/3, so the error is √(4/3)/2 = 0.577; degrees of freedom
    # (4/3)² / (1/1 + (1/9)/2) = 1.684.
    apart, error, nu = merged.samples.beyond(1)
    assert (apart, error, nu) == (8, pytest.approx(math.sqrt(4 / 3) / 2), pytest.approx((4 / 3) ** 2 / (1 + 1 / 18)))


# 2000 studies of three points with 5, 8 and 12 seeds; the standard error of a part of 0.95 of them is 0.5 %.
def test_95_per_cent_of_the_intervals_over_points_with_other_seeds_cover() -> None:
    draw = np.random.default_rng(4)
    inside = relative_inside = 0
    for _ in range(2000):
        points = []
        for count, level, spread in ((5, 10.0, 1.0), (8, 20.0, 2.0), (12, 40.0, 1.5)):
            common = draw.normal(0, spread, count)
            a, b = (level * scale + common + draw.normal(0, spread, count) for scale in (1.0, 1.1))
            seeds = list(range(count))
            points.append(Series(Samples(list(a), list(b), paired=True), (seeds, seeds), 0, ""))
        merged = pooled(points, fmean, paired=True)
        effect = effect_of(merged, ("group", "", ""), "throughput_mbps", "Mbit/s", Comparing())
        assert effect.low is not None and effect.high is not None
        assert effect.relative_low is not None and effect.relative_high is not None
        inside += effect.low <= 70 / 3 * 0.1 <= effect.high
        relative_inside += effect.relative_low <= 0.1 <= effect.relative_high
    assert 0.935 <= inside / 2000 <= 0.975 and 0.935 <= relative_inside / 2000 <= 0.975


def test_pairs_are_runs_of_one_point_and_seed(study: Path) -> None:
    found = package.diff(study, between="beta=0.7,0.85")
    assert (found.points, found.factors, found.paired) == (2, ["rtt"], True)
    rows = pq.read_table(study / "runs.parquet").to_pylist()
    values = {
        (row["beta"], row["rtt"], row["seed"]): row["value"]
        for row in rows
        if row["measure"] == "throughput_mbps" and row["name"] == "reno"
    }
    mean_of = {  # by seed, over both round trip times
        (beta, seed): (values[beta, "10ms", seed] + values[beta, "40ms", seed]) / 2
        for beta in (0.7, 0.85)
        for seed in range(1, 6)
    }
    apart = [mean_of[0.85, seed] - mean_of[0.7, seed] for seed in range(1, 6)]
    (effect,) = (each for each in found.over_points if (each.measure, each.label) == ("throughput_mbps", "reno"))
    assert effect.n == 5 and effect.difference == pytest.approx(sum(apart) / 5)
    ends = stats.ttest_1samp(apart, 0).confidence_interval(0.95)
    assert (effect.low, effect.high) == (pytest.approx(ends.low), pytest.approx(ends.high))
    at = [each for each in found.at_points if (each.measure, each.label) == ("throughput_mbps", "reno")]
    assert [dict(each.place) for each in at] == [{"rtt": "10ms"}, {"rtt": "40ms"}]
    assert (effect.difference or 0) == pytest.approx(sum(each.difference or 0 for each in at) / 2)
    # The group whose parameter it is has a label on each side.
    assert {(each.label, each.label_b) for each in found.over_points if each.of == "group"} == {
        ("cubic beta=0.7", "cubic beta=0.85"),
        ("reno", "reno"),
    }


def test_a_result_against_itself_differs_in_nothing(study: Path) -> None:
    found = package.diff(study, study)
    assert found.points == 4
    assert all(each.verdict in ("same", "undecided") and not each.decided for each in found.over_points)
    undecided = {each.measure for each in found.over_points if each.verdict == "undecided"}
    assert undecided <= {"convergence_s", "smoothness"}, undecided  # which have no value in runs of 5 s
    apart = package.diff(study, study, paired=False, measures="throughput")
    assert all(each.low is not None and each.low < 0 for each in apart.over_points)


def verdict(a: list[float], b: list[float], measure: str = "throughput_mbps", *, paired: bool = True) -> str:
    """The verdict on these pairs, or on these sides."""
    found = Series(Samples(a, b, paired), (range(len(a)), range(len(b))), 0, "")
    return effect_of(found, ("all", "all flows", "all flows"), measure, "", Comparing(paired=paired)).verdict


def test_same_is_where_all_pairs_are_equal_and_nowhere_else() -> None:
    values = [float(number) for number in range(20)]
    two_differ = [*values[:18], 30.0, 40.0]
    for measure in ("throughput_mbps", "convergence_s"):
        assert verdict(values, values, measure) == verdict(values[:1], values[:1], measure) == "same"
        assert verdict(values, two_differ, measure) == verdict(values[:1], [0.5], measure) == "undecided"
    # A time that neither side reached is no time.
    assert verdict([math.inf] * 20, [math.inf] * 20, "convergence_s") == "undecided"
    # Sides that are not paired are the same where nothing varies.
    assert verdict([1.0, 1.0, 1.0], [1.0, 1.0], paired=False) == "same"
    assert verdict([1.0, 2.0], [1.0, 2.0], paired=False) == "undecided"


def test_replicates_and_runs_are_compared_with_each_other_and_with_studies(tmp_path: Path, cwnd: Cli) -> None:
    for name, buffer in (("a", "1bdp"), ("b", "2bdp")):
        assert cwnd("compare", "cubic", *SHORT, "--buffer", buffer, "--seeds", 3, "-o", tmp_path / name).returncode == 0
    found = package.diff(tmp_path / "a", tmp_path / "b")
    means = [
        json.loads((tmp_path / name / "summary.json").read_text())["link"]["measures"]["queue_mean_ms"]["mean"]
        for name in "ab"
    ]
    (delay,) = (each for each in found.over_points if each.measure == "queue_mean_ms")
    assert [delay.a, delay.b] == [pytest.approx(mean) for mean in means] and delay.verdict == "higher"
    single = package.diff(tmp_path / "a" / "seed-0001", tmp_path / "b" / "seed-0001")
    (delay,) = (each for each in single.over_points if each.measure == "queue_mean_ms")
    assert (delay.n, delay.low, delay.verdict) == (1, None, "undecided")
    # A study's point of the same link and seeds has the same numbers: nothing differs.
    sweep = package.sweep(
        "cubic", rate="20Mbit/s", rtt="40ms", buffer=["1bdp", "2bdp"], duration="5s", measure=("1s", "5s"), seeds=3
    )
    assert {
        each.verdict
        for each in package.diff(
            sweep, package.load(tmp_path / "b"), where={"buffer": "2bdp"}, measures=["throughput"]
        ).over_points
    } == {"same"}


@pytest.mark.slow
def test_conditions_fail_where_they_are_decided(study: Path, cwnd: Cli) -> None:
    base = ("diff", study, "--between", "beta=0.7,0.85")
    (effect,) = (
        each
        for each in package.diff(study, between="beta=0.7,0.85").over_points
        if (each.measure, each.label) == ("throughput_mbps", "reno")
    )
    assert effect.relative_high is not None and effect.relative_low is not None and effect.relative_high < 0
    beyond, within, between = (
        f"throughput of reno < {100 * part:+.3f}%"
        for part in (effect.relative_high + 0.001, effect.relative_low - 0.001, effect.relative or 0)
    )
    for condition, strict, code, word in (
        (beyond, False, 1, "FAILS"),
        (within, True, 0, "passes"),
        (between, False, 0, "undecided"),
        (between, True, 1, "undecided"),
        (f"throughput_mbps of reno < {(effect.high or 0) + 0.02:+.3f}Mbit/s", False, 1, "FAILS"),
        (f"throughput of reno < {1000 * (effect.low or 0) - 20:+.1f}kbit/s", True, 0, "passes"),
    ):
        done = cwnd(*base, "--fail-if", condition, *(["--strict"] if strict else []))
        assert (done.returncode, done.stderr.split(":")[0]) == (code, word), (condition, done.stderr)
    # What passes is a note; what does not, and what is undecided, is said in any case.
    assert cwnd("-q", *base, "--fail-if", within).stderr == ""
    assert cwnd("-q", *base, "--fail-if", beyond).stderr.startswith("FAILS")
    assert cwnd("-q", *base, "--fail-if", between, "--strict").stderr.startswith("undecided")
    # One condition that fails is enough.
    done = cwnd(*base, "--fail-if", within, "--fail-if", beyond, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert [each["outcome"] for each in document["conditions"]] == ["not met", "met"]


def test_the_table_is_written_whole(study: Path, tmp_path: Path, cwnd: Cli) -> None:
    for suffix in ("csv", "parquet", "json"):
        done = cwnd("diff", study, "--between", "rtt=10ms,40ms", "-o", tmp_path / f"table.{suffix}")
        assert done.returncode == 0, done.stderr
    found = package.diff(study, between="rtt=10ms,40ms").table
    assert pq.read_table(tmp_path / "table.parquet").equals(found)
    assert json.loads((tmp_path / "table.json").read_text()) == found.to_pylist()
    with (tmp_path / "table.csv").open() as file:
        assert len(list(csv.DictReader(file))) == found.num_rows
    # Over both values of beta, and at each.
    assert sorted(set(found["points"].to_pylist())) == [1, 2]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.csv", "table.json", "table.parquet"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--between", "beta=0.7,0.9"], 'between: "beta=0.9" is not accepted; expected a value of this factor: 0.7, 0.85'),
        (["--between", "bata=0.7,0.85"], 'between: "bata" is not accepted; expected a factor of the study (did you mean beta?)'),
        (["--between", "beta=0.7"], "expected KEY=VALUE,VALUE with two values"),
        (["--between", "beta=0.7,0.85", "--where", "rtt=9ms"], 'where: "rtt=9ms"'),
        (["--between", "beta=0.7,0.85", "--where", "rtt"], "expected KEY=VALUE"),
        (["--between", "beta=0.7,0.85", "--measures", "throughputt"], "did you mean throughput"),
        (["--between", "beta=0.7,0.85", "--fail-if", "delay"], "expected MEASURE [of FLOWS] > CHANGE"),
        (["--between", "beta=0.7,0.85", "--fail-if", "throughput > +2ms"], 'fail-if: "ms" is not accepted; expected % or Mbit/s'),
        (["--between", "beta=0.7,0.85", "--fail-if", "throughput of bic > 2%"], "expected a label with throughput_mbps"),
        (["--between", "beta=0.7,0.85", "--level", "95"], "expected a part in per cent"),
        (["--between", "beta=0.7,0.85", "--margin", "0%"], "expected a part in per cent"),
        (["--between", "beta=0.7,0.85", "-o", "table.txt"], "expected a file that ends in .csv, .parquet, .json"),
        (["--between", "beta=0.7,0.85", "--strict"], "--strict: not accepted without --fail-if"),
        ([], "B: missing"),
        (["nowhere"], 'folder: "nowhere" is not accepted'),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_one_line(
    study: Path, cwnd: Cli, arguments: list[str], says: str
) -> None:
    done = cwnd("diff", study, *arguments)
    refused(done, says)


def test_sides_of_other_factors_and_points_are_refused(study: Path) -> None:
    other = package.sweep("cubic", rate="20Mbit/s", rtt=["5ms", "7ms"], duration="2s", seeds=2)
    with pytest.raises(package.ScenarioError, match=r"factors: \"beta\" is not accepted"):
        package.diff(study, other)
    with pytest.raises(package.ScenarioError, match="points that A has too"):
        package.diff(package.sweep("cubic", rate="20Mbit/s", rtt=["1ms", "2ms"], duration="2s", seeds=2), other)
    for wrong in ({"level": 95}, {"margin": 2}, {"method": "tt"}, {"paired": 1}, {"measures": [3]}):
        with pytest.raises(package.ScenarioError, match=next(iter(wrong))):
            package.diff(study, study, **wrong)  # type: ignore[arg-type]
