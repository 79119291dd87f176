# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every link of every page leads to a file that is there and, where it names one, to a heading in it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def tracked(*patterns: str) -> list[Path]:
    """Files of the tree that git has, or would add."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return sorted(ROOT / name for name in listed if os.path.lexists(ROOT / name))


PAGES = tracked("*.md")
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"[a-z]+:")


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as GitHub and mkdocs make them: lower case, hyphens, no punctuation."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    plain = (re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading) for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def broken(page: Path, text: str) -> list[str]:
    """Links of a page that lead nowhere."""
    wrong = []
    for link in LINK.findall(CODE.sub("", FENCE.sub("", text))):
        if ELSEWHERE.match(link):
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        is_page = path.suffix == ".md" and path.is_file()
        if not path.exists() or not path.is_relative_to(ROOT):
            wrong.append(f"{link}: no such file")
        elif anchor and (not is_page or anchor not in anchors(text if path == page else path.read_text())):
            wrong.append(f"{link}: no such heading")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page, page.read_text()) == []


def test_a_link_to_nowhere_is_noticed() -> None:
    page = ROOT / "README.md"
    text = "# A page's first steps\n[a](#a-pages-first-steps) [b](CONTRIBUTING.md) [c](https://www.rfc-editor.org) `[d](none.md)`\n"
    assert broken(page, text) == []
    assert broken(page, "[a](none.md) [b](#none) [c](../other)") == [
        "none.md: no such file",
        "#none: no such heading",
        "../other: no such file",
    ]
    assert len(PAGES) > 40


def test_no_symbolic_link_of_the_tree_is_dangling() -> None:
    assert [str(path) for path in tracked() if path.is_symlink() and not path.exists()] == []
