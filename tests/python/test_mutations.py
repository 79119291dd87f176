# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which mutations CI restores for a change: never none for a change of what they are built with or judged by."""

from __future__ import annotations

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
    answers = {
        "merge-base": "a" * 40,
        "rev-parse": "b" * 40,
        "diff": changed,
    }

    def git(*arguments: str) -> str:
        if arguments[0] == "show":
            return str((run.HERE / arguments[1].rpartition("/")[2]).read_text())
        return answers[arguments[0]]

    monkeypatch.setattr(run, "git", git)
    chosen: list[object] = run.since("main")
    return chosen
