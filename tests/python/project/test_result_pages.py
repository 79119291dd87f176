# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pages of results: each is in the index, and gives the date of its numbers before its first table. Logs are there too, but not in the site's navigation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
READS = ("docs/results/**/*.md",)
RESULTS = ROOT / "docs" / "results"
INDEX = RESULTS / "README.md"
PAGES = sorted(path for path in RESULTS.rglob("*.md") if path != INDEX)
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b\d{{1,2}} (?:{MONTHS}) \d{{4}}\b|\b\d{{4}}-\d{{2}}-\d{{2}}\b")


def names(pages: list[Path]) -> list[str]:
    return sorted(path.relative_to(RESULTS).as_posix() for path in pages)


def is_dated(text: str) -> bool:
    """Whether a page has a date before its first table."""
    return DATE.search(text.partition("\n|")[0]) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_gives_the_date_of_its_numbers_before_its_first_table(page: Path) -> None:
    assert is_dated(page.read_text())


def test_a_page_whose_date_comes_late_is_noticed() -> None:
    assert is_dated("# Speed\n\nMeasured on 3 March 2027.\n\n| a |\n")
    assert is_dated("# Speed\n\nMeasured 2027-03-03.\n\n| a |\n")
    assert not is_dated("# Speed\n\n| a |\n| --- |\n\nMeasured on 3 March 2027.\n")
    assert not is_dated("# Speed\n\nMeasured in March, packets 1 to 2027.\n")


def test_the_index_lists_every_page_and_every_log_once() -> None:
    assert sorted(re.findall(r"^\| \[[^]]+\]\(([^)]+)\)", INDEX.read_text(), re.MULTILINE)) == names(PAGES)


def test_the_navigation_has_every_page_and_no_log() -> None:
    shown = re.findall(r"results/(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(shown) == names([INDEX, *(path for path in PAGES if path.parent == RESULTS)])
