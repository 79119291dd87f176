# SPDX-License-Identifier: MIT OR Apache-2.0
"""Verdicts on claims, by hand arithmetic."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from claim_with import claim_with

from cwnd.reproduce import Holds, Measured, Reported, Undecidable
from cwnd.reproduce.claims import Claim, claims
from cwnd.reproduce.verdict import FAILS, HOLDS, OPEN, PART, REPORTED, SweepPoint, judge, summary
from tools.docs import verdicts


def test_a_comparison_is_decided_by_the_mean_and_near_when_its_interval_reaches_over_the_bound() -> None:
    # Mean 2, standard deviation 1, t = 4.303 for two degrees of freedom: 2 ± 4.303/√3 = 2 ± 2.484.
    verdict = judge(claim_with(">", 1), Measured([1, 2, 3]))
    assert (verdict.holds, verdict.measured, verdict.near) == (True, 2, True)
    assert verdict.ci95 == pytest.approx([-0.484, 4.484], abs=1e-3)
    far = judge(claim_with(">", -1), Measured([1, 2, 3]))
    assert (far.holds, far.near) == (True, False)
    assert judge(claim_with(">", 2), Measured([1, 2, 3])).holds is False
    assert judge(claim_with(">=", 2), Measured([1, 2, 3])).holds is True
    assert judge(claim_with("<", 2), Measured([1, 2, 3])).holds is False
    assert judge(claim_with("<=", 2), Measured(2.0)).holds is True


def test_one_seed_has_no_interval() -> None:
    verdict = judge(claim_with("<", 3), Measured([2]))
    assert (verdict.holds, verdict.ci95, verdict.seeds, verdict.near) == (True, None, 1, False)


def test_a_time_that_was_not_reached_is_later_than_all_that_were() -> None:
    verdict = judge(claim_with(">", 300), Measured([200, math.inf, math.inf]))
    assert (verdict.holds, verdict.measured) == (True, "never")
    # Two of four: the median lies between 400 and never.
    assert judge(claim_with("<", 300), Measured([100, 200, 250, math.inf])).measured == 225
    assert judge(claim_with("<", 300), Measured([math.inf])).holds is False


def test_within_is_near_from_outside_when_its_interval_reaches_in() -> None:
    bound = claim_with("within", [0.9, 1.1])
    assert judge(bound, Measured([1.0, 1.01, 0.99])).near is False
    outside = judge(bound, Measured([1.1, 1.2, 1.3]))  # 1.2 ± 0.248
    assert (outside.holds, outside.near) == (False, True)
    assert judge(bound, Measured([2.0, 2.01, 2.02])).near is False


def test_of_a_sweep_every_point_counts_and_the_worst_is_shown() -> None:
    verdict = judge(claim_with(">=", 0.9), Measured({"16 ms": [1.0, 1.0], "324 ms": [0.8, 0.9]}))
    assert (verdict.holds, verdict.at, verdict.measured) == (False, "324 ms", 0.85)
    assert verdict.sweep is not None
    assert [point["holds"] for point in verdict.sweep.values()] == [True, False]
    assert judge(claim_with(">=", 0.8), Measured({"a": 0.9, "b": 0.81})).at == "b"


# Two seeds a, b: mean (a + b)/2, interval ± 12.706 · |a − b|/2 (Student's t of one degree of freedom, 12.706 · s/√2 with s = |a − b|/√2).
# Asked is more than 1. CLEAR_FAIL 0.5 ± 0.064, NEAR_FAIL 0.9 ± 1.27, NEAR_HOLD 1.2 ± 1.27, CLEAR_HOLD 1.5 ± 0.064.
CLEAR_FAIL, NEAR_FAIL, NEAR_HOLD, CLEAR_HOLD = [0.495, 0.505], [0.8, 1.0], [1.1, 1.3], [1.495, 1.505]


@pytest.mark.parametrize(
    ("points", "holds", "near", "at"),
    [
        # One point breaks it clearly: it is broken clearly, even where a point near the bound is further off in the mean.
        ({"a": CLEAR_FAIL, "b": NEAR_FAIL}, False, False, "a"),
        ({"a": [0.8, 0.81], "b": [0.1, 1.0]}, False, False, "a"),  # 0.805 ± 0.064, and 0.55 ± 5.7
        ({"a": NEAR_FAIL, "b": CLEAR_FAIL, "c": NEAR_HOLD, "d": CLEAR_HOLD}, False, False, "b"),
        # All points that break it are near: it is broken near the bound, whatever the others do.
        ({"a": NEAR_FAIL, "b": [0.6, 1.0]}, False, True, "b"),
        ({"a": NEAR_FAIL, "b": CLEAR_HOLD}, False, True, "a"),
        ({"a": NEAR_FAIL, "b": NEAR_HOLD}, False, True, "a"),
        # It holds near the bound if any point does: that point decides, not the one with the smaller mean.
        ({"a": NEAR_HOLD, "b": CLEAR_HOLD}, True, True, "a"),
        ({"a": [1.095, 1.105], "b": NEAR_HOLD}, True, True, "b"),  # 1.1 ± 0.064
        ({"a": CLEAR_HOLD, "b": [1.395, 1.405]}, True, False, "b"),
        # A point of one seed has no interval and is not near.
        ({"a": NEAR_FAIL, "b": 0.5}, False, False, "b"),
    ],
)
def test_a_sweep_fails_clearly_with_one_clear_failure_and_holds_clearly_with_all_points(
    points: dict[str, Any], holds: bool, near: bool, at: str
) -> None:
    verdict = judge(claim_with(">", 1), Measured(points))
    assert (verdict.holds, verdict.near, verdict.at) == (holds, near, at)
    assert verdict.sweep is not None and verdict.measured == verdict.sweep[at]["measured"]
    assert verdict.ci95 == verdict.sweep[at]["ci95"]


def test_an_order_fails_clearly_with_one_clear_gap_and_holds_clearly_with_all_gaps() -> None:
    order = claim_with("order", ["a", ["b", "c"]])
    # a − b: −0.1 ± 1.27 · 0.1; a − c: −1 and 0, −0.5 ± 6.35. The second is further off in the mean, the first is certain.
    certain = judge(order, Measured({"a": [1.0, 1.0], "b": [1.1, 1.11], "c": [2.0, 1.0]}))
    assert (certain.holds, certain.near) == (False, False)
    assert certain.ci95 == pytest.approx([-0.105 - 0.0635, -0.105 + 0.0635], abs=1e-3)
    assert judge(order, Measured({"a": [1.0, 1.0], "b": [0.9, 0.9], "c": [2.0, 1.0]})).near
    # a − b: 0.1 ± 0; a − c: 0 and 1, 0.5 ± 6.35: whether it holds hangs on the second.
    open_ = judge(order, Measured({"a": [1.0, 1.0], "b": [0.9, 0.9], "c": [1.0, 0.0]}))
    assert (open_.holds, open_.near) == (True, True)
    assert not judge(order, Measured({"a": [1.0, 1.0], "b": [0.9, 0.9], "c": [0.1, 0.11]})).near


def near_point(claim: Claim, point: SweepPoint) -> bool:
    """Whether a point on record is near its bound, from its interval alone."""
    interval = point["ci95"]
    if not isinstance(interval, list) or interval[0] is None:
        return False
    low, high = (end if isinstance(end, int | float) else math.inf for end in interval)
    if claim.op == "order":
        return bool(low <= 0 <= high)
    if claim.op == "within":
        assert claim.low is not None and claim.high is not None
        outside = high < claim.low or low > claim.high
        return not outside and not claim.low <= low <= high <= claim.high
    assert claim.value is not None
    return bool(low <= claim.value <= high)


@pytest.mark.parametrize("name", verdicts.FILES)
def test_the_sweeps_on_record_are_near_where_their_points_say_so(name: str) -> None:
    sweeps = 0
    for entry in verdicts.on_record(name):
        for row in entry["claims"]:
            for verdict in (row, row.get("second", {})):
                if points := verdict.get("sweep"):
                    sweeps += 1
                    near = {key: near_point(claims()[row["id"]], point) for key, point in points.items()}
                    broken = [near[key] for key, point in points.items() if not point["holds"]]
                    assert verdict["holds"] is not bool(broken), row["id"]
                    assert verdict.get("near", False) is (all(broken) if broken else any(near.values())), row["id"]
                    assert verdict["measured"] == points[verdict["at"]]["measured"], row["id"]
                    assert near[verdict["at"]] is verdict.get("near", False), row["id"]
    assert sweeps > 50


def test_an_order_holds_when_every_name_exceeds_every_name_of_the_next_group() -> None:
    best = claim_with("order", ["cubic", ["sack", "hstcp"]])
    assert best.accepted == "cubic > sack, hstcp"
    assert judge(best, Measured({"cubic": [3, 3], "sack": [1, 2], "hstcp": [2, 1]})).holds is True
    worse = judge(best, Measured({"cubic": [3, 3], "sack": [4, 3], "hstcp": [1, 1]}))
    # The smallest gap, cubic − sack: −1 and 0, −0.5 in the mean; t = 12.71 for one degree of freedom, so ± 12.71 · 0.7071/√2.
    assert (worse.holds, worse.measured, worse.near) == (False, {"cubic": 3, "sack": 3.5, "hstcp": 1}, True)
    assert worse.ci95 == pytest.approx([-0.5 - 6.353, -0.5 + 6.353], abs=1e-3)
    assert judge(best, Measured({"cubic": 1, "sack": 1, "hstcp": 0})).holds is False  # equal is not above
    swept = judge(
        best, Measured({"82 ms": {"cubic": 2, "sack": 1, "hstcp": 1}, "162 ms": {"cubic": 2, "sack": 3, "hstcp": 1}})
    )
    assert (swept.holds, swept.at) == (False, "162 ms")
    free = claim_with("order", [["a", "b"], "c"])
    assert judge(free, Measured({"a": 2, "b": 9, "c": 1})).holds is True
    with pytest.raises(ValueError, match="expected"):
        judge(free, Measured({"a": 2, "c": 1}))


def test_never_is_above_a_time_and_not_above_never() -> None:
    slower = claim_with("order", ["500", "250"])
    assert judge(slower, Measured({"500": math.inf, "250": 400})).holds is True
    assert judge(slower, Measured({"500": math.inf, "250": math.inf})).holds is False


def test_a_criterion_holds_when_more_than_half_of_the_seeds_say_so() -> None:
    assert judge(claim_with("holds"), Holds("asked", [True, True, False])).holds is True
    half = judge(claim_with("holds"), Holds("asked", [True, False], [1.0, 2.0], within=(1.5, None)))
    assert (half.holds, half.near, half.measured) == (False, True, 1.5)
    assert judge(claim_with("holds"), Holds("asked", True)).near is False
    with pytest.raises(ValueError, match="criterion"):
        judge(claim_with("holds"), Holds("", True))


def test_a_criterion_is_near_where_the_interval_of_its_number_reaches_over_the_bound() -> None:
    def near(seeds: list[bool], values: list[float], within: tuple[float | None, float | None]) -> bool:
        return judge(claim_with("holds"), Holds("asked", seeds, values, within=within)).near

    # Student's t of one degree of freedom is 12.706: 1.1 ± 12.706 · 0.1, and 1.01 ± 12.706 · 0.01.
    assert near([True, True], [1.0, 1.2], (None, 1.5))
    assert not near([True, True], [1.0, 1.02], (None, 1.5))
    assert near([True, True], [1.0, 1.02], (0.9, None))
    assert near([False, False], [1.0, 1.2], (1.5, None))
    # The number is where it should be: another part of the criterion decides, which no interval reaches over.
    assert not near([False, False], [1.0, 1.2], (None, 1.5))
    with pytest.raises(ValueError, match="bounds"):
        judge(claim_with("holds"), Holds("asked", [True, True], [1.0, 1.2]))


def test_an_answer_of_another_kind_is_refused() -> None:
    for op, answer in (
        ("holds", Measured(1)),
        (">", Holds("asked", True)),
        ("<", Reported("text")),
        ("report", Holds("x", True)),
    ):
        with pytest.raises(ValueError, match="no answer"):
            judge(claim_with(op, 1 if op in "<>" else None), answer)
    for broken in ([], [math.nan], [None], ["1"]):
        with pytest.raises(ValueError, match="not numbers"):
            judge(claim_with(">", 1), Measured(broken))  # type: ignore[arg-type]


def test_reports_and_what_cannot_be_decided_have_no_verdict() -> None:
    shown = judge(claim_with("report"), Measured({"a": [1, 2], "b": 3}))
    assert (shown.holds, shown.measured) == (None, {"a": 1.5, "b": 3})
    assert judge(claim_with("report"), Reported("in words")).measured == "in words"
    open_ = judge(claim_with(">", 1), Undecidable("no such machine"))
    assert (open_.holds, open_.undecidable) == (None, "no such machine")


def test_the_verdict_on_an_experiment_is_that_on_its_decided_claims() -> None:
    yes, no = judge(claim_with(">", 1), Measured(2)), judge(claim_with(">", 1), Measured(0))
    shown, open_ = judge(claim_with("report"), Measured(1)), judge(claim_with(">", 1), Undecidable("why"))
    assert summary([yes, shown, open_]) == HOLDS
    assert summary([no, shown]) == FAILS
    assert summary([yes, no]) == PART
    assert summary([shown]) == REPORTED
    assert summary([shown, open_]) == OPEN


def test_a_run_of_some_experiments_replaces_theirs_on_record_and_a_whole_one_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, run = tmp_path / "verdicts.json.xz", tmp_path / "run"
    run.mkdir()
    monkeypatch.setattr(verdicts, "FILES", {"short": record})
    monkeypatch.setattr(verdicts, "RUNS", tmp_path / "runs.json")
    (run / "manifest.json").write_text(json.dumps({"finished": "2026-11-22", "took_s": 60}))

    def on_record(entries: dict[str, str]) -> dict[str, str]:
        (run / "verdicts.json").write_text(
            json.dumps([{"id": key, "verdict": value} for key, value in entries.items()])
        )
        verdicts.take("short", run, None)
        return {entry["id"]: entry["verdict"] for entry in verdicts.on_record("short")}

    assert on_record({"a/1": HOLDS, "a/2": HOLDS}) == {"a/1": HOLDS, "a/2": HOLDS}
    (tmp_path / "runs.json").unlink()
    assert on_record({"a/2": FAILS, "a/3": PART}) == {"a/1": HOLDS, "a/2": FAILS, "a/3": PART}
    assert not (tmp_path / "runs.json").exists()
    assert on_record({"a/1": FAILS, "a/2": FAILS, "a/3": FAILS}) == {"a/1": FAILS, "a/2": FAILS, "a/3": FAILS}


def test_reasons_on_record_become_those_of_today_and_no_verdict_changes() -> None:
    record = verdicts.on_record("short")
    (entry,) = (entry for entry in record if entry["id"] == "ha2008/fig6")
    fails = [row for row in entry["claims"] if "why" in row]
    assert 0 < len(fails) < len(entry["claims"])
    earlier = {**entry, "claims": [{**row, "why": "earlier"} if "why" in row else row for row in entry["claims"]]}
    assert verdicts.with_todays_reasons([earlier]) == [entry]
