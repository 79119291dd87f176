# SPDX-License-Identifier: MIT OR Apache-2.0
"""docs/first-change.md: its edits do to the tests of the core, and to the kernel's recorded calls, what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import cargo
from test_regressions import load

from tools import DOCS, ROOT

PAGE = (DOCS / "first-change.md").read_text()
FILE = "crates/cwnd/src/algorithms/scalable.rs"
#: A text of the file, and what it is replaced with.
Edit = tuple[str, str]


def edits() -> list[Edit]:
    """The page's edits, in their order."""
    pairs = re.findall(r"replace\n\n```rust\n(.*?)\n```\n\nwith\n\n```rust\n(.*?)\n```", PAGE, re.DOTALL)
    return [(old, new) for old, new in pairs]


def test_the_page_edits_texts_that_are_there_once() -> None:
    source = (ROOT / FILE).read_text()
    assert FILE in PAGE and len(edits()) == 3
    assert all(source.count(old) == 1 for old, _ in edits())
    assert all(f"fn {name}(" in source for name in re.findall(r"[Ii]n (?:the test )?`(\w+)`, replace", PAGE))


@pytest.mark.slow
@cargo
def test_the_constant_fails_two_tests_in_the_pages_words_and_the_edits_mend_them(tmp_path: Path) -> None:
    tree = load("tests/mutations/run.py").copy(tmp_path / "tree")
    # Under another version, as in test_contributing.
    manifest = tree / "Cargo.toml"
    manifest.write_text(re.sub(r'^version = "[^"]*"$', 'version = "0.0.0-guide"', manifest.read_text(), flags=re.M))

    def tested(*chosen: Edit, of: tuple[str, ...] = ("--lib", "scalable")) -> subprocess.CompletedProcess[str]:
        text = (ROOT / FILE).read_text()
        for old, new in chosen:
            text = text.replace(old, new)
        (tree / FILE).write_text(text)
        command = ["cargo", "test", "--quiet", "--offline", "--target-dir", str(ROOT / "target"), "-p", "cwnd"]
        return subprocess.run([*command, *of], cwd=tree, capture_output=True, text=True, check=False)

    constant, *tests = edits()
    failed = tested(constant)
    assert failed.returncode == 101 and "2 failed" in failed.stdout, failed.stdout + failed.stderr
    (said,) = re.findall(r"say what they expected:\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    for line in said.splitlines():
        assert line in failed.stdout, failed.stdout
    (differs,) = re.findall(r"its message contains:\n\n```text\n(.*?)\n```", PAGE, re.DOTALL)
    replayed = tested(constant, of=("--test", "golden"))
    assert replayed.returncode == 101 and differs in replayed.stdout + replayed.stderr, replayed.stdout
    mended = tested(constant, *tests)
    assert mended.returncode == 0, mended.stdout + mended.stderr
