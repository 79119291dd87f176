# SPDX-License-Identifier: MIT OR Apache-2.0
"""Claims and reasons as the documents' files have them, and how many of the claims hold."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from claim_with import Value, claim_with

from cwnd.papers.ha2008.setups import hook_counter
from cwnd.reproduce.claims import EMPIRICAL, KINDS, Claim, claim_rows, claims, reasons
from cwnd.reproduce.counts import counts, decided, of_entries
from cwnd.reproduce.list_of_papers import DOCUMENTS
from cwnd.reproduce.run_folder import COMMITTED, entries
from cwnd.result.result import run
from cwnd.scenario.builders import from_document
from tools.docs.verdicts import FILES, on_record

ROOT = Path(__file__).parents[3]


def test_every_document_has_claims_and_each_is_in_the_file_of_its_document_and_named_after_its_experiment() -> None:
    assert {each.id.partition("/")[0] for each in claims().values()} == set(DOCUMENTS)
    for document in DOCUMENTS:
        for row in claim_rows(document):
            assert row["id"].startswith(f"{document}/") and row["id"].rpartition("/")[0] == row["experiment"]
    assert reasons().keys() <= claims().keys()


@pytest.mark.parametrize(
    ("value", "tolerance", "low", "high"),
    [
        (10, None, 9.5, 10.5),  # half a unit of the last digit
        (1.17, None, 1.165, 1.175),
        (0.8, None, 0.75, 0.85),
        (0.72, 0.07, 0.65, 0.79),
        (50000, "5%", 47500, 52500),
        (-2, "10%", -2.2, -1.8),  # a part of the size
        ([3333, 7500], None, 3333, 7500),
    ],
)
def test_within_accepts_what_the_file_says(
    value: Value, tolerance: float | str | None, low: float, high: float
) -> None:
    exact = Decimal(str(tolerance)) if isinstance(tolerance, float) else tolerance
    within = claim_with("within", value, tolerance=exact)
    assert (within.low, within.high) == (low, high)


def test_every_value_in_the_file_is_read() -> None:
    for each in claims().values():
        assert (each.value is not None) == (
            each.op in (">=", "<=", ">", "<") or (each.op == "within" and each.value is not None)
        )
        assert (each.low is not None) == (each.op == "within")
        assert bool(each.order) == (each.op == "order")
        assert bool(each.accepted) == (each.op not in ("holds", "report"))


@pytest.mark.parametrize("name", FILES)
def test_the_committed_verdicts_answer_each_claim_once(name: str) -> None:
    committed = entries(FILES[name])
    assert committed == on_record(name)
    rows = [row["id"] for entry in committed for row in entry["claims"]]
    # The full run takes hours: an experiment that is newer than it stands in the shortened one.
    assert sorted(rows) == sorted(claims()) or (name == "full" and set(rows) < claims().keys())
    assert len(rows) == len(set(rows))
    for entry in committed:
        for row in entry["claims"]:
            assert {"paper", "measured", "ci95", "tolerance", "holds"} <= row.keys()
            assert row["holds"] is not False or row["why"], f"{row['id']} does not hold, and nothing says why"


def test_the_list_of_experiments_looks_for_the_verdicts_where_they_are() -> None:
    assert COMMITTED.parts[-3:] == FILES["short"].parts[-3:]


def test_a_reason_stands_only_where_a_claim_does_not_hold_in_one_of_the_committed_runs() -> None:
    fails = {
        row["id"] for name in FILES for entry in on_record(name) for row in entry["claims"] if row["holds"] is False
    }
    needless = reasons().keys() - fails
    assert not needless, f"these hold, and have a reason why they do not: {sorted(needless)}"


def test_the_readme_has_the_four_numbers_of_the_committed_verdicts() -> None:
    totals = of_entries(on_record("short"))
    # 331 of 350 can be decided; fig 6 has two readings of six statements, the clamps three of three, eq 2-4 two of two, sec C two of one.
    assert sum(part.decided for _, part in totals.parts()) >= 331 - 6 - 6 - 2 - 1
    assert totals.exact.hold / totals.exact.decided >= 0.85
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert totals.sentence() in readme
    rows = decided(row for entry in on_record("short") for row in entry["claims"])
    bare = [row for row in rows if row["kind"] == EMPIRICAL and not row.get("near") and row["ci95"] is None]
    assert len(bare) == totals.bare.decided


def test_no_claim_on_record_is_undecidable() -> None:
    rows = [row for name in FILES for entry in on_record(name) for row in entry["claims"]]
    assert not [row["id"] for row in rows if "undecidable" in row]


# A module's undo_cwnd is called where the transport takes a reduction back: its threshold rises as it leaves recovery (3), repair after a
# timeout (4), or disorder (1), where a late duplicate is reported (DSACK) that shows an earlier recovery to be needless. Window reduction (2) comes with an ECN echo. The runs of figure 2 have all three, here with an algorithm that needs no cargo.
def test_the_runs_of_figure_2_have_undo_and_window_reduction() -> None:
    late, marked = (
        [
            (int(row["value"]), row["ssthresh"])
            for row in run(from_document({**given, "flow": [{**given["flow"][0], "cc": "reno"}]})).events.to_pylist()
            if row["kind"] == "state"
        ]
        for given in (hook_counter.LATE, hook_counter.MARKED)
    )
    taken_back = {before for (before, threshold), (_, after) in pairwise(late) if after > threshold}
    assert taken_back == {1, hook_counter.RECOVERY, hook_counter.LOSS}
    assert {state for state, _ in marked} == {0, 2}


def test_every_claim_has_a_kind_and_one_without_is_refused() -> None:
    assert {each.kind for each in claims().values()} == set(KINDS)
    for kind in (None, "empiric"):
        with pytest.raises(ValueError, match="kind"):
            claim_with("holds", kind=kind)


def test_the_readings_of_a_statement_differ_in_the_reading_alone() -> None:
    by_experiment: dict[str, list[Claim]] = {}
    for each in claims().values():
        if each.reading:
            by_experiment.setdefault(each.experiment, []).append(each)
    assert by_experiment.keys() == {
        "ha2008/fig6",
        "leith2007/fig2-linear-growth",
        "rhee2005/eq2-4",
        "rhee2005/secc-edge",
    }
    for name, of in by_experiment.items():
        readings, statements = {each.reading for each in of}, {each.statement for each in of}
        assert len(readings) > 1, name
        # Each statement in each reading, once.
        assert sorted((each.statement, each.reading) for each in of) == sorted(
            (s, r) for s in statements for r in readings
        )
        for statement in statements:
            alike = {(each.kind, each.op, each.accepted, each.ours) for each in of if each.statement == statement}
            assert len(alike) == 1, f"{name}/{statement}"
    with pytest.raises(ValueError, match="reading"):
        claim_with("holds", reading="one of two")


def row(name: str, holds: bool | None, near: bool = False, ci95: object = (0, 1)) -> dict[str, Any]:
    return {"id": name, "holds": holds, "ci95": ci95, **({"near": True} if near else {})}


def test_of_readings_that_exclude_each_other_one_is_counted_for_all_statements() -> None:
    fig6 = "ha2008/fig6/"
    alone = [row(f"{fig6}total", True), row(f"{fig6}cubic-share", False), row(f"{fig6}sack-share", True, near=True)]
    busy = [
        row(f"{fig6}total-background", False),
        row(f"{fig6}cubic-share-background", True),
        row(f"{fig6}sack-share-background", False),
    ]
    # Two of three hold without background, one with: three statements, not six, and not the best of each.
    totals = counts([*alone, *busy])
    assert (str(totals.exact), str(totals.clear), str(totals.near)) == ("0 of 0", "1 of 2", "1 of 1")
    # As many hold with background then, and two of them are clear.
    totals = counts([*alone, row(f"{fig6}total-background", True), *busy[1:]])
    assert (str(totals.clear), str(totals.near)) == ("2 of 3", "0 of 0")


def test_arithmetic_and_conformance_are_counted_apart_from_what_flows_do() -> None:
    rows = [
        row("ha2008/fig3/tcp-window", True),
        row("ha2008/algorithm1/convex", False),
        row("ha2008/fig5a/full", True),
        row("ha2008/fig5a/windows-alike", False, near=True),
        row("ha2008/fig5b/sack-share", None),
        row("ha2008/fig9/cubic-slope", True, ci95=None),
        row("ha2008/fig9/bic-slope", False, ci95={"a": None, "b": None}),
        row("ha2008/fig9/sack-slope", False, ci95={"a": None, "b": [0, 1]}),
        # The seeds disagree on a criterion without a number.
        row("ha2008/fig9/hstcp-slope", True, near=True, ci95=None),
    ]
    totals = counts(rows)
    assert totals.sentence() == (
        "arithmetic and conformance: 1 of 2 hold; empirical, clear of the bound: 1 of 2 hold; empirical, near the bound: 1 of 2 hold; "
        "empirical, without an interval: 1 of 2 hold"
    )
