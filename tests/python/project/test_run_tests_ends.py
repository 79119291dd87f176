# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make test` ends a part that does not end, and all parts after Ctrl-C; a terminal shows what runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from in_kernel import PATIENCE_S
from running import command_lines

from tools import ROOT

Begin = Callable[..., "subprocess.Popen[str]"]
COUNTS = "0 ignored; 0 measured; 0 filtered out"


@pytest.fixture
def begin(tmp_path: Path) -> Begin:
    """Starts tools.run_tests with this script as its make."""

    def start(script: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        make = tmp_path / "make"
        make.write_text(f"#!/bin/bash\n{script}\n")
        make.chmod(0o755)
        command = [sys.executable, "-m", "tools.run_tests", *arguments]
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
        return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "MAKE": str(make)}, text=True, **streams)  # type: ignore[call-overload,no-any-return]

    return start


def sleeps(*seconds: int) -> list[str]:
    """Those of these sleeps that are there."""
    names = [f"sleep {each}" for each in seconds]
    return [line for line in command_lines() if line.endswith(tuple(names))]


def ends(begun: subprocess.Popen[str], code: int) -> tuple[str, str]:
    """Output and table; the exit code is this one, and there are no errors."""
    printed, errors = begun.communicate(timeout=PATIENCE_S)
    assert (begun.returncode, errors) == (code, ""), printed + errors
    said, _, table = printed.partition("\n\n")
    return said, table


def test_a_part_that_hangs_is_ended_and_says_what_it_was_doing(begin: Begin) -> None:
    # One of the two is no child of it any more, and has its output open.
    script = "echo 'test waits'\nsetsid sleep 1234 &\nsleep 1235"
    said, table = ends(begin(script, "--limit", "0.5", "kernel"), 1)
    assert "test-kernel did not end within 0.5 s; these were running:\n" in said
    assert "  sleep 1234\n" in said and "  sleep 1235\n" in said
    assert table.endswith("    did not end within 0.5 s: test waits\n")
    assert sleeps(1234, 1235) == []


@pytest.mark.parametrize("failed", [0, 1])
@pytest.mark.parametrize("code", [0, 1])
def test_a_part_whose_make_ended_before_what_it_started_has_failed(begin: Begin, failed: int, code: int) -> None:
    counts = f"test result: ok. 1 passed; {failed} failed; {COUNTS}"
    _, table = ends(begin(f"echo '{counts}'; sleep 1242 & exit {code}", "--limit", "1", "rust"), 1)
    assert re.search(rf"^rust +failed +1 +{failed} ", table, re.MULTILINE), table
    assert f"    did not end within 1 s: {counts}\n" in table
    assert sleeps(1242) == []


def test_a_part_that_closed_its_output_is_ended_too(begin: Begin) -> None:
    _, table = ends(begin("exec >/dev/null 2>&1; sleep 1243", "--limit", "0.5", "rust"), 1)
    assert "did not end within 0.5 s" in table and sleeps(1243) == []


def test_a_part_that_never_stops_printing_is_ended(begin: Begin) -> None:
    _, table = ends(begin("yes", "--jobs", "2", "--limit", "0.5", "rust"), 1)
    assert "did not end within 0.5 s: y\n" in table


def test_what_is_not_utf_8_is_shown_with_a_mark(begin: Begin) -> None:
    script = "printf 'a\\xffb\\n'; (exec -a $'doze\\xff' sleep 1236)"
    said, table = ends(begin(script, "--limit", "0.5", "rust"), 1)
    assert "a\ufffdb\n" in said and "  doze\ufffd 1236\n" in said
    assert table.endswith("did not end within 0.5 s: a\ufffdb\n") and sleeps(1236) == []


def test_what_cleared_its_environment_and_what_an_inner_run_started_is_ended(begin: Begin, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.write_text("#!/bin/sh\nsetsid sleep 1237 &\nsleep 1238\n")
    inner.chmod(0o755)
    # The inner run is killed before it can end its own part.
    script = f"env -i sleep 1239 & MAKE={inner} {sys.executable} -m tools.run_tests web"
    said, _ = ends(begin(script, "--limit", "2", "kernel"), 1)
    assert all(f"  sleep {seconds}\n" in said for seconds in (1237, 1238, 1239)), said
    assert sleeps(1237, 1238, 1239) == []


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_stops_all_parts_and_prints_what_they_have_done(
    begin: Begin, asked: signal.Signals, jobs: str
) -> None:
    counts = f"test result: ok. 3 passed; 0 failed; {COUNTS}"
    # One part ends before, and one never begins where they run one at a time.
    script = f"""[ $2 != test-web ] || exec echo 'skipped: needs a browser'
echo '{counts}'; printf 'test waits'; setsid sleep 1244 & sleep 1245"""
    begun = begin(script, "--jobs", jobs, "web", "kernel", "rust", start_new_session=True)
    while len(sleeps(1244, 1245)) < 2 * int(jobs):
        assert begun.poll() is None
        time.sleep(0.05)
    # A terminal sends Ctrl-C to the parts too.
    (os.killpg if asked is signal.SIGINT else os.kill)(begun.pid, asked)
    time.sleep(0.05)
    if begun.poll() is None:
        begun.send_signal(signal.SIGTERM if asked is signal.SIGINT else signal.SIGINT)
    said, table = ends(begun, 128 + asked)
    assert said.count(f"{counts}\ntest waits\n") == int(jobs), said
    assert said.count("was stopped; these were running:\n") == int(jobs)
    rows = [" ".join(row.split()[:4]) for row in table.splitlines()[1:] if row[0] != " "]
    assert rows == ["web skipped 0 0", "kernel stopped 3 0", f"rust stopped {3 if jobs == '2' else 0} 0"]
    assert table.count("    was stopped: test waits\n") == int(jobs)
    assert table.count("    did not begin\n") == 2 - int(jobs)
    assert sleeps(1244, 1245) == []


@pytest.mark.parametrize(
    ("columns", "shown"),
    [(0, "running: kernel 1 s, rust 1 s"), (24, "running: kernel 1 s, ru"), (30, "running: kernel 1 s, rust 1 s")],
)
def test_a_terminal_shows_in_one_line_how_long_the_parts_run(begin: Begin, columns: int, shown: str) -> None:
    ours, theirs = os.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    script = "sleep 1.5\necho 'skipped: needs root'"
    printed, _ = begin(script, "--jobs", "2", "kernel", "rust", stderr=theirs).communicate()
    os.close(theirs)
    written = os.read(ours, 10_000).decode()
    os.close(ours)
    assert f"\r\x1b[K{shown}\r\x1b[K" in written and written.endswith("\r\x1b[K"), written
    assert "running" not in printed


def test_a_terminal_that_cannot_write_a_line_anew_shows_nothing(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    ours, theirs = os.openpty()
    begin("sleep 1.5", "--jobs", "2", "kernel", "rust", stderr=theirs).communicate()
    os.set_blocking(ours, False)
    with pytest.raises(BlockingIOError):
        os.read(ours, 10_000)
    os.close(theirs)
    os.close(ours)
