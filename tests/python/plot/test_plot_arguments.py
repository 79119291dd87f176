# SPDX-License-Identifier: MIT OR Apache-2.0
"""The arguments of `cwnd.plot` are the options of `cwnd plot`, and each value of a wrong type is refused in one line."""

from __future__ import annotations

import math
from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import pytest

import cwnd
from cwnd import plot
from cwnd._internal.keyword_names import keys_of
from cwnd.plot.runs.kinds import KINDS as OF_RUNS
from cwnd.plot.studies.kinds import KINDS as OF_STUDIES

SMALL: dict[str, Any] = {"rate": "20Mbit/s", "duration": "1s"}
STUDY = (plot.response, plot.heatmap, plot.fairness, plot.delay_throughput, plot.cdf)
RUN = (plot.windows, plot.throughput, plot.queue, plot.cdf)
WRONG = (3, math.nan, b"bytes", ["a", "b"], {1: "a"}, object(), lambda: None)


@pytest.fixture(scope="module")
def study() -> cwnd.Study:
    return cwnd.sweep(["cubic@beta={0.7,0.85}", "reno"], rtt=["10ms", "40ms"], buffer=["0.5bdp", "2bdp"], **SMALL)


@pytest.fixture(scope="module")
def run() -> cwnd.Result:
    return cwnd.compare(["cubic", "reno"], **SMALL)


def arguments_of(function: Callable[..., object]) -> list[str]:
    """The names of a function's arguments, those of its settings too."""
    parameters = signature(function).parameters.values()
    named = [each.name for each in parameters if each.kind is not Parameter.VAR_KEYWORD]
    return named if len(named) == len(parameters) else [*named, *keys_of(function)]


def test_the_options_of_the_command_are_arguments_of_the_functions() -> None:
    for kinds in (OF_STUDIES, OF_RUNS):
        for name, kind in kinds.items():
            function = getattr(plot, name.replace("-", "_"))
            has = set(arguments_of(function))
            assert kind.arguments | {"width", "ax"} <= has, name
            assert (name in OF_RUNS and name != "cdf") or "where" in has, name


@pytest.mark.parametrize("draw", [*STUDY, *RUN[:-1]], ids=lambda draw: str(draw.__name__))
def test_a_value_of_a_wrong_type_is_refused_in_one_line(
    draw: Callable[..., object], study: cwnd.Study, run: cwnd.Result
) -> None:
    data = study if draw in STUDY else run
    for name in arguments_of(draw)[1:]:
        for value in WRONG:
            with pytest.raises(cwnd.ScenarioError, match=rf"{name}: .* is not accepted; expected ") as refusal:
                draw(data, **{name: value})
            assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("draw", [*STUDY, *RUN[:-1]], ids=lambda draw: str(draw.__name__))
def test_arguments_that_there_are_not_are_refused(
    draw: Callable[..., object], study: cwnd.Study, run: cwnd.Result
) -> None:
    data = study if draw in STUDY else run
    with pytest.raises(cwnd.ScenarioError, match=rf'comparison: "ratio" .*an argument of cwnd.plot.{draw.__name__}'):
        draw(data, comparison="ratio")
    for given in ((), (data, *range(12))):
        with pytest.raises(cwnd.ScenarioError, match=rf"cwnd.plot.{draw.__name__}: .* its arguments, "):
            draw(*given)
    first = next(iter(signature(draw).parameters))
    with pytest.raises(cwnd.ScenarioError, match="its arguments"):
        draw(data, **{first: data})


def test_ratio_is_the_options_name_in_python_too(study: cwnd.Study) -> None:
    names = {"of": "cubic beta=0.85", "against": "cubic beta=0.7", "x": "rtt", "y": "buffer"}
    figure = plot.heatmap(study, **names, ratio=True)
    assert "cubic beta=0.85 / cubic beta=0.7" in str(figure.get_suptitle() or [t.get_text() for t in figure.texts])
