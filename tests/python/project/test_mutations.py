# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which mutations CI restores for a change, never none for what they are built with or judged by; that each names a text and a test."""

from __future__ import annotations

import re

import pytest
from test_regressions import load

run = load("tests/mutations/run.py")


@pytest.mark.parametrize(
    "changed",
    [
        "tests/mutations/run.py",
        "Cargo.lock",
        "clippy.toml",
        "crates/cwnd/Cargo.toml",
        "crates/cwnd/src/math.rs",
        "crates/cwnd/src/driver/mod.rs",
        "crates/cwnd-link/src/aqm/mod.rs",
        "crates/cwnd-contract/src/random_history.rs",
    ],
)
def test_a_change_of_what_mutations_depend_on_restores_some(changed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < len(since(monkeypatch, changed)) <= run.LIMIT


def test_a_change_of_a_page_restores_none_and_an_unknown_one_some(monkeypatch: pytest.MonkeyPatch) -> None:
    assert since(monkeypatch, "README.md") == []
    assert 0 < len(since(monkeypatch, "")) <= run.LIMIT


def since(monkeypatch: pytest.MonkeyPatch, changed: str) -> list[object]:
    """The mutations for a change of this file alone, with the rows as they are."""
    answers = {"merge-base": "a" * 40, "rev-parse": "b" * 40, "diff": changed}

    def git(*arguments: str) -> str:
        if arguments[0] == "show":
            return str((run.HERE / arguments[1].rpartition("/")[2]).read_text())
        return answers[arguments[0]]

    monkeypatch.setattr(run, "git", git)
    chosen: list[object] = run.since("main")
    return chosen


@pytest.mark.parametrize("mutation", run.mutations(), ids=lambda mutation: f"{mutation['row']}-{mutation['test']}")
def test_the_text_and_the_test_that_a_mutation_names_are_there(mutation: dict[str, str]) -> None:
    run.mutated(run.ROOT, mutation)
    *modules, name = mutation["test"].split("::")
    # A test may be made by a macro or stand in a module of its file; the file's own modules begin its name.
    files = modules_with(run.crate_of(mutation), mutation["in"], name)
    assert any(modules[: len(file)] == file for file in files), (mutation["test"], files)


def modules_with(crate: str, binary: str, name: str) -> list[list[str]]:
    """Of each file of a test binary that has this name in it: the modules that the file stands for."""
    root = run.ROOT / "crates" / crate
    sources = root / "src" if binary == "lib" else root / "tests" / binary
    found = []
    for path in [sources.with_suffix(".rs"), *sources.rglob("*.rs")]:
        if path.exists() and re.search(rf"\b{name}\b", path.read_text()):
            parts = path.relative_to(sources).with_suffix("").parts if path.is_relative_to(sources) else ()
            found.append([part for part in parts if part not in ("main", "lib", "mod")])
    return found
