# SPDX-License-Identifier: MIT OR Apache-2.0
"""A program that uses the package passes `mypy --strict`; a misspelt name, key or keyword in it is found."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

import cwnd
from cwnd.metrics import FlowMeasures, LinkMeasures, Measures, run_measures
from cwnd.metrics.run_measures import by_name
from cwnd.replicates.document import describe

#: Each line is right; what is misspelt in its twin stands after it.
LINES = [
    ('result = cwnd.compare(["cubic:2", "reno"], rtt="40ms", duration="5s")', "rtt", "rrt"),
    ("used: float | None = result.summary['link']['utilization']", "utilization", "utilisation"),
    ("share: float | None = result.summary['flows'][0]['share']", "'share'", "'shares'"),
    ("p95: float | None = result.measures.link.queue_p95_ms.value", "queue_p95_ms", "p95_queue_ms"),
    ("fair: float | None = result.measures.flows.jain.value", "jain", "jains"),
    ("many = cwnd.compare('cubic', seeds=3, folder='out')", "seeds", "sedes"),
    ("assert many.document is not None", "document", "documents"),
    ("mean = many.document['links'][0]['measures']['queue_p95_ms'].get('mean')", "queue_p95_ms", "queue_p95"),
    ("low = many.document['groups'][0]['throughput_mbps'].get('low')", "throughput_mbps", "throughput"),
    ("study = cwnd.sweep('cubic@beta={0.7,0.85}', rate='20Mbit/s', rtt=['10ms', '40ms'], seeds=2)", "rtt=", "rt="),
    ("drawn = cwnd.sweep('cubic', rate='20Mbit/s', rtt='10..40ms', latin=9, codel={}, record_limit='1GB')", "record_limit", "limit"),
    ("link = cwnd.dumbbell({'cubic': 2}, rate='1Mbit/s', rtt='9ms', codel={'target': '5ms'})", "codel", "coddel"),
    ("again = cwnd.run('scenario.toml', lane='sim')", "lane", "line"),
    ("delay = metrics.queueing_delay(result.waits)['p95'].value", "p95", "p59"),
    ("means: int = study.means.num_rows + study.done", "done", "dun"),
]  # fmt: skip


def found_by_mypy(tmp_path: Path, lines: list[str]) -> dict[int, str]:
    """The errors of `mypy --strict` on a program of these lines, by their numbers from 0."""
    program = tmp_path / "program.py"
    program.write_text("\n".join([*lines, ""]))
    options = ["--strict", "--config-file=", "--no-error-summary", "--cache-dir", str(tmp_path / "cache")]
    home = Path(cwnd.__file__).parents[1]
    # Installed from the wheel it is found without being told.
    path = {} if home.name == "site-packages" else {"MYPYPATH": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(program)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **path},
    )
    assert done.returncode in (0, 1), done.stdout + done.stderr
    errors = [line.split(":", 2) for line in done.stdout.splitlines() if "program.py" in line and "error:" in line]
    return {int(number) - 1: why for _, number, why in errors}


@pytest.mark.slow
def test_mypy_finds_what_is_misspelt_and_nothing_else(tmp_path: Path) -> None:
    right = ["import cwnd", "from cwnd import metrics", *(line for line, *_ in LINES)]
    wrong = [line.replace(word, misspelt) for line, word, misspelt in LINES]
    functions = [text for number, line in enumerate(wrong) for text in (f"def f{number}() -> None:", f"    {line}")]
    errors = found_by_mypy(tmp_path, right + functions)
    expected = {len(right) + 2 * number + 1: line for number, line in enumerate(wrong)}
    assert set(errors) == set(expected), errors


# What a run's measures are called is written four times: as objects, in documents, over runs. Units are in the names or in what is computed.
def test_measures_have_the_same_names_everywhere() -> None:
    for made, documents, intervals in (
        (FlowMeasures, run_measures.FlowMeasureDocuments, run_measures.FlowMeasureIntervals),
        (LinkMeasures, run_measures.LinkMeasureDocuments, run_measures.LinkMeasureIntervals),
    ):
        names = [field.name for field in fields(made)]
        assert names == list(get_type_hints(documents)) == list(get_type_hints(intervals))
    result = cwnd.compare(["cubic", "reno"], rate="10Mbit/s", duration="5s", traffic=["ha2008"])
    document = describe(result, result.scenario.groups)
    assert by_name(result.measures.flows).keys() == document["measures"]["flows"].keys()
    assert by_name(result.measures.link).keys() == document["measures"]["links"][0].keys()
    for measures in (result.measures.flows, result.measures.link, *result.measures.groups):
        for name, measure in by_name(measures).items():
            suffix = name.rpartition("_")[2]
            assert (suffix in ("ms", "s")) == (measure.unit in ("ms", "s")), name
            assert suffix == measure.unit or measure.unit in ("", "packets"), name


def test_the_measures_of_a_run_are_those_of_its_summary_and_tables() -> None:
    result = cwnd.compare(["cubic", "reno"], rate="10Mbit/s", duration="10s")
    link = result.summary["link"]
    assert isinstance(result.measures, Measures) and result.measures is result.measures
    assert result.measures.link.utilization.value == link["utilization"]
    assert result.measures.link.queue_p95_ms.value == pytest.approx(link["queue_p95_ms"], rel=1 / 100)
    assert result.measures.link.queue_p95_ms.unit == "ms"
    # Jain: (a + b)² / 2 (a² + b²)
    first, second = (flow["throughput_mbps"] for flow in result.summary["flows"])
    assert result.measures.flows.jain.value == pytest.approx((first + second) ** 2 / (2 * (first**2 + second**2)))
    short = result.measures.flows.convergence_s
    assert short.value is None and "run too short" in short.why
    twin = pickle.loads(pickle.dumps(result))
    assert twin.measures == result.measures
