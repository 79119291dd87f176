# SPDX-License-Identifier: MIT OR Apache-2.0
""".ci/run ends with what it started, whether it passes, fails, is stopped, or waits for something that never comes. Its commands are fakes here."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from in_kernel import PATIENCE_S
from running import command_lines

from tools import ROOT

Begin = Callable[..., "subprocess.Popen[str]"]
PARTS = [
    "packages",
    "mutations",
    "instructions",
    "readers",
    "lint",
    "published",
    "site",
    "bare-wheel",
    "bare-root",
    "test",
    "rest",
]


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """Starts a copy of .ci/run, whose limit is this, with `make` and the programs in the bare root being these scripts."""

    def start(make: str = "", bare: str = "", limit: int = 5100) -> subprocess.Popen[str]:
        text = (ROOT / ".ci/run").read_text()
        assert text.count("\nlimit=5100\n") == 1
        fakes = dict.fromkeys(("bin/apt-get", "bin/npm", "bin/rustup", "bin/python3", ".ci/wheel"), "")
        fakes |= {"bin/git": "echo 12345678", "bin/make": make, ".ci/bare-root": bare}
        for name, script in {name: f"#!/bin/bash\n{script}\n" for name, script in fakes.items()}.items() | {
            (".ci/run", text.replace("\nlimit=5100\n", f"\nlimit={limit}\n"))
        }:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(script)
            (tmp_path / name).chmod(0o755)
        (tmp_path / "state").mkdir()
        environment = {
            **os.environ,
            "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
            "TMPDIR": str(tmp_path / "state"),
        }
        return subprocess.Popen(
            [tmp_path / ".ci/run"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # It prints command lines of other processes, which may hold any bytes.
            text=True,
            errors="replace",
        )

    return start


def ends(begun: subprocess.Popen[str], folder: Path, *codes: int) -> tuple[str, list[str]]:
    """The output and the parts that its table has; the exit code is one of these, and nothing stays: no process, no file."""
    output, _ = begun.communicate(timeout=PATIENCE_S)
    assert begun.returncode in codes, output
    assert not [line for line in command_lines() if str(folder) in line or re.fullmatch(r"sleep 13\d\d", line)]
    assert list((folder / "state").iterdir()) == []
    assert re.search(r"^all +at +\d+ s of 2100 s$", output.splitlines()[-1]), output
    return output, re.findall(r"^(\S+) +at +\d+ s; ", output, re.MULTILINE)


def wait_for(count: int) -> None:
    """Waits for so many sleeps."""
    while sum(re.fullmatch(r"sleep 13\d\d", line) is not None for line in command_lines()) != count:
        time.sleep(0.05)


def test_a_run_that_passes_has_all_parts_in_its_table(begin: Begin, tmp_path: Path) -> None:
    output, parts = ends(begin('echo "made $*"', "echo in the bare root"), tmp_path, 0)
    assert sorted(parts) == sorted(PARTS), output
    assert "in the bare root\n" in output and "made lint\n" in output


@pytest.mark.parametrize("failing", ["lint", "test-all", "bare"])
def test_a_part_that_fails_ends_the_run(begin: Begin, tmp_path: Path, failing: str) -> None:
    # The lane that does not fail waits, where the main one fails.
    script = f"case $1 in {failing}) echo broken; exit 3 ;; esac"
    bare = "echo broken; exit 3" if failing == "bare" else "sleep 1300" if failing == "test-all" else ""
    # 1 where the main lane looks at the failure of another, before it waits for that.
    output, parts = ends(begin(script, bare), tmp_path, 1, 3)
    assert "broken\n" in output and {"lint": "lint", "bare": "bare-root", "test-all": "test"}[failing] not in parts


@pytest.mark.parametrize(("asked", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_run_at_once_with_logs_and_table(
    begin: Begin, tmp_path: Path, asked: signal.Signals, code: int
) -> None:
    # One in each lane and in the main part.
    begun = begin("case $1 in lint) echo linting; sleep 1301 ;; test-all) sleep 1302 ;; esac", "sleep 1303")
    wait_for(3)
    begun.send_signal(asked)
    output, parts = ends(begun, tmp_path, code)
    assert "linting\n" in output and parts == ["packages", "mutations", "instructions", "readers"]


@pytest.mark.parametrize("waits", ["lint", "bare", "test-all"])
def test_a_run_that_waits_for_ever_fails_and_shows_what_it_waited_for(begin: Begin, tmp_path: Path, waits: str) -> None:
    script = f"case $1 in {waits}) sleep 1304 ;; esac"
    output, parts = ends(begin(script, "sleep 1304" if waits == "bare" else "", 3), tmp_path, 143)
    assert "error: the run did not end within 3 s; these were running:\n" in output
    assert re.search(r"^  \d+ sleep 1304 *$", output, re.MULTILINE), output
    assert "packages" in parts and {"lint": "lint", "bare": "bare-root", "test-all": "test"}[waits] not in parts
