# SPDX-License-Identifier: MIT OR Apache-2.0
"""The templates of issues and changes, and SECURITY.md, name commands, files and Make targets that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import Cli
from test_links import tracked

from tools import ROOT

#: For `make check`.
READS = (".github/**/*", "SECURITY.md")
PAGES = tracked(".github/*", "SECURITY.md")
QUOTED = re.compile(r"`([^`\n]+)`")
#: Files of a folder of results.
OF_RESULTS = {"scenario.toml", "manifest.json"}


def commands(shown: str) -> set[str]:
    """The commands that a help lists."""
    return set(re.findall(r"^  ([a-z]\S+)  ", shown, re.MULTILINE))


def test_they_are_few_and_short() -> None:
    assert 5 <= len(PAGES) <= 8
    assert {
        path.name: len(path.read_text().splitlines()) for path in PAGES if len(path.read_text().splitlines()) > 60
    } == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_what_a_template_names_is_there(page: Path, cwnd: Cli) -> None:
    text = page.read_text()
    below = {"": commands(cwnd("--help").stdout), "kernel": commands(cwnd("kernel", "--help").stdout)}
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for quoted in QUOTED.findall(text):
        first, *others = quoted.split()
        if first == "cwnd" and others and not others[0].startswith("-"):
            assert others[0] in below[""], quoted
            assert others[0] != "kernel" or others[1:2] == [] or others[1] in below["kernel"], quoted
        elif first == "make":
            assert others[0] in targets, quoted
        elif re.fullmatch(r"[\w./*-]+\.(md|toml|json|txt|py)|vectors/\S+|docs/\S+", first) and first not in OF_RESULTS:
            assert list(ROOT.glob(first)) or list(ROOT.glob(f"crates/*/{first}")), quoted


def test_each_option_that_a_template_names_is_an_option_of_a_command(cwnd: Cli) -> None:
    text = " ".join(" ".join(QUOTED.findall(page.read_text())) for page in PAGES)
    helps = "".join(cwnd(*words, "--help").stdout for words in ((), ("run",), ("compare",)))
    for option in set(re.findall(r"(?<!\S)--?[a-z][\w-]*", text)) - {"-a"}:
        assert re.search(rf"{option}\b", helps), option
    for name in OF_RESULTS:
        assert f"`{name}`" in (ROOT / "docs" / "guide" / "first-run.md").read_text()
