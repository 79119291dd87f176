# SPDX-License-Identifier: MIT OR Apache-2.0
"""`-q` and `-v`: what the program says beside its result."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
import typer.main
from conftest import PROGRAM, SHORT, Cli

from cwnd.cli.app import app


def test_quiet_leaves_out_notes_before_the_commands_name_and_after_it(cwnd: Cli, tmp_path: Path) -> None:
    assert "written to" in cwnd(*SHORT, "--no-plots", "-o", tmp_path / "said").stderr
    for number, arguments in enumerate([("-q", *SHORT), (*SHORT, "-q"), ("--quiet", *SHORT), ("-q", *SHORT, "-q")]):
        done = cwnd(*arguments, "--no-plots", "-o", tmp_path / str(number))
        assert (done.returncode, done.stderr) == (0, ""), arguments
        assert "goodput" in done.stdout and (tmp_path / str(number) / "manifest.json").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        (*SHORT, "--seeds", "2", "-o", "out"),
        ("sweep", "cubic", "--rtt", "10ms,20ms", "--duration", "1s", "-o", "out"),
        ("reproduce", "ha2008/fig1", "-o", "out"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_quiet_leaves_out_the_notes_of_every_command_that_writes_a_folder(
    cwnd: Cli, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = cwnd(*arguments, "-q", cwd=tmp_path)
    assert done.stderr == "" and done.stdout and any((tmp_path / "out").iterdir())
    # All runs are there: the same result.
    again = cwnd(*arguments, cwd=tmp_path)
    assert "written to out" in again.stderr
    if arguments[0] != "reproduce":  # the time that it took is in its table
        assert again.stdout == done.stdout


def test_quiet_shows_no_progress_on_a_terminal() -> None:
    def shown(*options: str) -> str:
        words = " ".join((*SHORT, "--json", *options))
        script = f"script -qec '{PROGRAM} {words} 2>&1 >/dev/null' /dev/null"
        return subprocess.run(script, shell=True, capture_output=True, text=True, check=True).stdout

    assert "simulating" in shown()
    assert shown("-q") == ""


def test_quiet_leaves_errors_as_they_are(cwnd: Cli) -> None:
    refused = cwnd("compare", "cubik")
    assert refused.stderr.startswith("error: ")
    assert cwnd("-q", "compare", "cubik").stderr == refused.stderr


def test_verbose_says_seed_phase_and_processor_time_and_leaves_the_result_as_it_is(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd(*SHORT, "--seed", 7, "--json", "-v")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("lane sim, seed 7, 3 s of ")
    assert re.fullmatch(r"run: \d+\.\d\d s", lines[1]) and "of processor time" in lines[-1], lines
    plain = json.loads(cwnd(*SHORT, "--seed", 7, "--json").stdout)
    assert {**json.loads(done.stdout), "perf": None} == {**plain, "perf": None}

    seeds = (*SHORT, "--seeds", 4, "--jobs", 2, "-o", tmp_path / "out")
    assert "lane sim, seeds 1 to 4, 2 at a time" in cwnd("-v", *seeds).stderr
    assert "0 runs executed" in (again := cwnd("-v", *seeds).stderr) and "4 reused" in again


def test_quiet_and_verbose_together_are_refused(cwnd: Cli) -> None:
    for arguments in (("-q", "algorithms", "-v"), ("-v", "algorithms", "-q"), ("algorithms", "-q", "-v")):
        done = cwnd(*arguments)
        assert done.returncode == 2 and "--quiet" in done.stderr and "one of the two" in done.stderr


def test_every_command_takes_both_but_one_whose_words_may_be_another_programs() -> None:
    program = typer.main.get_command(app)
    context = typer.Context(program)

    def commands(group: object, path: str = "") -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, command in getattr(group, "commands", {}).items():
            found[f"{path}{name}"] = {option for parameter in command.get_params(context) for option in parameter.opts}
            found |= commands(command, f"{path}{name} ")
        return found

    options = commands(program)
    assert len(options) > 20
    assert [name for name, has in options.items() if not {"-q", "-v"} <= has] == ["kernel use"]


# A mistake in a command, and in one of `cwnd kernel`.
@pytest.mark.parametrize(
    ("typed", "offered"),
    [("docter", "doctor"), ("sweeep", "sweep"), ("algoritms", "algorithms"), ("unlaod", "kernel unload")],
)
def test_an_unknown_command_is_answered_with_the_nearest_one(cwnd: Cli, typed: str, offered: str) -> None:
    done = cwnd(typed)
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr == (f'error: COMMAND: "{typed}" is not accepted; expected a command (did you mean {offered}?)\n')
