# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands and programs of the README and of the guide run, page by page, in a folder of their own, and print what the pages show."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from in_kernel import PATIENCE_S, PROGRAM
from in_lab import LAB, kept_up
from needs import lacks, needs, skip_without

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "guide"
#: The index and the page of queue disciplines show nothing that runs. The others have tests of their own: test_guide_kernel.py, test_plugin.py,
#: test_experiments.py, test_hook_order.py, test_page.py, test_shell.py, crates/cwnd-scenario/tests/documents/page.rs.
OTHERS = {
    "README",
    "kernel",
    "lab",
    "hook-order",
    "shell",
    "own-algorithm",
    "experiment",
    "queue-discipline",
    "write-a-scenario",
}
PAGES = [ROOT / "README.md", *sorted(path for path in GUIDE.glob("*.md") if path.stem not in OTHERS)]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: What other tests run: all of them, and what needs root.
ELSEWHERE = ("make ", "sudo ")
FILE = re.compile(r"# (\S+\.toml)\n")
#: What needs the web page. Where it is missing, the page's other commands run before the test is skipped.
PAGE = re.compile(r"--page\b|cwnd lab\b|\bto_html\(")


def words(text: str) -> list[list[str]]:
    """The lines of a text, without blank ones and without the width of columns."""
    return [line.split() for line in text.splitlines() if line.strip()]


def contains(printed: str, shown: str) -> bool:
    """Whether the lines that a page shows stand in what was printed, one after the other."""
    lines, part = words(printed), words(shown)
    return any(lines[start : start + len(part)] == part for start in range(len(lines) - len(part) + 1))


@pytest.mark.slow
@needs("rust")
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_a_page_does_what_it_says(page: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if page.stem in ("linux", "fidelity", "kernel-queues"):
        skip_without("linux")
    if page.stem in ("live", "live-settings"):
        skip_without(*LAB)
        request.getfixturevalue("lab")
    # The README's commands are given from the root of the project.
    (tmp_path / ".venv").symlink_to(PROGRAM.parents[1])
    environment = {
        **os.environ,
        "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
    }
    printed, run, left_out = "", 0, ""
    for kind, text in BLOCK.findall(page.read_text()):
        # What needs more than this machine, or minutes, is shown as a console; a schema and a workflow are no commands, and a part of a program in
        # Rust is tested where it stands.
        if text.startswith(ELSEWHERE) or kind in ("console", "cddl", "rust", "yaml"):
            continue
        if PAGE.search(text) and (missing := lacks("page")):
            left_out = missing
            continue
        if kind == "toml":
            name = FILE.match(text)
            assert name, f"a scenario without a first line that names its file:\n{text}"
            (tmp_path / name[1]).write_text(text)
        elif kind == "text":
            assert contains(printed, text), f"the page shows\n{text}\nand what came is\n{printed}"
        else:
            command = {"sh": ["bash", "-euo", "pipefail", "-c", text], "python": [sys.executable, "-c", text]}[kind]
            run_block = partial(subprocess.run, command, cwd=tmp_path, env=environment, timeout=PATIENCE_S, check=False)
            done = kept_up(partial(run_block, capture_output=True, text=True))
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            printed, run = done.stdout, run + 1
    assert run, "a page without a command"
    if left_out:
        pytest.skip(f"a command {left_out}")


def test_a_table_that_a_page_shows_wrongly_is_noticed() -> None:
    printed = "\n flow   Mbit/s\n ─────────────\n cubic   34.84\n sack    15.16\n\n50.00 Mbit/s\n"
    assert contains(printed, " flow Mbit/s\n ─────────────\n cubic 34.84\n")
    assert not contains(printed, " flow Mbit/s\n ─────────────\n cubic 34.85\n")
    assert not contains(printed, " flow Mbit/s\n sack 15.16\n")
