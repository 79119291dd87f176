# SPDX-License-Identifier: MIT OR Apache-2.0
"""Completion times of which a seed has none, as its transfers did not end within the run: the mean of the others has no interval."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import plot
from cwnd.diff.compute import Comparing, Series, effect_of, series
from cwnd.diff.conditions import Condition
from cwnd.diff.results import Difference
from cwnd.diff.sides import Key, Numbers, Subject
from cwnd.diff.statistics import Samples
from cwnd.metrics.confidence_intervals import IntervalDocument
from cwnd.metrics.measure_type import Measure
from cwnd.replicates.document import over_measure
from cwnd.replicates.left_out import reason_of
from cwnd.replicates.report import formatted, reasons, star_line
from cwnd.replicates.rows import RunNumbers
from cwnd.replicates.tables import by_number
from cwnd.study.report import table, table_of

#: In the run of seed 1 with β 0.7 more than one in twenty of these objects does not end within 6 s; all other runs have a p95.
UNFINISHED = {
    "model": "mix",
    "share": 0.44,
    "size": {"kind": "lognormal", "median": "60kB", "sigma": 1.5, "at_most": "5MB"},
    "cc": "cubic@host=linux",
}


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unfinished") / "study"
    settings = {"rate": "20Mbit/s", "rtt": "40ms", "duration": "6s", "measure": ("1s", "4s")}
    axes = {"traffic.beta": [0.7, 0.85]}
    package.sweep(["reno@recovery=sack-prr"], axes, **settings, seeds=6, traffic=[UNFINISHED], folder=folder)  # type: ignore[arg-type]
    return folder


def test_a_mean_without_a_seed_that_did_not_end_has_no_interval_and_a_line_says_so(
    unfinished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = package.load(unfinished)
    assert isinstance(study, package.Study)
    p95 = [row for row in study.runs.to_pylist() if row["measure"] == "completion_p95_s" and row["beta"] == 0.7]
    assert [row["seed"] for row in p95 if row["value"] is None] == [1]
    mean = sum(row["value"] for row in p95 if row["seed"] != 1) / 5
    reason = "1 of 6 runs left out (fewer than 95% of the transfers ended); the mean is of the other 5"
    line = f"* mix, forward, beta=0.7, completion_p95_s: {reason}"
    table_of(study, ["completion_p95_s"])
    asked = capsys.readouterr().out
    assert line in asked.splitlines() and f" {mean:#.4g}*" in asked and asked.count("±") == 1 and "≥" not in asked
    means = [row for row in study.means.to_pylist() if row["measure"] == "completion_p95_s"]
    assert [(row["low"] is None, row["high"] is None) for row in means if row["beta"] == 0.7] == [(True, True)]
    assert all(row["low"] is not None for row in means if row["beta"] == 0.85)
    # The table without a choice of measures has three of them: mean, p95 and p99.
    table(study)
    whole = capsys.readouterr().out
    assert line in whole.splitlines() and whole.count("\n* ") == 3 and "≥" not in whole
    (picture,) = [plot.response(study, "beta", "p95 completion time")]
    assert "1 value without the seeds whose transfers did not end" in " ".join(picture.get_supxlabel().split())


def test_a_pair_that_did_not_end_is_said_and_decides_nothing_for_its_side(cwnd: Cli, unfinished: Path) -> None:
    def lines(*more: str) -> list[str]:
        done = cwnd("diff", unfinished, "--between", *more, "--measures", "p95 completion time")
        assert done.returncode == 0, done.stderr
        return [" ".join(line.split()) for line in done.stdout.splitlines()]

    there, back = lines("beta=0.7,0.85"), lines("beta=0.85,0.7")
    line = "* mix, forward, completion_p95_s: 1 pair left out"
    assert (
        f"{line} (A: fewer than 95% of the transfers ended); A's transfers did not end in 1; undecided without them"
        in there
    )
    assert (
        f"{line} (B: fewer than 95% of the transfers ended); B's transfers did not end in 1; undecided without them"
        in back
    )
    assert any(row.startswith("completion_p95_s 0.9959 1.077") and row.endswith("* undecided") for row in there)
    assert any(row.startswith("completion_p95_s 1.077 0.9959") and row.endswith("* undecided") for row in back)
    apart = lines("beta=0.7,0.85", "--unpaired")
    assert any(
        "1 value left out (A: fewer than 95% of the transfers ended); A's transfers did not end in 1; undecided" in each
        for each in apart
    )
    found = package.diff(unfinished, between="beta=0.7,0.85", measures=["completion_p95_s"])
    (effect,) = found.over_points
    assert (effect.n, effect.undefined, effect.unended_a, effect.unended_b, effect.unended_both) == (5, 1, 1, 0, 0)
    assert found.table["unended_a"].to_pylist() == [1]


# Of ten pairs two are without a value: those that are left say that B is higher by about 1 s.
@pytest.mark.parametrize(
    ("unended", "verdict", "above", "below"),
    [
        ((0, 0, 0), "higher", "met", "not met"),
        ((0, 2, 0), "undecided", "undecided", "undecided"),
        ((0, 0, 2), "undecided", "undecided", "undecided"),
        ((2, 0, 0), "undecided", "undecided", "undecided"),
    ],
)
def test_nothing_is_decided_without_pairs_whose_transfers_did_not_end(
    unended: tuple[int, int, int], verdict: str, above: str, below: str
) -> None:
    a = [1.0, 1.1, 0.9, 1.0, 1.2, 0.8, 1.0, 1.1]
    samples = Samples(a, [each + 1 + index / 100 for index, each in enumerate(a)], paired=True)
    series = Series(
        samples, (range(8), range(8)), sum(unended), "fewer than 95% of the transfers ended", unended=unended
    )
    effect = effect_of(series, ("transfers", "mix", "mix"), "completion_p95_s", "s", Comparing())
    difference = Difference("a", "b", [], [effect], [effect], 1, [], True, 0.95, "t")
    assert (effect.verdict, effect.decided) == (verdict, verdict == "higher")
    for text, outcome in (("completion_p95_s > 0.5s", above), ("completion_p95_s < -0.5s", below)):
        assert Condition.of(text, difference).judge(effect, difference) == outcome, text
    same = effect_of(
        replace(series, samples=Samples(a, a, paired=True)),
        ("transfers", "mix", "mix"),
        "completion_p95_s",
        "s",
        Comparing(),
    )
    assert same.verdict == ("undecided" if any(unended) else "same")


def test_a_pair_counts_for_each_side_whose_transfers_did_not_end() -> None:
    key = Key((), Subject("transfers", 0), "completion_p95_s")
    ours, theirs = Numbers([]), Numbers([])
    ours.values[key], theirs.values[key] = {1: None, 2: None, 3: None, 4: 1.0}, {1: None, 2: None, 3: 1.0, 4: 1.0}
    ours.unfinished[key], theirs.unfinished[key] = {1, 2, 3}, {2}
    found = series(ours, theirs, (key, key), Comparing())
    # Under seed 1 nothing started in B, under 2 neither ended, under 3 A did not.
    assert (found.undefined, found.unended, found.samples.n) == (3, (2, 0, 1), 1)
    # A pair that is left alone has no interval because the others have no value.
    found = replace(found, why="1 of 3 transfers did not end")
    assert effect_of(found, ("transfers", "mix", "mix"), key.measure, "s", Comparing()).why == found.why


def test_each_reason_is_said_with_its_number_of_runs() -> None:
    one, two, none = "1 of 3 transfers did not end", "2 of 3 transfers did not end", "no transfer started"
    assert reason_of([none]) == none and reason_of([]) == "" and reason_of([one, one]) == one
    assert reason_of([one, two]) == "transfers did not end"
    assert reason_of([none, one, none, one]) == f"in 2 runs: {one}; in 2: {none}"
    measured = [Measure(value, "s", why).document() for value, why in ((0.4, ""), (None, one), (None, none), (0.6, ""))]
    assert star_line("mix", "mean", over_measure("mean", measured)) == (
        f"* mix, mean: 2 of 4 runs left out (in 1 run: {one}; in 1: {none}); the mean is of the other 2"
    )


# Of 0.4 s and 0.6 s by hand: Student's t of one degree of freedom is 12.7, the standard error 0.1 s.
def test_a_mean_of_the_runs_whose_transfers_ended_has_no_interval_in_documents_and_tables() -> None:
    def over(why: str) -> IntervalDocument:
        runs = [Measure(value, "s", "" if value else why).document() for value in (0.4, 0.6, None)]
        return over_measure("mean", runs)

    selected, started = over("1 of 9 transfers did not end"), over("no transfer started")
    assert selected["mean"] == 0.5 and selected["low"] is None and selected["high"] is None
    assert formatted(selected, 1, 2) == "0.50*" and formatted(started, 1, 1) == "0.5 ± 1.3*"
    run = package.compare(["reno"], rate="20Mbit/s", duration="6s", seeds=2, traffic=[{**UNFINISHED, "share": 0.9}])
    assert isinstance(run, package.Replicates)
    said = [line for line in reasons(run.document) if "100kB..1MB" in line or "1MB..10MB" in line]
    assert said and all("did not end" in line or "ended)" in line for line in said)


# In the runs of six seeds about four objects start, so two runs have none of 100kB..1MB, and three none below 10 kB.
def test_a_table_of_means_counts_runs_without_a_transfer_as_the_document_does() -> None:
    traffic = [{**UNFINISHED, "share": 0.05}]
    run = package.compare(["reno"], rate="20Mbit/s", duration="6s", seeds=6, traffic=traffic)
    assert isinstance(run, package.Replicates) and run.document is not None
    (transfers,) = run.document["transfers"]
    found = {row["measure"]: row for row in run.means.to_pylist() if row["of"] == "transfers"}
    assert {row["n"] + row["undefined"] for row in found.values()} == {6}
    undefined = []
    for each in transfers["by_size"]:
        mean, row = each["completion_s"]["mean"], found[f"completion_mean_{each['size']}_s"]
        assert (row["n"], row["undefined"], row["why"]) == (mean["n"], mean.get("undefined", 0), mean.get("why", ""))
        undefined.append(row["undefined"])
    assert sorted(undefined) == [0, 2, 3]


def test_counts_of_a_run_without_a_group_of_transfers_are_0_and_its_times_undefined() -> None:
    def rows(*given: tuple[str, str, float]) -> RunNumbers:
        return {"packets": 1, "rows": [[of, 0, "mix", measure, value, "", ""] for of, measure, value in given]}

    some = rows(("traffic", "transfers", 2.0), ("transfers", "started", 2.0), ("transfers", "completion_mean_s", 0.5))
    found = by_number({(0, 1): some, (0, 2): rows()})[0]
    assert {row.measure: (values, count, why) for row, values, count, why in found} == {
        "transfers": ([2.0, 0.0], 0, ""),
        "started": ([2.0, 0.0], 0, ""),
        "completion_mean_s": ([0.5], 1, "no transfer started"),
    }


# At 10 Mbit/s and 40 ms five of six pairs end within 5 s, and their interval (1.8 s to 4.2 s) is above 0; at 20 Mbit/s all six end.
def test_a_map_decides_nothing_where_transfers_did_not_end() -> None:
    flows, axes = ["cubic@size=2MB", "reno@size=500kB"], {"rate": ["10Mbit/s", "20Mbit/s"], "rtt": ["40ms", "60ms"]}
    study = package.sweep(flows, axes, loss="random:0.01", buffer="50packets", duration="5s", seeds=6)
    runs = [row for row in study.runs.to_pylist() if row["measure"] == "completion_mean_s" and row["rtt"] == "40ms"]
    assert [row["rate"] for row in runs if row["value"] is None] == ["10Mbit/s"]
    figure = plot.heatmap(study, measure="completion_mean_s", of="cubic, forward", against="reno, forward")
    hatched = {tuple(patch.get_xy()) for patch in figure.axes[0].patches if patch.get_hatch()}
    assert (-0.5, -0.5) in hatched and (0.5, -0.5) not in hatched
