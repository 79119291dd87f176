# SPDX-License-Identifier: MIT OR Apache-2.0
"""The table of keywords: what Python's functions, their types and their help say follows from it."""

from __future__ import annotations

from typing import get_type_hints

import pytest

import cwnd
from cwnd.scenario import keyword_types
from cwnd.scenario.builders import keys_of
from cwnd.scenario.keywords import AXES, KEYWORDS, QUEUES

FUNCTIONS = {
    "compare": cwnd.compare,
    "dumbbell": cwnd.dumbbell,
    "parking_lot": cwnd.parking_lot,
    "graph": cwnd.graph,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_takes_the_keywords_that_its_builder_has(name: str) -> None:
    function = FUNCTIONS[name]
    required = {"dumbbell": {"rtt"}, "parking_lot": {"hops", "delay"}, "graph": {"links"}}.get(name, set())
    rows = {key for key, row in KEYWORDS.items() if name in row["builders"]}
    taken = (set(keys_of(function)) | required) & {*KEYWORDS, *QUEUES}
    assert taken == rows | (set() if name == "graph" else set(QUEUES))


def test_the_types_are_written_from_the_table() -> None:
    from tools.docs.keyword_types import TARGET, text

    assert TARGET.read_text(encoding="utf-8") == text(), "run make docs"


def test_of_a_study_the_axes_take_several_values() -> None:
    hints = get_type_hints(keyword_types.AxisSettings)
    assert {name for name, kind in hints.items() if kind == keyword_types.Axis | None} == set(AXES)


def test_help_in_python_lists_each_keyword_once() -> None:
    said = cwnd.dumbbell.__doc__ or ""
    for name in keys_of(cwnd.dumbbell):
        assert said.count(f"\n    {name}: ") == 1, name
    assert f"    jitter: {KEYWORDS['jitter']['help']}" in said


def test_axes_have_the_order_of_the_table_whatever_the_order_of_the_call() -> None:
    study = cwnd.sweep("cubic", buffer=["1bdp", "2bdp"], rate=["1Mbit/s", "2Mbit/s"], duration="1s")
    points = dict.fromkeys((row["rate"], row["buffer"]) for row in study.means.to_pylist())
    assert list(points) == [(f"{rate}Mbit/s", f"{size}bdp") for rate in (1, 2) for size in (1, 2)]
