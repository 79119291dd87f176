# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make test` runs each part to its end, and its last lines say what every part did (test_run_tests_ends: parts that do not end)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT
from tools.testing.counts import Part

HERE = Path(__file__).parents[1]

# A make that has six parts. It gets `--no-print-directory test-PART`.
MAKE = """#!/bin/sh
case $2 in
test-python)
    cd {folder} && exec {python} -m pytest -q -p no:cacheprovider -c /dev/null --rootdir {folder} -p skip_reasons few.py ;;
test-rust)
    echo 'test chart::draws ... ok'
    echo 'test chart::prints ... FAILED'
    echo 'test chart::an_hour ... ignored, takes an hour'
    echo 'test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s'
    echo 'test result: ok. 40 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s'
    exit 101 ;;
test-nextest)
    echo '        PASS [   0.004s] (1/3) cwnd-sim chart::draws'
    echo '        FAIL [   0.005s] (2/3) cwnd-sim chart::prints'
    echo '     Summary [   0.013s] 3 tests run: 2 passed, 1 failed, 4 skipped'
    exit 100 ;;
test-kernel)
    echo 'skipped: the kernel lane needs root'
    echo 'skipped: the kernel lane needs a kernel with BTF' ;;
test-web)
    echo 'ok     the table has a row for each group'
    echo 'BROKEN the console is empty TypeError: x'
    exit 1 ;;
test-broken)
    echo 'error: no compiler' >&2
    exit 2 ;;
esac
"""

FEW = """
import pytest

def test_passes(): pass

@pytest.mark.parametrize("number", range(3))
def test_lacks_the_page(number): pytest.skip("needs the web page: make page")

def test_lacks_root(): pytest.skip("needs root")

@pytest.mark.parametrize("number", ["a b", "c"])
def test_fails(number): assert number == "c"
"""


@pytest.mark.parametrize("jobs", [1, 3])
def test_each_part_runs_to_its_end_and_the_table_counts_it(tmp_path: Path, jobs: int) -> None:
    (tmp_path / "few.py").write_text(FEW)
    make = tmp_path / "make"
    make.write_text(MAKE.format(folder=tmp_path, python=sys.executable))
    make.chmod(0o755)
    parts = ["python", "rust", "nextest", "web", "kernel", "broken"]
    done = subprocess.run(
        [sys.executable, "-m", "tools.run_tests", "--jobs", str(jobs), *parts, "--slow", "peers"],
        cwd=ROOT,
        env={**os.environ, "MAKE": str(make), "PYTHONPATH": str(HERE), "COLUMNS": "200", "SLOW": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, ""), done.stdout + done.stderr
    table = done.stdout[done.stdout.index("part     result") :]
    rows = re.sub(r" +\d+ s$", "", table, flags=re.MULTILINE).splitlines()
    assert [" ".join(row.split()) for row in rows] == [
        "part result passed failed skipped time",
        # Of the two of test_fails one fails. Three and one are skipped.
        "python failed 2 1 4",
        "failed: few.py::test_fails[a b]",
        "skipped 3: needs the web page: make page",
        "skipped 1: needs root",
        # 1 + 40 passed.
        "rust failed 41 1 1",
        "failed: chart::prints",
        "skipped 1: takes an hour",
        "nextest failed 2 1 4",
        "failed: cwnd-sim chart::prints",
        "skipped 4: ignored, make test-all runs them",
        "web failed 1 1 0",
        "failed: the console is empty TypeError: x",
        "kernel skipped 0 0 2",
        "skipped 1: the kernel lane needs root",
        "skipped 1: the kernel lane needs a kernel with BTF",
        "broken failed 0 0 0",
        "stopped with exit code 2: error: no compiler",
        "peers skipped 0 0 0",
        "slow, make test-all runs it",
    ]
    # What .ci/run puts beside its budgets.
    assert re.findall(r"^test-(\w+) took \d+ s; processor time \d+ \+ \d+ s$", done.stdout, re.MULTILINE)
    # The output of a part is in one piece, also where parts run at a time.
    assert "chart::an_hour ... ignored, takes an hour\ntest result: FAILED" in done.stdout


def test_the_exit_code_is_0_where_all_parts_pass_or_are_skipped(tmp_path: Path) -> None:
    make = tmp_path / "make"
    make.write_text("#!/bin/sh\necho 'skipped: needs root'\n")
    make.chmod(0o755)
    command = [sys.executable, "-m", "tools.run_tests", "kernel"]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, "MAKE": str(make)}, capture_output=True, check=False)
    assert done.returncode == 0 and b"kernel   skipped" in done.stdout


