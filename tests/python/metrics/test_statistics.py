# SPDX-License-Identifier: MIT OR Apache-2.0
"""Confidence intervals: published tables, hand arithmetic, coverage."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwnd.metrics import mean_interval, median_interval, paired_difference
from cwnd.metrics.confidence_intervals import t_beyond, t_quantile

# Two-sided 95 % and 99 % points of Student's t as statistical tables print them.
TABLE = {
    1: (12.706, 63.657),
    2: (4.303, 9.925),
    3: (3.182, 5.841),
    4: (2.776, 4.604),
    5: (2.571, 4.032),
    9: (2.262, 3.250),
    10: (2.228, 3.169),
    19: (2.093, 2.861),
    24: (2.064, 2.797),
    30: (2.042, 2.750),
    60: (2.000, 2.660),
    120: (1.980, 2.617),
}
FLOATS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30)


@pytest.mark.parametrize("nu", TABLE)
def test_students_t_is_the_printed_table(nu: int) -> None:
    assert (round(t_quantile(0.95, nu), 3), round(t_quantile(0.99, nu), 3)) == TABLE[nu]
    # The Cauchy distribution and that of two degrees have closed forms.
    if nu == 1:
        assert t_beyond(3.0, 1) == pytest.approx(1 - 2 / math.pi * math.atan(3.0))
    if nu == 2:
        assert t_beyond(-3.0, 2) == pytest.approx(1 - 3 / math.sqrt(11))


def test_a_mean_by_hand() -> None:
    # 2, 4, 6, 8: mean 5, variance (9 + 1 + 1 + 9)/3, t of three degrees 3.182: ± 3.182 × 2.582/2.
    interval = mean_interval([2, 4, 6, 8])
    assert interval.centre == 5 and interval.n == 4 and interval.sd == pytest.approx(2.582, abs=5e-4)
    assert interval.half_width == pytest.approx(4.108, abs=2e-3)
    assert (interval.low, interval.high) == (pytest.approx(5 - 4.108, abs=2e-3), pytest.approx(5 + 4.108, abs=2e-3))


def test_too_few_replicates_say_so() -> None:
    assert (mean_interval([]).centre, mean_interval([]).why) == (None, "no replicate has a value")
    single = mean_interval([3.0])
    assert (single.centre, single.low, single.half_width) == (3, None, None) and "one replicate" in single.why
    assert median_interval([]).centre is None
    five = median_interval([1, 2, 3, 4, 5])
    assert (five.centre, five.low) == (3, None) and "too few" in five.why
    for wrong in ([math.nan], [math.inf]):
        with pytest.raises(ValueError):
            mean_interval(wrong)
    with pytest.raises(ValueError):
        median_interval([math.nan])


# n, k, what x(k) to x(n+1-k) covers: tables of the sign test print these (10 and 20: P(Bin < k) = 0.0107 and 0.0207).
@pytest.mark.parametrize(
    ("n", "k", "level"), [(6, 1, 0.969), (10, 2, 0.979), (20, 6, 0.959), (25, 8, 0.957), (50, 18, 0.967)]
)
def test_a_medians_interval_is_the_sign_tests(n: int, k: int, level: float) -> None:
    interval = median_interval([float(value) for value in range(1, n + 1)])
    assert (interval.low, interval.high) == (k, n + 1 - k)
    assert interval.centre == (n + 1) / 2 and interval.level == pytest.approx(level, abs=5e-4)


def test_a_median_stands_runs_that_never_ended() -> None:
    interval = median_interval([1, 2, 3, 4, 5, 6, 7, math.inf, math.inf, math.inf])
    assert (interval.centre, interval.low, interval.high) == (5.5, 2, None) and "no upper end" in interval.why
    none = median_interval([math.inf] * 10)
    assert none.centre is None and "half of the replicates" in none.why


def test_pairs_take_out_what_the_seeds_have_in_common() -> None:
    ours, theirs = {1: 10.0, 2: 20.0, 3: 30.0}, {1: 9.0, 2: 18.0, 3: 29.0}
    # Differences 1, 2, 1: mean 4/3, s = √(1/3), t of two degrees 4.303.
    interval = paired_difference(ours, theirs)
    assert interval.centre == pytest.approx(4 / 3) and interval.half_width == pytest.approx(
        4.303 * math.sqrt(1 / 9), abs=1e-3
    )
    with pytest.raises(ValueError, match=r"\[3, 4\]"):
        paired_difference(ours, {1: 1.0, 2: 1.0, 4: 1.0})


@given(FLOATS, st.floats(0.1, 10), st.floats(-100, 100))
def test_intervals_move_with_their_values(values: list[float], factor: float, shift: float) -> None:
    moved = [value * factor + shift for value in values]
    scale = max(map(abs, values)) * factor + abs(shift) + 1
    for interval in (mean_interval, median_interval):
        before, after = interval(values), interval(moved)
        for old, new in ((before.centre, after.centre), (before.low, after.low), (before.high, after.high)):
            assert (old is None) == (new is None)
            if old is not None and new is not None:
                assert new == pytest.approx(old * factor + shift, abs=1e-9 * scale)
        if after.low is not None and after.high is not None and after.centre is not None:
            assert after.low <= after.centre <= after.high


def test_95_per_cent_of_the_intervals_cover() -> None:
    seed = 11
    source = random.Random(seed)
    means = medians = 0
    for _ in range(2000):
        normal = [source.gauss(5, 2) for _ in range(10)]
        skewed = [source.expovariate(1) for _ in range(10)]
        interval, median = mean_interval(normal), median_interval(skewed)
        assert None not in (interval.low, interval.high, median.low, median.high)
        means += interval.low <= 5 <= interval.high  # type: ignore[operator]
        medians += median.low <= math.log(2) <= median.high  # type: ignore[operator]
    # 0.95 and 0.979 within three standard errors of 2000 trials: 0.0146 and 0.0096.
    assert means / 2000 == pytest.approx(0.95, abs=0.0146), f"seed {seed}"
    assert medians / 2000 == pytest.approx(0.979, abs=0.0097), f"seed {seed}"


@given(FLOATS)
def test_the_mean_is_the_standard_librarys(values: list[float]) -> None:
    assert mean_interval(values).centre == pytest.approx(statistics.fmean(values), abs=1e-6)
