# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every experiment as it should be, and the machinery that runs them."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import math
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cwnd
from cwnd import Scenario, _native
from cwnd.replicates.number_cache import collect_value, source_hash
from cwnd.reproduce import Answer, Measured, Point, Result, Results, Setup
from cwnd.reproduce.claims import claim, claims
from cwnd.reproduce.discover import AnyExperiment, experiments, of_module, select
from cwnd.reproduce.experiment import Experiment
from cwnd.reproduce.numbers import plain, to_json
from cwnd.reproduce.run_folder import verdicts
from cwnd.reproduce.runner import column, scenario_of
from cwnd.result.result import run

KNOWN = experiments()
SETS = {each["name"] for algorithm in _native.algorithms() for each in algorithm["sets"]}


def test_every_claim_has_the_file_of_its_experiment() -> None:
    missing = {each.experiment for each in claims().values()} - KNOWN.keys()
    assert not missing, f"{len(missing)} experiments have no file yet: {', '.join(sorted(missing))}"


def test_every_file_is_an_experiment_of_the_list() -> None:
    assert KNOWN.keys() <= {each.experiment for each in claims().values()}
    assert [experiment.id for experiment in select("ha2008/fig6", KNOWN)] == ["ha2008/fig6"]
    assert {experiment.document for experiment in select("leith2007", KNOWN)} == {"leith2007"}
    with pytest.raises(LookupError):
        select("ha2008/no-figure", KNOWN)


# Today's names recover as today's Linux. No document's hosts did, so such a flow says how it recovers; the second column's CUBIC is told.
@pytest.mark.parametrize("name", KNOWN)
def test_no_flow_of_an_experiment_has_todays_recovery_by_default(name: str) -> None:
    experiment = KNOWN[name]
    for cubic in (experiment.cubic or "cubic", "cubic"):
        for point in experiment.points(Setup(cubic)):
            scenario = None if point.scenario is None else json.loads(scenario_of(point).to_json())
            flows = [*scenario["flow"], *scenario.get("traffic", [])] if scenario else []
            silent = [flow["cc"] for flow in flows if flow.get("cc") in ("cubic", "reno") and "recovery" not in flow]
            assert not silent, f"{point.key}: {silent}"


def test_the_second_columns_cubic_recovers_as_the_rfcs_say() -> None:
    points = KNOWN["ha2008/fig6"].points(Setup("cubic"))
    flows = [flow for point in points for flow in json.loads(scenario_of(point).to_json())["flow"]]
    assert {flow.get("recovery") for flow in flows if flow["cc"] == "cubic"} == {"sack-prr"}
    assert {flow.get("recovery") for flow in flows if flow["cc"] == "sack"} == {None}


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
    path = Path(inspect.getsourcefile(type(experiment)) or "")
    lines = path.read_text().splitlines()
    assert len(lines) <= 170, f"{len(lines)} lines: what others could use belongs into cwnd.metrics or cwnd.plot"
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


def laid_out(experiment: AnyExperiment, *, full: bool) -> dict[str, Any]:
    tasks: dict[str, Any] = {}
    column(experiment, Setup(experiment.cubic or "cubic", full), tasks)
    return tasks


#: Sets whose variables, parameters and clocks differ from the documents' own.
ODD = ("cubic", "cubic-linux", "cubic-2.1", "cubic-freebsd-newreno", "cubic-2.6.18-unfixed", "cubic-2.2-linux")


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("version", ODD)
def test_every_form_of_cubic_can_stand_in_every_experiment(name: str, version: str) -> None:
    experiment = KNOWN[name]
    if experiment.cubic is not None:
        assert column(experiment, Setup(version), {}).points


@dataclass(frozen=True, slots=True)
class Numbers:
    x: float


@dataclass(frozen=True, slots=True)
class Curve:
    cwnd: list[float]
    k: float | None = None


