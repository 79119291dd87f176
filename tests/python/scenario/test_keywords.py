# SPDX-License-Identifier: MIT OR Apache-2.0
"""The table of keywords: what Python's functions, their types and their help say follows from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_type_hints

import pytest

import cwnd
from cwnd.scenario import keyword_types
from cwnd.scenario.builders import keys_of
from cwnd.scenario.keywords import AXES, KEYWORDS, QUEUES, meaning

FUNCTIONS = {"compare": cwnd.compare, "dumbbell": cwnd.dumbbell, "parking_lot": cwnd.parking_lot, "graph": cwnd.graph}


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


@pytest.mark.parametrize("function", [*FUNCTIONS.values(), cwnd.compare_command, cwnd.sweep])
def test_help_in_python_lists_each_keyword_of_a_scenario_once(function: Callable[..., object]) -> None:
    said = function.__doc__ or ""
    for name in {*KEYWORDS, *QUEUES} & set(keys_of(function)):
        assert said.count(f"\n    {name}: ") == 1, name
    assert f"    interval: {meaning(KEYWORDS['interval'])}" in said and "(100ms)" in said


# Iterators are read once: the command has what the scenario has.
def test_a_command_has_what_iterators_give() -> None:
    assert cwnd.compare_command(iter(["cubic"])) == "cwnd compare cubic"
    assert cwnd.compare_command("cubic", traffic=iter(["ha2008"])) == "cwnd compare cubic --traffic ha2008"
    assert cwnd.compare_command("cubic", actions=iter([{"stop": {"flow": "cubic", "at": "4s"}}])) is None


def test_axes_have_the_order_of_the_table_whatever_the_order_of_the_call() -> None:
    study = cwnd.sweep("cubic", buffer=["1bdp", "2bdp"], rate=["1Mbit/s", "2Mbit/s"], duration="1s")
    points = dict.fromkeys((row["rate"], row["buffer"]) for row in study.means.to_pylist())
    assert list(points) == [(f"{rate}Mbit/s", f"{size}bdp") for rate in (1, 2) for size in (1, 2)]


@pytest.mark.parametrize(
    ("settings", "axes", "field"),
    [
        ({"rtt": "10ms"}, {"link.rtt": ["1ms", "2ms"]}, "rtt"),
        ({"duration": "1s"}, {"duration": ["1s", "2s"]}, "duration"),
        ({"buffer": "1bdp"}, {"link.queue.limit": ["1bdp", "2bdp"]}, "buffer"),
        ({"rtt": ["1ms", "2ms"]}, {"link.rtt": ["3ms", "4ms"]}, "axes"),
    ],
)
def test_what_an_axis_would_replace_is_refused(
    settings: dict[str, object], axes: dict[str, object], field: str
) -> None:
    with pytest.raises(cwnd.ScenarioError) as refusal:
        cwnd.sweep("cubic", axes, **{"duration": "1s", **settings} if field != "duration" else settings)  # type: ignore[arg-type]
    assert refusal.value.field == field
