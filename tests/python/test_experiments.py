# SPDX-License-Identifier: MIT OR Apache-2.0
"""The machinery of the experiments: claims as they are written, verdicts by hand arithmetic, every experiment as it should be."""

from __future__ import annotations

import ast
import inspect
import json
import math
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import cwnd
from cwnd import _native
from cwnd.papers import DOCUMENTS
from cwnd.reproduce import Holds, Measured, Point, Reported, Results, Setup, Undecidable
from cwnd.reproduce.cache import collect_value, source_hash
from cwnd.reproduce.claims import EMPIRICAL, KINDS, Claim, claim, claims, reasons
from cwnd.reproduce.counts import counts, decided, of_entries
from cwnd.reproduce.discover import experiments, select
from cwnd.reproduce.experiment import Experiment
from cwnd.reproduce.run_folder import COMMITTED, entries
from cwnd.reproduce.runner import column, document, plain
from cwnd.reproduce.verdict import FAILS, HOLDS, OPEN, PART, REPORTED, judge, summary

KNOWN = experiments()
SETS = {each["name"] for algorithm in _native.algorithms() for each in algorithm["sets"]}


Value = int | float | list[Any] | None


def claim_with(op: str, value: Value = None, **more: object) -> Claim:
    exact = Decimal(str(value)) if isinstance(value, float) else value
    row = {
        "id": "d/f/c",
        "experiment": "d/f",
        "text": "",
        "metric": "",
        "kind": "empirical",
        "op": op,
        "value": exact,
        **more,
    }
    return claim({key: field for key, field in row.items() if field is not None})


def test_there_are_350_claims_in_73_experiments_of_the_five_documents() -> None:
    assert len(claims()) == 350
    assert len({each.experiment for each in claims().values()}) == 73
    assert {each.id.partition("/")[0] for each in claims().values()} == set(DOCUMENTS)
    for each in claims().values():
        assert each.id.rpartition("/")[0] == each.experiment


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


def test_every_claim_has_the_file_of_its_experiment() -> None:
    missing = {each.experiment for each in claims().values()} - KNOWN.keys()
    assert not missing, f"{len(missing)} experiments have no file yet: {', '.join(sorted(missing))}"


def test_every_file_is_an_experiment_of_the_list() -> None:
    assert KNOWN.keys() <= {each.experiment for each in claims().values()}
    assert [experiment.id for experiment in select("ha2008/fig6", KNOWN)] == ["ha2008/fig6"]
    assert {experiment.document for experiment in select("leith2007", KNOWN)} == {"leith2007"}
    with pytest.raises(LookupError):
        select("ha2008/fig99", KNOWN)


@pytest.mark.parametrize("name", KNOWN)
def test_an_experiment_is_complete(name: str) -> None:
    experiment = KNOWN[name]
    assert experiment.title
    assert len(experiment.text) > 100, "the docstring says what the document says and what it leaves open"
    assert experiment.cubic is None or experiment.cubic in SETS
    assert experiment.second is None or (
        experiment.second in SETS and experiment.cubic not in (None, experiment.second)
    )
    for setup in (Setup(experiment.cubic or "cubic"), Setup("cubic", full=True)):
        tasks: dict[str, Any] = {}
        of = column(experiment, setup, tasks)
        assert of.points and all(of.names.values())
    path = Path(inspect.getsourcefile(experiment.module) or "")
    lines = path.read_text().splitlines()
    assert len(lines) <= 140, f"{len(lines)} lines: what others could use belongs into cwnd.metrics or cwnd.plot"
    for node in ast.walk(ast.parse("\n".join(lines))):
        assert not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open")


@pytest.mark.parametrize("name", KNOWN)
def test_a_shortened_grid_is_not_the_full_one_in_disguise(name: str) -> None:
    experiment = KNOWN[name]
    cost = {
        full: sum(task.cost for task in laid_out(experiment, full=full).values() if task.scenario is not None)
        for full in (False, True)
    }
    assert cost[False] <= cost[True]


