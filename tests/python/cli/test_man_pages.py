# SPDX-License-Identifier: MIT OR Apache-2.0
"""The manual pages and completions that a wheel installs: in step with the commands, complete, without a warning."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import Cli
from needs import skip_without

from tools import ROOT
from tools.docs import man_pages

PAGES = sorted((man_pages.SHARE / "man" / "man1").glob("*.1"))


def plain(path: Path) -> str:
    """A page's text, without what roff makes of it."""
    text = path.read_text().replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")
    text = re.sub(r"\\\[u([0-9A-F]{4})\]", lambda match: chr(int(match[1], 16)), text)
    return " ".join(re.sub(r"\\f[BR]", "", text).split())


def test_they_are_what_the_commands_say() -> None:
    assert man_pages.stale() == [], "out of date: run make docs"


def test_the_wheel_takes_the_folder() -> None:
    folder = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["maturin"]["data"]
    assert (ROOT / folder / "data" / "share") == man_pages.SHARE


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_says_what_the_help_says(cwnd: Cli, path: Path) -> None:
    words = next(name for name in every_command() if name.replace(" ", "-") == path.stem).split()[1:]
    shown, text = cwnd(*words, "--help").stdout, plain(path)
    described = shown.partition("\n\n")[2]
    listed = re.findall(r"^  (-\S.*?)(?:  |$)", described, re.MULTILINE)
    options = {option for names in listed for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", names)}
    missing = [option for option in options if f" {option}" not in text and f", {option}" not in text]
    assert len(options) > 1 and not missing, missing
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
        assert f".SH {heading}" in text


def every_command() -> list[str]:
    """The commands that the overview lists, as they are typed."""
    overview = plain(man_pages.SHARE / "man" / "man1" / "cwnd.1")
    names = re.findall(r"\.TP (cwnd [a-z -]+?) [A-Z]", overview)
    return ["cwnd", *names]


def test_every_command_has_a_page_and_the_overview_names_it(cwnd: Cli) -> None:
    shown = re.findall(r"^  ([a-z]\S+)  ", cwnd("--help").stdout, re.MULTILINE)
    assert len(shown) > 20
    names = {name.replace(" ", "-") for name in every_command()}
    assert {"cwnd", *(f"cwnd-{name}" for name in shown)} <= names == {path.stem for path in PAGES}


@pytest.mark.parametrize("tool", ["groff", "mandoc"])
def test_no_page_makes_a_formatter_warn(tool: str) -> None:
    skip_without(tool)
    command = ["groff", "-man", "-ww", "-z", "-Tutf8"] if tool == "groff" else ["mandoc", "-Tlint", "-W", "warning"]
    done = subprocess.run([*command, *map(str, PAGES)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