class Answering(Experiment[Numbers | Curve]):
    """Answers what it is told to."""

    title, cubic = "made up", None

    def __init__(self, answers: dict[str, Answer]) -> None:
        self.given = answers

    @property
    def id(self) -> str:
        return "ha2008/sec1-sluggishness"

    def grid(self, setup: Setup) -> list[Point]:
        return [Point("twice", call=dict), Point("twice", call=dict)]

    def claims(self, results: Results[Numbers | Curve]) -> dict[str, Answer]:
        return self.given


def of_numbers(points: Sequence[Point] = (), /, **values: list[float]) -> Results[Numbers]:
    return Results(Setup("cubic"), points, {key: [Numbers(x) for x in xs] for key, xs in values.items()})


def test_a_claim_without_an_answer_and_an_answer_without_a_claim_are_refused() -> None:
    results: Results[Numbers | Curve] = Results(Setup("cubic"), [], {})
    complete: dict[str, Answer] = {"rtts": Measured(1), "seconds": Measured(2)}
    assert list(Answering(complete).answers(results)) == ["rtts", "seconds"]
    for answers in ({"rtts": Measured(1)}, {**complete, "more": Measured(3)}):
        with pytest.raises(ValueError, match="claims without an answer"):
            Answering(dict(answers)).answers(results)


def test_an_experiment_is_a_class_with_a_title_in_the_file_of_its_name() -> None:
    module = ModuleType("cwnd.papers.ha2008.sec9_made_up")
    shared = type("Shared", (Answering,), {"__module__": module.__name__})
    panels = {
        name: type(name, (shared,), {"__module__": module.__name__, "title": name, "__init__": lambda self: None})
        for name in ("A", "B")
    }
    vars(module).update(panels, Shared=shared, Imported=Answering)
    assert [type(experiment) for experiment in of_module(module)] == list(panels.values())
    assert KNOWN["ha2008/fig2-modules"].id == "ha2008/fig2-modules"
    assert type(KNOWN["ha2008/fig5a"]).__module__ == type(KNOWN["ha2008/fig5b"]).__module__ == "cwnd.papers.ha2008.fig5"


def test_two_points_of_one_name_and_a_run_without_a_reduce_are_refused() -> None:
    experiment = Answering({})
    with pytest.raises(ValueError, match="two points are called 'twice'"):
        experiment.points(Setup("cubic"))
    with pytest.raises(TypeError, match="has no reduce"):
        experiment.reduce(None, Point("p"))  # type: ignore[arg-type]
    assert not experiment.has_picture and KNOWN["ha2008/fig6"].has_picture


def test_numbers_come_back_from_the_cache_as_the_class_that_has_their_fields() -> None:
    experiment = Answering({})
    for numbers, fields in (
        (Numbers(1.5), {"x": 1.5}),
        (Curve([1, 2]), {"cwnd": [1, 2]}),
        (Curve([1], k=3), {"cwnd": [1], "k": 3}),
    ):
        assert to_json(numbers, "p") == fields
        assert experiment.numbers(fields) == numbers
    for other in ({}, {"x": 1, "cwnd": []}, {"k": 3}):
        with pytest.raises(ValueError, match="fields of no"):
            experiment.numbers(other)
    with pytest.raises(TypeError, match="no dataclass"):
        to_json({"x": 1}, "p")


def test_results_are_taken_seed_by_seed() -> None:
    results = of_numbers(a=[1, 4], b=[2, 2], once=[10])
    assert results.each(lambda run: run["a"].x + run["once"].x) == [11, 14]
    assert results.ratio("a", "b", "x") == [0.5, 2.0]
    more = of_numbers(a=[1, 4], b=[2, 2, 8])
    assert more.ratio("a", "b", "x") == [0.5, 2.0]  # the third seed of one point has no partner
    assert more.ratio("b", "b", "x") == [1.0, 1.0, 1.0]
    assert results.mean("a", "x") == 2.5
    assert results.at("a", lambda run: -run.x) == [-1, -4]
    assert results.of(Numbers, "a") == Numbers(1)
    with pytest.raises(TypeError, match="Curve"):
        results.of(Curve, "a")