def laid_out(experiment: Experiment, *, full: bool) -> dict[str, Any]:
    tasks: dict[str, Any] = {}
    column(experiment, Setup(experiment.cubic or "cubic", full), tasks)
    return tasks


@pytest.mark.parametrize("name", ["verdicts.json", "verdicts-full.json"])
def test_the_committed_verdicts_answer_each_claim_once(name: str) -> None:
    committed = entries(COMMITTED.with_name(name))
    rows = [row["id"] for entry in committed for row in entry["claims"]]
    assert sorted(rows) == sorted(claims())
    for entry in committed:
        for row in entry["claims"]:
            assert {"paper", "measured", "ci95", "tolerance", "holds"} <= row.keys()
            assert row["holds"] is not False or row["why"], f"{row['id']} does not hold, and nothing says why"


def test_a_reason_stands_only_where_a_claim_does_not_hold_in_one_of_the_committed_runs() -> None:
    fails = {
        row["id"]
        for name in ("verdicts.json", "verdicts-full.json")
        for entry in entries(COMMITTED.with_name(name))
        for row in entry["claims"]
        if row["holds"] is False
    }
    needless = reasons().keys() - fails
    assert not needless, f"these hold, and have a reason why they do not: {sorted(needless)}"


def test_the_readme_has_the_three_numbers_of_the_committed_verdicts() -> None:
    totals = of_entries(entries(COMMITTED))
    # 330 of 350 can be decided; fig 6 has two readings of six statements, the clamps three of three, eq 2-4 two of two, sec C two of one.
    assert sum(part.decided for _, part in totals.parts()) >= 330 - 6 - 6 - 2 - 1
    assert totals.exact.hold / totals.exact.decided >= 0.85
    readme = " ".join((COMMITTED.parents[2] / "README.md").read_text().split())
    assert totals.sentence() in readme
    rows = decided(row for entry in entries(COMMITTED) for row in entry["claims"])
    bare = [row for row in rows if row["kind"] == EMPIRICAL and not row.get("near") and row["ci95"] is None]
    assert f"Of the clear ones {len(bare)} have no interval" in readme


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


def row(name: str, holds: bool | None, near: bool = False) -> dict[str, Any]:
    return {"id": name, "holds": holds, **({"near": True} if near else {})}


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
    ]
    totals = counts(rows)
    assert (str(totals.exact), str(totals.clear), str(totals.near)) == ("1 of 2", "1 of 1", "0 of 1")
    assert totals.sentence() == (
        "arithmetic and conformance: 1 of 2 hold; empirical, clear of the bound: 1 of 1 hold; empirical, near the bound: 0 of 1 hold"
    )


#: Sets whose variables, parameters and clocks differ from the documents' own.
ODD = ("cubic", "cubic-linux", "cubic-2.1", "cubic-freebsd-newreno", "cubic-2.6.18-unfixed", "cubic-2.2-linux")


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("version", ODD)
def test_every_form_of_cubic_can_stand_in_every_experiment(name: str, version: str) -> None:
    experiment = KNOWN[name]
    if experiment.cubic is not None:
        assert column(experiment, Setup(version), {}).points


class Answering:
    TITLE, CUBIC = "made up", None

    def __init__(self, answers: dict[str, Any]) -> None:
        self.answers = answers

    def claims(self, results: Results) -> dict[str, Any]:
        return self.answers


def test_a_claim_without_an_answer_and_an_answer_without_a_claim_are_refused() -> None:
    results = Results(Setup("cubic"), [], {})
    complete = {"rtts": Measured(1), "seconds": Measured(2)}
    experiment = Experiment("ha2008/sec1-sluggishness", Answering(complete))  # type: ignore[arg-type]
    assert list(experiment.answers(results)) == ["rtts", "seconds"]
    for answers in ({"rtts": Measured(1)}, {**complete, "more": Measured(3)}):
        with pytest.raises(ValueError, match="claims without an answer"):
            Experiment("ha2008/sec1-sluggishness", Answering(answers)).answers(results)  # type: ignore[arg-type]


