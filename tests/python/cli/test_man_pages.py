# SPDX-License-Identifier: MIT OR Apache-2.0
"""The manual pages that a wheel installs: complete, without a warning. `.ci/wheel` installs them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from conftest import Cli
from needs import skip_without

from tools.docs import man_pages

PAGES = {
    name.removeprefix(f"{man_pages.PAGES}/").removesuffix(".1"): text
    for name, text in man_pages.texts().items()
    if name.endswith(".1")
}


def plain(text: str) -> str:
    """A page's text, without what roff makes of it."""
    text = text.replace("\\-", "-").replace("\\(aq", "'").replace("\\&", "").replace("\\e", "\\")
    text = re.sub(r"\\\[u([0-9A-F]{4})\]", lambda match: chr(int(match[1], 16)), text)
    return " ".join(re.sub(r"\\f[BR]", "", text).split())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_what_the_help_says(cwnd: Cli, page: str) -> None:
    words = next(name for name in every_command() if name.replace(" ", "-") == page).split()[1:]
    shown, text = cwnd(*words, "--help").stdout, plain(PAGES[page])
    described = shown.partition("\n\n")[2]
    listed = re.findall(r"^  (-\S.*?)(?:  |$)", described, re.MULTILINE)
    options = {option for names in listed for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", names)}
    missing = [option for option in options if f" {option}" not in text and f", {option}" not in text]
    assert len(options) > 1 and not missing, missing
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"):
        assert f".SH {heading}" in text


def every_command() -> list[str]:
    """The commands that the overview lists, as they are typed."""
    overview = plain(PAGES["cwnd"])
    names = re.findall(r"\.TP (cwnd [a-z -]+?) [A-Z]", overview)
    return ["cwnd", *names]


def test_every_command_has_a_page_and_the_overview_names_it(cwnd: Cli) -> None:
    shown = re.findall(r"^  ([a-z]\S+)  ", cwnd("--help").stdout, re.MULTILINE)
    assert len(shown) > 20
    names = {name.replace(" ", "-") for name in every_command()}
    assert {"cwnd", *(f"cwnd-{name}" for name in shown)} <= names == PAGES.keys()


@pytest.mark.parametrize("tool", ["groff", "mandoc"])
def test_no_page_makes_a_formatter_warn(tool: str, tmp_path: Path) -> None:
    skip_without(tool)
    for name, text in PAGES.items():
        (tmp_path / f"{name}.1").write_text(text)
    command = ["groff", "-man", "-ww", "-z", "-Tutf8"] if tool == "groff" else ["mandoc", "-Tlint", "-W", "warning"]
    done = subprocess.run([*command, *map(str, tmp_path.iterdir())], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