def test_points_are_chosen_by_what_they_are_about() -> None:
    points = [
        Point(f"{cc}, {rtt}", call=dict, info={"cc": cc, "rtt": rtt}) for cc in ("cubic", "sack") for rtt in (40, 10)
    ]
    points.append(Point("alone", call=dict, info={"cc": "cubic"}))
    results = of_numbers(points, **{point.key: [n, n + 2] for n, point in enumerate(points)})
    assert results.where(cc="cubic") == ["cubic, 40", "cubic, 10", "alone"]
    assert results.where(cc="cubic", rtt=10) == ["cubic, 10"]
    assert results.where(rtt=20) == []
    assert results.swept("rtt") == [10, 40]
    assert results.line(results.where(cc="sack"), "rtt", "x") == ([40, 10], [3.0, 4.0])


def test_name_and_seed_of_a_scenario_do_not_matter_and_its_forms_are_alike() -> None:
    scenario = cwnd.dumbbell({"cubic": 2}, rate="10Mbit/s", rtt="20ms", name="a", seed=7)
    table = json.loads(scenario.to_json())
    forms = [scenario_of(Point("p", form)) for form in (scenario, {**table, "name": "b"}, scenario.to_toml())]
    assert {form.with_seed(0) for form in forms} == {scenario.with_name("").with_seed(0)}


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


class Reducing(Experiment[Numbers]):
    """A method that uses members of its object."""

    title, cubic = "made up", None
    rate, unused = 5, 6

    def grid(self, setup: Setup) -> list[Point]:
        return []

    def claims(self, results: Results[Numbers]) -> dict[str, Answer]:
        return {}

    def reduce(self, run: Result, point: Point) -> Numbers:
        return Numbers(self.rate * self.doubled())

    def doubled(self) -> float:
        return 2


@pytest.mark.parametrize(
    ("changed", "is_new"), [({"rate": 6}, True), ({"doubled": lambda self: 3}, True), ({"unused": 7}, False)]
)
def test_the_text_of_a_method_has_in_it_the_members_that_it_uses(
    changed: dict[str, Any], is_new: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if these classes stood in the package, outside which nothing is followed.
    monkeypatch.setattr(Reducing, "__module__", "cwnd.made_up")
    for name in ("reduce", "doubled"):
        monkeypatch.setattr(vars(Reducing)[name], "__module__", "cwnd.made_up")
    before = source_hash(Reducing().reduce)
    for name, value in changed.items():
        if callable(value):
            value.__module__ = "cwnd.made_up"
        monkeypatch.setattr(Reducing, name, value)
    assert (source_hash(Reducing().reduce) != before) == is_new


def test_the_experiment_of_the_guide_is_found_run_and_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "guide" / "experiment.md").read_text()
    stated, text = (
        re.search(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1] for kind in ("toml", "python")
    )  # type: ignore[index]
    (tmp_path / "fig99.py").write_text(text)
    spec = importlib.util.spec_from_file_location("cwnd.papers.ha2008.fig99", tmp_path / "fig99.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    (experiment,) = of_module(module)
    assert experiment.id == "ha2008/fig99"
    rows = [claim(row) for row in tomllib.loads(stated, parse_float=Decimal)["claim"]]
    experiment.__dict__["paper_claims"] = {row.name: row for row in rows}
    # Two seconds of each point are enough for numbers.
    points = [Point(each.key, of_two_seconds(each), info=each.info) for each in experiment.points(Setup("cubic-2.2"))]
    numbers = {point.key: [experiment.reduce(run(point.scenario), point)] for point in points}  # type: ignore[arg-type]
    judged = verdicts(experiment, Results(Setup("cubic-2.2"), points, numbers))
    assert [verdict.claim.id for verdict in judged] == [row.id for row in rows]
    assert experiment.has_picture


def of_two_seconds(point: Point) -> Scenario:
    fields = json.loads(scenario_of(point).to_json()) | {"duration": "2s", "measure": ["1s", "2s"]}
    return Scenario.from_json(json.dumps(fields))