def test_results_are_taken_seed_by_seed() -> None:
    results = Results(Setup("cubic"), [], {"a": [{"x": 1}, {"x": 4}], "b": [{"x": 2}, {"x": 2}], "once": [{"x": 10}]})
    assert results.each(lambda run: run["a"]["x"] + run["once"]["x"]) == [11, 14]
    assert results.ratio("a", "b", "x") == [0.5, 2.0]
    more = Results(Setup("cubic"), [], {"a": [{"x": 1}, {"x": 4}], "b": [{"x": 2}, {"x": 2}, {"x": 8}]})
    assert more.ratio("a", "b", "x") == [0.5, 2.0]  # the third seed of one point has no partner
    assert more.ratio("b", "b", "x") == [1.0, 1.0, 1.0]
    assert results.mean("a", "x") == 2.5
    assert results.at("a", lambda run: -run["x"]) == [-1, -4]


def test_points_are_chosen_by_what_they_are_about() -> None:
    points = [
        Point(f"{cc}, {rtt}", call=dict, info={"cc": cc, "rtt": rtt}) for cc in ("cubic", "sack") for rtt in (40, 10)
    ]
    points.append(Point("alone", call=dict, info={"cc": "cubic"}))
    results = Results(Setup("cubic"), points, {point.key: [{"x": n}, {"x": n + 2}] for n, point in enumerate(points)})
    assert results.where(cc="cubic") == ["cubic, 40", "cubic, 10", "alone"]
    assert results.where(cc="cubic", rtt=10) == ["cubic, 10"]
    assert results.where(rtt=20) == []
    assert results.swept("rtt") == [10, 40]
    assert results.line(results.where(cc="sack"), "rtt", "x") == ([40, 10], [3.0, 4.0])


def test_name_and_seed_of_a_scenario_do_not_matter_and_its_forms_are_alike() -> None:
    scenario = cwnd.dumbbell({"cubic": 2}, rate="10Mbit/s", rtt="20ms", name="a", seed=7)
    table = json.loads(scenario.to_json())
    forms = [document(Point("p", form)) for form in (scenario, {**table, "name": "b"}, scenario.to_toml())]
    assert {json.dumps({**form, "seed": 0}) for form in forms} == {json.dumps({**forms[0], "seed": 0})}


def test_what_cannot_be_kept_is_refused() -> None:
    import numpy as np

    assert plain({"a": np.float64(1.5), "b": np.arange(2), "c": [math.inf]}, "p") == {
        "a": 1.5,
        "b": [0, 1],
        "c": [math.inf],
    }
    with pytest.raises(ValueError, match=r"p\.a"):
        plain({"a": math.nan}, "p")
    with pytest.raises(ValueError, match="cannot be kept"):
        plain({"a": object()}, "p")


def test_the_text_of_a_function_has_in_it_what_it_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "cwnd_made_up"
    hashes = []
    for factor, unused in ((2, 1), (3, 1), (2, 5)):
        package.mkdir(exist_ok=True)
        (package / "__init__.py").write_text("")
        (package / f"a{factor}{unused}.py").write_text(
            f"__name__ = 'cwnd.made_up'\nFACTOR = {factor}\nUNUSED = {unused}\n"
            "def inner(x):\n    return FACTOR * x\ndef outer(x):\n    return inner(x)\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        import importlib

        importlib.invalidate_caches()
        hashes.append(source_hash(importlib.import_module(f"cwnd_made_up.a{factor}{unused}").outer))
    assert hashes[0] != hashes[1], "a constant of what it calls has changed"
    assert hashes[0] == hashes[2], "a constant that it does not use has not"


def test_arrays_and_tables_among_the_constants_count() -> None:
    import numpy as np

    for first, other in ((np.arange(3), np.arange(4)), ({"a": [1, 2]}, {"a": [1, 3]}), (Setup("cubic"), Setup("sack"))):
        texts: list[dict[str, str]] = [{}, {}, {}]
        for value, seen in zip((first, first, other), texts):
            collect_value("module:NAME", value, seen, set())
        assert texts[0] == texts[1] != texts[2]
