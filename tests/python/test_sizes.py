# SPDX-License-Identifier: MIT OR Apache-2.0
"""No file of code is longer than 400 lines, and no page has more than 150 beside its tables: the changelog is a list."""

from __future__ import annotations

from test_links import PAGES, ROOT, tracked

CODE_LINES, PROSE_LINES = 400, 150
CODE = ("*.rs", "*.py", "*.c", "*.h", "*.cc", "*.sh", ".ci/*", "Makefile")


def test_no_file_of_code_is_longer_than_400_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in tracked(*CODE)}
    assert len(lengths) > 300
    assert {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > CODE_LINES} == {}


def test_no_page_has_more_than_150_lines_beside_its_tables() -> None:
    prose = {
        path: [line for line in path.read_text().splitlines() if not line.startswith("|")]
        for path in PAGES
        if path.name != "CHANGELOG.md"
    }
    assert {str(path.relative_to(ROOT)): len(lines) for path, lines in prose.items() if len(lines) > PROSE_LINES} == {}