@pytest.mark.parametrize(
    ("line", "passed", "failed"),
    [
        ("8 failed, 2450 passed, 308 skipped in 761.30s (0:12:41)", 2450, 8),
        ("\x1b[32m\x1b[1m3 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m", 3, 0),
        ("1 passed, 2 errors in 0.40s", 1, 2),
        ("no tests ran in 0.01s", 0, 0),
        ("12 packets passed the link in 0.40s of simulated time", 0, 0),
        ("     Summary [   0.004s] 1 test run: 1 passed, 0 skipped", 1, 0),
        ("     Summary [ 211.013s] 1339 tests run: 1339 passed (2 slow), 3 skipped", 1339, 0),
    ],
)
def test_the_last_lines_of_pytest_and_of_nextest_are_read(line: str, passed: int, failed: int) -> None:
    part = Part("python")
    part.take(line)
    assert (part.passed, part.failed) == (passed, failed)


# A cargo with three quick tests, a slow one, a documentation test and an example in the documentation that must not run; as cargo-nextest
# the same without the documentation. `--ignored` filters the quick ones out.
CARGO = """#!/bin/sh
case "$*" in
*--doc*)
    echo 'test crates/a/src/lib.rs - draws (line 3) ... ok'
    echo 'test crates/a/src/lib.rs - an_outline (line 9) ... ignored'
    echo 'test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s' ;;
nextest*'--run-ignored all'*) echo '     Summary [   0.013s] 4 tests run: 4 passed, 0 skipped' ;;
nextest*'--run-ignored only'*) echo '     Summary [   0.013s] 1 test run: 1 passed, 3 skipped' ;;
nextest*) echo '     Summary [   0.013s] 3 tests run: 3 passed, 1 skipped' ;;
*--include-ignored*) echo 'test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s' ;;
*--ignored*) echo 'test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s' ;;
*)
    echo 'test an_hour ... ignored, slow, make test-all runs it'
    echo 'test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s'
    [ $1 = nextest ] || exec $0 --doc ;;
esac
"""
OUTLINE = "skipped 1: ignored unless asked for"


# Three quick tests and one of the documentation, with the slow one five; the example of the documentation never runs.
@pytest.mark.parametrize(
    ("slow", "runner", "rows"),
    [
        ("", "cargo", ["4 0 2", "skipped 1: slow, make test-all runs it", OUTLINE]),
        ("0", "cargo", ["4 0 2", "skipped 1: slow, make test-all runs it", OUTLINE]),
        ("1", "cargo", ["5 0 1", OUTLINE]),
        ("only", "cargo", ["1 0 0"]),
        ("", "cargo-nextest", ["4 0 2", "skipped 1: ignored, make test-all runs them", OUTLINE]),
        ("0", "cargo-nextest", ["4 0 2", "skipped 1: ignored, make test-all runs them", OUTLINE]),
        ("1", "cargo-nextest", ["5 0 1", OUTLINE]),
        ("only", "cargo-nextest", ["1 0 0"]),
    ],
)
def test_each_test_of_rust_counts_once(tmp_path: Path, slow: str, runner: str, rows: list[str]) -> None:
    for name in {"cargo", runner}:
        (tmp_path / name).write_text(CARGO)
        (tmp_path / name).chmod(0o755)
    # On the path of the calling shell there may be a cargo-nextest, which the Makefile would take.
    others = [folder for folder in os.environ["PATH"].split(":") if not (Path(folder) / "cargo-nextest").exists()]
    environment = {name: value for name, value in os.environ.items() if name not in ("SLOW", "MAKEFLAGS", "MAKELEVEL")}
    done = subprocess.run(
        [sys.executable, "-m", "tools.run_tests", "rust"],
        cwd=ROOT,
        env={**environment, "PATH": ":".join([str(tmp_path), *others]), "SLOW": slow},
        capture_output=True,
        text=True,
        check=True,
    )
    table = done.stdout[done.stdout.index("part     result") :]
    found = [" ".join(row.split()) for row in re.sub(r" +\d+ s$", "", table, flags=re.MULTILINE).splitlines()]
    assert found[1:] == [f"rust passed {rows[0]}", *rows[1:]], done.stdout


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["test"], "python rust release --slow kernel web"),
        (["test", "SLOW=0"], "python rust release --slow kernel web"),
        (["test-all"], "python kernel web rust release"),
        (["test", "PARTS=kernel"], "kernel --slow web"),
    ],
)
def test_make_test_leaves_the_slow_parts_to_make_test_all(arguments: list[str], parts: str) -> None:
    command = ["make", "--dry-run", *arguments]
    environment = {"PATH": os.environ["PATH"]}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.partition("--jobs 3 ")[2].split() == parts.split()


@pytest.mark.parametrize(
    ("slow", "marked"), [("", '-m "not slow"'), ("0", '-m "not slow"'), ("1", ""), ("only", "-m slow")]
)
def test_slow_says_which_tests_of_python_run(slow: str, marked: str) -> None:
    # Without what the make that runs these tests was told.
    environment = {"PATH": os.environ["PATH"], "SLOW": slow}
    command = ["make", "--dry-run", "--assume-old=.venv/.dev", "--assume-old=.venv/.native", "test-python"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    (line,) = [line for line in done.stdout.splitlines() if "--no-loadscope-reorder" in line]
    assert line.split("--no-loadscope-reorder")[1].split(" tests/python")[0].strip() == marked
