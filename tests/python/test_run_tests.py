# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make test` runs each part to its end, and its last lines say what every part did."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools import ROOT
from tools.run_tests import Part

HERE = Path(__file__).parent

# A make that has five parts. It gets `--no-print-directory test-PART`.
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
    parts = ["python", "rust", "nextest", "kernel", "broken"]
    done = subprocess.run(
        [sys.executable, "-m", "tools.run_tests", "--jobs", str(jobs), *parts],
        cwd=ROOT,
        env={**os.environ, "MAKE": str(make), "PYTHONPATH": str(HERE), "COLUMNS": "200"},
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
        "skipped 4: left out by the profile or ignored",
        "kernel skipped 0 0 2",
        "skipped 1: the kernel lane needs root",
        "skipped 1: the kernel lane needs a kernel with BTF",
        "broken failed 0 0 0",
        "stopped with exit code 2: error: no compiler",
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
