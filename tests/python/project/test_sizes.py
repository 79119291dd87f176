# SPDX-License-Identifier: MIT OR Apache-2.0
"""No file of code is longer than 400 lines, no page has more than 1600 words beside its tables, and the changelog has at most 60 for a version."""

from __future__ import annotations

import re

from test_links import PAGES, ROOT, tracked

#: A page has a sentence a line, so its length is counted in words.
CODE_LINES, PROSE_WORDS, VERSION_LINES = 400, 1600, 60
CODE = ("*.rs", "*.py", "*.c", "*.h", "*.cc", "*.sh", ".ci/*", "Makefile")


def test_no_file_of_code_is_longer_than_400_lines() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in tracked(*CODE)}
    assert len(lengths) > 300
    assert {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > CODE_LINES} == {}


def test_no_page_has_more_than_1600_words_beside_its_tables() -> None:
    prose = {
        path: [word for line in path.read_text().splitlines() if not line.startswith("|") for word in line.split()]
        for path in PAGES
        if path.name != "CHANGELOG.md"
    }
    assert {str(path.relative_to(ROOT)): len(words) for path, words in prose.items() if len(words) > PROSE_WORDS} == {}


def test_the_changelog_has_at_most_60_lines_for_a_version_breaking_changes_first() -> None:
    _, *versions = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert versions
    for text in versions:
        title, *lines = text.rstrip().splitlines()
        assert len(lines) <= VERSION_LINES, title
        parts = [line for line in lines if line.startswith("### ")]
        assert "### Breaking changes" not in parts[1:], title
