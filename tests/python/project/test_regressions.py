# SPDX-License-Identifier: MIT OR Apache-2.0
"""Faults that others had: every row has a test or a reason, every mutation still finds its text."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tools.docs import regressions

ROOT = Path(__file__).parents[3]


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def test_every_row_has_a_test_or_a_reason_and_every_tag_a_row() -> None:
    assert regressions.unfounded() == []


@pytest.mark.slow
def test_the_page_has_the_rows_and_tests_of_today() -> None:
    assert (ROOT / "docs" / "reference" / "regressions.md").read_text() == regressions.page()


def test_a_tag_names_its_rows() -> None:
    assert list(regressions.named("A1 to A3, K1 and GV2")) == ["A1", "A2", "A3", "K1", "GV2"]


def test_every_mutation_finds_its_text_once_and_one_that_does_not_says_so() -> None:
    run = load("tests/mutations/run.py")
    mutations = run.mutations()
    assert len({mutation["row"] for mutation in mutations}) >= 15
    for mutation in mutations:
        assert run.mutated(ROOT, mutation)
    with pytest.raises(SystemExit, match=r"mutation K1 .* is there 0 times"):
        run.mutated(ROOT, {**mutations[0], "row": "K1", "old": "no such text"})
