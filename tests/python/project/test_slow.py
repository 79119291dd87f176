# SPDX-License-Identifier: MIT OR Apache-2.0
"""The guard of slow tests: a test without the marker `slow` that starts cargo, or imports Dask's scheduler, fails."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from needs import needs

HERE = Path(__file__).parents[1]
TESTS = """
import subprocess, sys
import pytest

CARGO = "import subprocess, sys; sys.exit(subprocess.run(['cargo', 'help']).returncode)"

def starts_cargo():
    return subprocess.run([sys.executable, "-c", CARGO], capture_output=True).returncode

def test_cargo_behind_another_program():
    starts_cargo()

@pytest.mark.slow
def test_slow_one():
    assert starts_cargo() == 0

def test_after_a_slow_one():
    assert starts_cargo() == 97

def test_question():
    for words in ["--version"], ["-v"], ["metadata", "--no-deps"], ["metadata"]:
        assert subprocess.run(["cargo", *words], capture_output=True).returncode == 0

@pytest.mark.parametrize("words", [["-v", "help"], ["--version", "help"], ["metadatas"], []])
def test_more_than_a_question(words):
    assert subprocess.run(["cargo", *words], capture_output=True).returncode == 97

@pytest.mark.parametrize("words", [["-V", "metadata"], ["metadata", "x"]])
def test_no_question_to_node(words):
    assert subprocess.run(["node", *words], capture_output=True).returncode == 97

def test_import():
    try:
        import nbclient
    except ImportError:
        pass

def test_turn(turn):
    pass

def test_asks(request):
    request.getfixturevalue("turn")
"""


@pytest.fixture
def program_tests(tmp_path: Path) -> Path:
    """Tests of their own, with a `cargo` and a `node` that end at once."""
    (tmp_path / "bin").mkdir()
    for name in ("cargo", "node"):
        program = tmp_path / "bin" / name
        program.write_text("#!/bin/sh\nexit 0\n")
        program.chmod(0o755)
    (tmp_path / "test_them.py").write_text(TESTS)
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    """What pytest prints of these tests, with conftest.py of ours."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "CI"))},
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{HERE}:{HERE.parents[1]}",
    }
    options = ["-q", "-p", "conftest", "-c", str(HERE.parents[1] / "pyproject.toml"), "--rootdir", str(folder), "-rA"]
    command = [sys.executable, "-m", "pytest", *options, *arguments, str(folder)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["one", "two"])
def test_what_makes_a_test_slow_fails_without_the_marker(program_tests: Path, processes: list[str]) -> None:
    printed = run(program_tests, *processes)
    outcomes = dict(line.split()[1::-1] for line in printed.splitlines() if line.startswith(("PASSED ", "FAILED ")))
    expected = {
        "test_cargo_behind_another_program": "FAILED",
        "test_slow_one": "PASSED",
        # As the first: what a slow test was allowed does not last.
        "test_after_a_slow_one": "FAILED",
        "test_question": "PASSED",
        "test_more_than_a_question": "FAILED",
        "test_no_question_to_node": "FAILED",
        "test_import": "FAILED",
        "test_turn": "PASSED",
        "test_asks": "FAILED",
    }
    # With each of its parameters.
    seen = {(name.rpartition("::")[2].partition("[")[0], outcome) for name, outcome in outcomes.items()}
    assert seen == set(expected.items()), printed
    assert "it needs the marker slow, for cargo" in printed


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["one", "two"])
def test_slow_tests_are_left_out_and_counted(program_tests: Path, processes: list[str]) -> None:
    printed = run(program_tests, "-m", "not slow", "-k", "question or slow or turn", *processes)
    assert "test_slow_one" not in printed and "test_turn" not in printed, "a fixture marks its tests"
    assert "skipped 2: slow, make test-all runs them" in printed


@pytest.mark.slow
@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["one", "two"])
def test_tests_that_passed_elsewhere_are_left_out_and_no_others(program_tests: Path, processes: list[str]) -> None:
    record = program_tests / "passed.txt"
    run(program_tests, "--record-passed", str(record), "-k", "question or import or turn", *processes)
    # What fails (import) is run again.
    assert record.read_text() == "test_them.py::test_question\ntest_them.py::test_turn\n"
    printed = run(program_tests, "--leave-out", str(record), "-k", "question or import or slow_one", *processes)
    assert "test_question" not in printed, printed
    assert "FAILED test_them.py::test_import" in printed and "PASSED test_them.py::test_slow_one" in printed, printed


# Of a test that takes both, `turn` and `lab` are locks: in one order they cannot wait for each other.
@pytest.mark.slow
@needs("kernel", "load", "live", "rust")
def test_every_test_waits_for_its_turn_before_it_waits_for_a_lab() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "--setup-plan", str(HERE)]
    planned = subprocess.run(command, cwd=HERE.parents[1], capture_output=True, text=True, check=False).stdout
    taken: list[str] = []
    both = 0
    for line in planned.splitlines():
        if (setup := re.match(r" +SETUP +F (lab|turn)\b", line)) is not None:
            taken.append(setup[1])
        elif "::" in line:
            assert len(taken) < 2 or taken == ["turn", "lab"], line
            both += len(taken) == 2
            taken = []
    # Those of test_live, test_live_inner, test_live_plugin, test_lab_killed.
    assert both >= 6, planned
