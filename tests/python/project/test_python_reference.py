# SPDX-License-Identifier: MIT OR Apache-2.0
"""docs/reference/python*.md have every public name with its meaning, and follow from the sources."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import cwnd
import cwnd.linux
import cwnd.metrics
import cwnd.plot
from tools.docs import python_page
from tools.docs.python_members import members, own_docstring

MODULES = ("cwnd", "cwnd.linux", "cwnd.metrics", "cwnd.plot")


def test_the_pages_are_what_the_sources_say() -> None:
    for path, text in python_page.texts().items():
        assert path.read_text() == text, f"{path.name} is out of date: run make docs"


def test_every_public_name_is_on_a_page() -> None:
    text = "".join(python_page.texts().values())
    for module in MODULES:
        for name, thing in python_page.public(module).items():
            is_there = f"`{module}.{name}" in text or (not callable(thing) and f"`{name}`" in text)
            assert is_there, f"{module}.{name}"
    for thing in (cwnd.Result, cwnd.Study, cwnd.Scenario, cwnd.metrics.LinkMeasures):
        for member in members(thing):
            assert f"| `{member.name}`" in text, member.name


def test_every_keyword_of_a_function_is_on_the_page() -> None:
    text = python_page.texts()[python_page.FOLDER / "python.md"]
    for function in (cwnd.dumbbell, cwnd.compare, cwnd.sweep, cwnd.graph, cwnd.parking_lot):
        section = text.split(f"### {function.__name__}\n")[1].split("\n### ")[0]
        for name in inspect.signature(function).parameters:
            assert f"`{name}`" in section or f"`**{name}`" in section, name
    for kind in python_page.KEYWORDS:
        for key in kind.__annotations__:
            assert re.search(rf"^\| `{key}` \| `[^`]+` \| \S", text, re.MULTILINE), key


# From Python 3.13 on `None.__doc__` is a sentence, "The type of the None singleton."; a static method of the native module has that of its type.
@pytest.mark.parametrize("value", [None, 5, "words", (1, 2), {"a": 1}, staticmethod(5)])
def test_no_page_has_what_python_says_of_its_own_types(value: object) -> None:
    assert own_docstring(value) == ""
    assert own_docstring(members) == own_docstring(staticmethod(members)) == members.__doc__
    assert "Convert a function" not in "".join(python_page.texts().values())


# The unit of a number stands in its name or in its meaning.
def test_numbers_of_results_have_their_unit_in_name_or_meaning() -> None:
    for cls in (cwnd.metrics.Capacity, cwnd.metrics.Rates, cwnd.metrics.Rounds, cwnd.Scenario):
        for member in members(cls):
            if member.type in ("float", "Floats", "tuple[float, float]"):
                assert re.search(r"_(s|ms|mbps)\b|\b(s|segments|Mbit)\b", f"{member.name} {member.meaning}"), member


def module_of(tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "cwnd_sample.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "cwnd_sample", raising=False)
    return importlib.import_module("cwnd_sample")


def test_what_nothing_is_said_of_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = module_of(tmp_path, "def mute(x): ...\ndef f(x, y):\n    'Takes `x`.'\nclass C: ...\n", monkeypatch)
    texts = python_page.Texts()
    with pytest.raises(python_page.MissingTextError, match="mute has no docstring"):
        python_page.function_section("mute", sample.mute, texts)
    with pytest.raises(python_page.MissingTextError, match="f: the parameter y is named neither"):
        python_page.function_section("f", sample.f, texts)
    with pytest.raises(python_page.MissingTextError, match="C has no docstring"):
        python_page.class_section("C", sample.C)
    with pytest.raises(python_page.MissingTextError, match=r"C.a has neither"):
        python_page.member_table("C", [python_page.Member("a", "int", "")])
    assert texts.unused(), "nothing of them was asked for yet"


def test_meanings_of_parameters_that_no_function_has_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = tmp_path / "parameters.toml"
    more.write_text(python_page.PARAMETERS.read_text() + '\n["plot.nothing"]\nx = "a value"\n')
    monkeypatch.setattr(python_page, "Texts", lambda: Texts(more))
    with pytest.raises(python_page.MissingTextError, match=r"plot.nothing.x are parameters of no function"):
        python_page.texts()


Texts = python_page.Texts
