# SPDX-License-Identifier: MIT OR Apache-2.0
"""Verdicts on claims, by hand arithmetic."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from claim_with import claim_with

from cwnd.reproduce import Holds, Measured, Reported, Undecidable
from cwnd.reproduce.verdict import FAILS, HOLDS, OPEN, PART, REPORTED, judge, summary
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
    record, run = tmp_path / "verdicts.json", tmp_path / "run"
    run.mkdir()
    monkeypatch.setattr(verdicts, "FILES", {"short": record})
    monkeypatch.setattr(verdicts, "RUNS", tmp_path / "runs.json")
    (run / "manifest.json").write_text(json.dumps({"finished": "2026-11-22", "took_s": 60}))

    def on_record(entries: dict[str, str]) -> dict[str, str]:
        (run / "verdicts.json").write_text(
            json.dumps([{"id": key, "verdict": value} for key, value in entries.items()])
        )
        verdicts.take("short", run, None)
        return {entry["id"]: entry["verdict"] for entry in json.loads(record.read_text())}

    assert on_record({"a/1": HOLDS, "a/2": HOLDS}) == {"a/1": HOLDS, "a/2": HOLDS}
    (tmp_path / "runs.json").unlink()
    assert on_record({"a/2": FAILS, "a/3": PART}) == {"a/1": HOLDS, "a/2": FAILS, "a/3": PART}
    assert not (tmp_path / "runs.json").exists()
    assert on_record({"a/1": FAILS, "a/2": FAILS, "a/3": FAILS}) == {"a/1": FAILS, "a/2": FAILS, "a/3": FAILS}
