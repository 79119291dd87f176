# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captions, titles and labels have values as a scenario writes them, never as Python does."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

import cwnd
from cwnd import _native
from cwnd.plot import response
from cwnd.plot.runs.pictures import set_up
from cwnd.plot.runs.variants import variants
from cwnd.scenario.captions import group_words, others_of, own_settings, queues_of, traffic_of
from cwnd.scenario.notation import inner, level_words, notation
from cwnd.scenario.snapshot import scenario_document

ROOT = Path(__file__).parents[3]
#: What a dict, a list of texts, a bool or a null of Python looks like.
PYTHON = re.compile(r"[{\[(]'|': |', '|\bTrue\b|\bFalse\b|\bNone\b")
VALUES: list[object] = [
    *("5ms", 'a "quoted" text', "β", 7, -1, 0.85, 1e-6, True, False),
    *(["a", "b"], [1, 2.5], [], [["0s", "10Mbit/s"], ["5s", "1Mbit/s"]], [{"at": "1s"}]),
    *({"uniform": ["5s", "45s"]}, {"trace": "up.trace"}, {}, {"kind": "normal", "mean": "1ms", "deep": {"on": True}}),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_every_kind_of_value_reads_as_toml(value: object) -> None:
    assert tomllib.loads(f"x = {inner(value)}")["x"] == value
    assert not PYTHON.search(notation(value)) and "\n" not in notation(value)


def test_a_range_is_one_as_in_a_flows_text_and_a_text_has_no_quotes() -> None:
    assert notation({"uniform": ["5s", "45s"]}) == "5s..45s"
    assert notation("5ms") == "5ms" and notation(True) == "true" and notation(0.7) == "0.7"
    assert (
        notation(["a", 1]) == '["a", 1]'
        and notation({"kind": "pareto", "shape": 1.2}) == '{ kind = "pareto", shape = 1.2 }'
    )


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_level_of_a_study_reads_so_too(value: object) -> None:
    stored = json.dumps(value) if isinstance(value, dict | list) else value
    assert level_words(stored) == notation(value)
    assert level_words("{not json") == "{not json"


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda path: path.stem)
def test_the_words_for_a_scenario_have_no_python_in_them(path: Path) -> None:
    scenario = cwnd.Scenario.from_file(path)
    document = scenario_document(scenario)
    words = [group_words("flow", 2, own) for own in own_settings(document)]
    words += [*others_of(scenario, document).values(), *traffic_of(scenario, document), queues_of(document)]
    assert not [each for each in words if PYTHON.search(each)]


def test_captions_and_labels_of_studies_and_runs_have_none() -> None:
    settings = {"rate": "20Mbit/s", "rtt": "40ms", "duration": "2s"}
    flows = ["cubic:2@start=0s..1s,beta={0.7,0.85},pacing=true", "reno@size=100kB"]
    axes = {"flow[0].start": [{"uniform": ["0s", "1s"]}, "0s"]}
    study = cwnd.sweep(flows, buffer=["0.5bdp", "1bdp"], axes=axes, **settings)  # type: ignore[arg-type]
    figure = response(study, x="buffer")
    texts = [text.get_text() for text in figure.findobj(lambda each: hasattr(each, "get_text"))]
    assert any("0s..1s" in text for text in texts)
    run = cwnd.compare(flows[0].replace("{0.7,0.85}", "0.7"), jitter="1ms", **settings)  # type: ignore[arg-type]
    texts += [*study.fixed.values(), *study.means["label"].unique().to_pylist(), *set_up(variants(run))]
    assert not [text for text in texts if PYTHON.search(text)], texts


@pytest.mark.parametrize("discipline", _native.queue_disciplines(), ids=lambda each: each["name"])
def test_every_queue_discipline_has_a_caption_with_its_settings(discipline: _native.QueueDiscipline) -> None:
    assert discipline["title"] == queues_of({"link": {"queue": {"kind": discipline["name"]}}}) != ""
    queue = {"kind": discipline["name"], **dict.fromkeys(discipline["shown"], "5ms")}
    if discipline["shown"]:
        words = ", ".join(f"{key} 5 ms" for key in discipline["shown"])
        assert queues_of({"link": {"queue": queue}}) == f"{discipline['title']} ({words})"


def test_every_cause_of_drops_has_words_of_its_own_in_pictures() -> None:
    words = [cause["picture"] for cause in _native.drop_causes()]
    assert all(words) and len(set(words)) == len(words) >= 4
