# SPDX-License-Identifier: MIT OR Apache-2.0
"""A measure has the same names in `sweep`, `diff`, `plot`, `--until` and `--fail-if`."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli

import cwnd
from cwnd._internal.terminal import Printer
from cwnd.diff.conditions import Condition
from cwnd.metrics.names import WORDS, measure_named, measures_in, spellings, words_for
from cwnd.plot.runs.distribution import MEASURES as OF_RUNS
from cwnd.plot.studies.selection import choose
from cwnd.replicates import report as of_seeds
from cwnd.replicates.document import TIMES
from cwnd.replicates.rows import MEASURES
from cwnd.result import report as of_run
from cwnd.study import report as of_study
from cwnd.study.precision import Precision
from cwnd.study.report import table_of


@pytest.fixture(scope="module")
def study() -> cwnd.Study:
    """A long flow, short transfers and datagrams, so that each kind of measure is there."""
    return cwnd.sweep(
        ["cubic@beta={0.7,0.85}", "reno:2@size=100kB,start=2s..4s"],
        rate="10Mbit/s",
        rtt="20ms",
        buffer="0.5bdp",
        duration="6s",
        seeds=2,
        traffic=[{"model": "udp", "rate": "200kbit/s"}],
    )


def test_a_spelling_means_one_measure() -> None:
    for name in MEASURES:
        for spelling in spellings(name):
            assert measure_named("measures", spelling, sorted(MEASURES)) == name, spelling
    # `queue_ms` and `completion_s` are distributions within runs, drawn by `cwnd plot --kind cdf`.
    assert set(WORDS) - MEASURES == {"queue_ms", "completion_s"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("p95 completion time", "completion_p95_s"),
        ("Completion time, 95th percentile", "completion_p95_s"),
        ("completion_p95", "completion_p95_s"),
        ("completion-p95-s", "completion_p95_s"),
        ("completion time", "completion_mean_s"),
        ("throughput", "throughput_mbps"),
        ("median queueing delay", "queue_p50_ms"),
        ("max queueing delay", "queue_max_ms"),
        ("drop run", "drop_run"),
        ("Jain’s  index", "jain"),
    ],
)
def test_words_and_names_without_units_are_names_too(text: str, name: str) -> None:
    assert measure_named("measures", text, sorted(MEASURES)) == name


def test_the_words_that_reports_print_are_names_too() -> None:
    formats = [
        *(row[:2] for row in of_run.COLUMNS),
        *(row[:2] for rows in (of_study.GROUP, [of_study.FAILED], of_study.LINK, of_study.TRANSFERS) for row in rows),
        *(
            row[:2]
            for rows in (
                of_seeds.COLUMNS,
                of_seeds.GROUP,
                of_seeds.CONVERGED,
                of_seeds.LINK,
                of_seeds.DELAY,
                of_seeds.TRAFFIC,
            )
            for row in rows
        ),
    ]
    # Statistics under a heading to their left; the rate of a link, whose heading is that of a flow's throughput; and two measures of one number.
    left_out = {("Mbit/s", "capacity_mbps"), ("started", "transfers")}
    statistics = {"p50", "p95", "p99", "max"}
    named = {row for row in formats if row[1] in MEASURES and row[0] not in statistics} - left_out
    # Of links, traffic and transfers of a run, and of its lines.
    named |= {
        ("delay ms", "queue_mean_ms"),
        ("used", "utilization"),
        ("lost", "loss_rate"),
        ("marked", "marks"),
        ("offered", "offered_mbps"),
        ("carried", "carried_mbps"),
        ("started", "started"),
        ("ended", "finished"),
        ("datagrams", "datagrams"),
        ("utilisation", "utilization"),
        ("Jain index", "jain"),
        ("queueing delay", "queue_mean_ms"),
        ("dropped", "drops"),
    }
    assert {("Mbit/s", "throughput_mbps"), ("mean cwnd", "cwnd_mean"), ("took s: mean", "completion_mean_s")} <= named
    for heading, name in sorted(named):
        assert measure_named("measures", heading, sorted(MEASURES)) == name, heading


def test_a_list_may_have_the_words_of_captions() -> None:
    known = sorted(MEASURES)
    assert measures_in("measures", "queueing delay, 95th percentile, share,throughput , share", known) == [
        "queue_p95_ms",
        "share",
        "throughput_mbps",
    ]
    for text in ("share,", "", "share,,jain"):
        with pytest.raises(cwnd.ScenarioError, match='measures: "" is not accepted; expected a measure'):
            measures_in("measures", text, known)


@pytest.mark.slow
def test_what_one_command_takes_all_take(study: cwnd.Study) -> None:
    there = sorted(set(study.means["measure"].to_pylist()))
    assert {"completion_p95_s", "throughput_mbps", "carried_mbps", "jain", "queue_p95_ms"} <= set(there)
    difference = cwnd.diff(study, between="beta=0.7,0.85")
    # What has a value in both.
    compared = {effect.measure for effect in difference.over_points if effect.n}
    for name in there:
        has_value = any(row["value"] is not None for row in study.means.to_pylist() if row["measure"] == name)
        for text in {*spellings(name), *words_for(name), name.upper()}:
            if has_value:
                assert choose(study, text).measure == name, text
            if name in compared:
                assert Condition.of(f"{text} > +5", difference).measure == name, text
                only = cwnd.diff(study, between="beta=0.7,0.85", measures=text)
                assert {effect.measure for effect in only.over_points} == {name}, text
            if name not in TIMES:
                assert Precision.of(f"5% of {text}").measures == [name], text


def test_a_wrong_name_is_refused_with_the_nearest_in_every_place(study: cwnd.Study, tmp_path: Path, cwnd: Cli) -> None:
    from cwnd import ScenarioError, diff

    difference = diff(study, between="beta=0.7,0.85")
    for refused in (
        lambda: choose(study, "p95 completion tyme"),
        lambda: diff(study, between="beta=0.7,0.85", measures="p95 completion tyme"),
        lambda: Condition.of("p95 completion tyme > 5%", difference),
        lambda: Precision.of("5% of p95 completion tyme"),
        lambda: choose(study, 3),  # type: ignore[arg-type]
    ):
        with pytest.raises(
            ScenarioError, match=r"did you mean .*p95 completion time|3 is not accepted; expected a measure"
        ):
            refused()
    # Before anything runs.
    done = cwnd("sweep", "cubic", "--measures", "p95 completion tyme", "-o", tmp_path / "none")
    assert done.returncode == 2 and "did you mean p95 completion time" in done.stderr, done.stderr
    assert not (tmp_path / "none").exists()


def test_a_name_that_is_near_none_is_refused_with_a_few_examples(study: cwnd.Study) -> None:
    for text in ("zzzqqq", "", "?" * 5000):
        for refused in (
            lambda text=text: measure_named("measures", text, sorted(MEASURES)),
            lambda text=text: choose(study, text),
            lambda text=text: cwnd.plot.response(study, measure=text),
            lambda text=text: cwnd.plot.heatmap(study, measure=text),
        ):
            with pytest.raises(
                cwnd.ScenarioError, match=r"expected a measure.*, such as throughput, .*p95 queueing delay"
            ) as caught:
                refused()
            assert len(str(caught.value)) < 450 and "\n" not in str(caught.value)
    # Few measures are listed.
    with pytest.raises(cwnd.ScenarioError, match=f"{', '.join(OF_RUNS)}$"):
        measure_named("measure", "zzzqqq", OF_RUNS)


def test_a_measure_whose_words_have_of_in_them_is_no_group(study: cwnd.Study) -> None:
    difference = cwnd.diff(study, between="beta=0.7,0.85")
    assert Condition.of("share of the link > 5%", difference).label is None
    of_reno = Condition.of("share of the link of reno > 5%", difference)
    assert (of_reno.measure, of_reno.label) == ("share", "reno")


def test_a_distribution_within_runs_has_its_words(study: cwnd.Study) -> None:
    named = [measure_named("measure", text, OF_RUNS) for text in ("queueing delay", "completion time", "throughput")]
    assert named == list(OF_RUNS)


def test_a_sweep_prints_the_measures_that_are_asked_for(study: cwnd.Study, capsys: pytest.CaptureFixture[str]) -> None:
    assert table_of(study, ["completion_p95_s", "throughput_mbps", "failures"], Printer()) == ["failures"]
    shown = capsys.readouterr().out
    assert "completion_p95_s" in shown and "throughput_mbps" in shown and "queue" not in shown and "share" not in shown
    # Two points with two groups each, and transfers of one group.
    lines = [line.split() for line in shown.splitlines() if line.startswith((" cubic", " reno"))]
    assert [line[0] for line in lines] == ["cubic", "reno", "cubic", "reno", "reno,", "reno,"]
    table_of(study, ["queue_p95_ms", "retransmits", "carried_mbps", "jain"], Printer())
    shown = capsys.readouterr().out
    assert "retransmits (packets)" in shown and " link " in shown and " traffic " in shown and "all flows" in shown


def test_the_command_prints_them_instead_of_its_own(cwnd: Cli) -> None:
    flows = ("cubic", "reno@size=50kB,start=1s", "--duration", "2s", "--rate", "10Mbit/s")
    done = cwnd("sweep", *flows, "--measures", "p95 completion time,failures")
    assert "completion_p95_s" in done.stdout and "Mbit/s" not in done.stdout
    assert "--measures: no run of this study has failures" in done.stderr
