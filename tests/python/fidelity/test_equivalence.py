# SPDX-License-Identifier: MIT OR Apache-2.0
"""When a number of the simulator is equivalent to the kernel's: with hand arithmetic, and what has to be told apart."""

from __future__ import annotations

import math
import random

import pytest

from cwnd.fidelity.equivalence import Equivalence, Verdict, ends_of_counts, exact_ends
from cwnd.fidelity.numbers import compared
from cwnd.fidelity.report import ratio


def verdict(simulated: list[float | None], measured: list[float | None], *, counts: bool = False) -> Verdict:
    return Equivalence.of("goodput, x", "", simulated, measured, counts=counts).verdict


# Logarithms of the ratios are ±0.01: mean 0, s = 0.01·√(10/9) = 0.01054, t(9) = 1.833 at 90 %, half width 1.833·0.01054/√10 = 0.00611.
def test_the_interval_is_that_of_the_mean_logarithm_of_the_ratios() -> None:
    measured = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    simulated = [value * math.exp(0.01 if number % 2 else -0.01) for number, value in enumerate(measured)]
    found = Equivalence.of("goodput, x", "", simulated, measured)
    assert found.ends == pytest.approx((1.0, math.exp(-0.00611), math.exp(0.00611)), abs=1e-5)
    assert found.verdict == "equivalent"


# Goodput at 10 % loss is 4 % of the link: near 0 for a tolerance of the link's rate, and nothing at all of Linux's.
def test_a_simulator_that_delivers_nothing_differs() -> None:
    linux: list[float | None] = [0.82, 0.80, 0.85, 0.79, 0.83, 0.81, 0.84, 0.80, 0.82, 0.83]
    assert verdict([0.0] * 10, linux) == "differs"
    assert verdict(linux, [0.0] * 10) == "differs"
    # A tenth as much in each run is a constant ratio, far outside.
    assert verdict([value / 10 for value in linux if value is not None], linux) == "differs"
    # Some runs without any: nobody can say by how much.
    assert verdict([0.0, *linux[1:]], linux) == "cannot say"
    assert verdict([0.4, *[0.0] * 9], [0.0] * 10) == "cannot say"


# Pairs share their losses, so a shift of 10 % shows although the seeds vary by 10 %.
@pytest.mark.parametrize("seed", range(20))
def test_a_shift_of_a_standard_deviation_is_not_equivalent(seed: int) -> None:
    draw = random.Random(seed)
    linux = [math.exp(draw.gauss(0, 0.1)) for _ in range(10)]
    # A shift of one standard deviation (10 %), whether the pairs vary by 2 % or, as without a common seed, by 14 %.
    paired = [value * 1.1 * math.exp(draw.gauss(0, 0.02)) for value in linux]
    unpaired = [1.1 * math.exp(draw.gauss(0, 0.1)) for _ in linux]
    assert verdict([*paired], [*linux]) == "differs"
    assert verdict([*unpaired], [*linux]) != "equivalent"


def test_few_or_scattered_runs_say_nothing() -> None:
    assert verdict([1.0], [1.0]) == "cannot say"
    assert verdict([1.0, 1.3, 0.8], [1.1, 1.0, 1.0]) == "cannot say"
    assert verdict([None, 2.0], [2.0, 2.0]) == "cannot say"
    assert verdict([None, None], [2.0, 2.0]) == "differs"


# Ten times the same pair is one observation: its ratio decides, 1.04 within the margin and 1.06 outside.
@pytest.mark.parametrize(("value", "expected"), [(1.04, "equivalent"), (1.06, "differs")])
def test_a_constant_number_counts_once(value: float, expected: Verdict) -> None:
    found = Equivalence.of("goodput, x", "", [value] * 10, [1.0] * 10)
    assert found.verdict == expected
    assert ratio(found.document()) == f"{value:.3f}"


# Of five events in one lane and none in the other: the upper end of the binomial share is 1 - 0.05^(1/5) = 0.4507, its odds 0.8205.
# Of two: 1 - 0.05^(1/2) = 0.7764, odds 3.47.
def test_small_totals_have_an_exact_interval() -> None:
    assert exact_ends(0, 5) == pytest.approx((0, 0, 0.8205), abs=1e-4)
    assert exact_ends(0, 2) == pytest.approx((0, 0, 3.472), abs=1e-3)
    assert exact_ends(5, 0)[1] == pytest.approx(1 / 0.8205, abs=1e-3)
    once = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert verdict([0.0] * 10, [*once], counts=True) == "differs"
    assert verdict([0.0] * 10, [1.0, 1.0, *[0.0] * 8], counts=True) == "cannot say"
    # Equal and few: one more or less in any of the runs would be more than 5 %.
    assert verdict([*once], [*once], counts=True) == "cannot say"


# Nine timeouts of one run are one accident: as independent events they would differ (0.05^(1/9) = 0.717, odds 2.5).
def test_events_of_one_run_are_not_taken_as_independent() -> None:
    assert exact_ends(9, 0)[1] > 2.5
    assert verdict([9.0, *[0.0] * 9], [0.0] * 10, counts=True) == "cannot say"


# From ten per run on, a count is compared like other numbers.
def test_large_counts_are_compared_by_their_ratios() -> None:
    linux = [400.0, 410.0, 420.0, 430.0, 440.0]
    found = ends_of_counts([(value * 1.01, value) for value in linux])
    assert found == pytest.approx((1.01, 1.01, 1.01))
    assert verdict([value * 1.2 for value in linux], [*linux], counts=True) == "differs"


def test_a_number_that_says_nothing_new_is_left_out() -> None:
    runs = [{"goodput, x": 2.0, "timeouts, x": 3.0, "loss events, x": 3.0, "retransmissions, x": 0.0} for _ in "ab"]
    found = compared([(run, run) for run in runs], {})
    # No run retransmits, and each timeout is a loss event.
    assert [each.name for each in found] == ["goodput, x", "timeouts, x"]
    # They are two numbers again if one run of one lane tells them apart.
    other = {**runs[0], "loss events, x": 4.0}
    assert len(compared([(runs[0], runs[0]), (runs[1], other)], {})) == 3


def test_a_known_cause_is_shown_of_a_difference_only() -> None:
    known = {"goodput, x": "because"}
    (far,) = compared([({"goodput, x": 2.0}, {"goodput, x": 1.0})] * 2, known)
    (near,) = compared([({"goodput, x": 1.0}, {"goodput, x": 1.0})] * 2, known)
    assert far.document()["known"] == "because" and near.document()["known"] == ""
