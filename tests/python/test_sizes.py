# SPDX-License-Identifier: MIT OR Apache-2.0
"""No file of code is longer than 400 lines, and no page has more than 150 beside its tables: the changelog is a list."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from test_links import PAGES, ROOT, tracked

CODE_LINES, PROSE_LINES = 400, 150
CODE = ("*.rs", "*.py", "*.c", "*.h", "*.cc", "*.sh", ".ci/*", "Makefile")


def test_no_file_of_code_is_longer_than_400_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in tracked(*CODE)}
    assert len(lengths) > 300
    assert {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > CODE_LINES} == {}


@pytest.mark.skipif(
    shutil.which("cargo") is None and os.environ.get("CI") != "true", reason="it needs cargo: Rust 1.89 or newer"
)
def test_the_crates_that_others_adopt_are_packages_of_less_than_200_kb(tmp_path: Path) -> None:
    crates = ("cwnd", "cwnd-quinn", "cwnd-noq")
    # Offline: the packages among them stand for each other, as they would when they are published together.
    command = [
        "cargo",
        "package",
        "--offline",
        "--no-verify",
        "--allow-dirty",
        *(word for crate in crates for word in ("-p", crate)),
    ]
    done = subprocess.run(
        [*command, "--target-dir", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    sizes = {path.name: path.stat().st_size for path in (tmp_path / "package").glob("*.crate")}
    assert len(sizes) == len(crates) and max(sizes.values()) < 200_000, sizes


def test_no_page_has_more_than_150_lines_beside_its_tables() -> None:
    prose = {
        path: [line for line in path.read_text().splitlines() if not line.startswith("|")]
        for path in PAGES
        if path.name != "CHANGELOG.md"
    }
    assert {str(path.relative_to(ROOT)): len(lines) for path, lines in prose.items() if len(lines) > PROSE_LINES} == {}
