# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the tests that the change of the working tree concerns; prints what it runs, and why.

python -m tools.affected                    the change since the branch left origin/main, or HEAD where that is unknown
python -m tools.affected --since COMMIT     since this commit
python -m tools.affected --list             prints and runs nothing
python -m tools.affected FILE ...           as if these files had changed
"""

from __future__ import annotations

import argparse
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tools.affected.plan import Plan, changed_files, plan
from tools.affected.python_tests import TESTS

ROOT = Path(__file__).resolve().parents[2]
#: pytest ends with it where it runs no test.
NO_TESTS = 5


def steps(of: Plan) -> list[list[str]]:
    """The commands of a plan."""
    if of.everything:
        return [["make", "test"]]
    found: list[list[str]] = []
    if of.crates:
        packages = ["--no-fail-fast", "--locked", *(word for crate in sorted(of.crates) for word in ("-p", crate))]
        runner = ["nextest", "run"] if shutil.which("cargo-nextest") else ["test"]
        found.append(["cargo", *runner, *packages])
        if runner == ["nextest", "run"]:
            found.append(["cargo", "test", "--quiet", "--doc", *packages])
    pytest = [".venv/bin/python", "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "4", "--dist", "loadfile"]
    if of.tests:
        found.append(["make", ".venv/.native"])
    if quick := of.tests - of.changed_tests:
        found.append([*pytest, "-m", "not slow", *sorted(quick)])
    if of.changed_tests:
        found.append([*pytest, *sorted(of.changed_tests)])
    return found


def main() -> int:
    """Prints the plan and runs it; the number of commands that failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--since")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    known = subprocess.run(["git", "rev-parse", "--verify", "--quiet", "origin/main"], cwd=ROOT, capture_output=True)
    since = asked.since or ("HEAD" if known.returncode else "origin/main")
    changed = asked.files or changed_files(ROOT, since)
    if not changed:
        print(
            f"nothing differs from {since}: SINCE=COMMIT compares with another commit, `make test` runs all quick tests"
        )
        return 0
    chosen = plan(changed, ROOT)
    for reason in chosen.reasons:
        print(reason)
    if chosen.everything:
        print(f"all quick tests: {chosen.everything}")
    failed = []
    for step in steps(chosen):
        print(f"$ {shlex.join(step)}", flush=True)
        code = 0 if asked.list else subprocess.run(step, cwd=ROOT).returncode
        if "pytest" in step and code == NO_TESTS:
            print(f"no test ran: those of {', '.join(word for word in step if word.startswith(TESTS))} are all slow")
        elif code:
            failed.append(shlex.join(step))
    for other in sorted(chosen.others):
        print(f"not run here: {other}")
    if chosen.tests - chosen.changed_tests:
        print("slow tests of unchanged files are left out: `make test-all` runs them")
    for step_failed in failed:
        print(f"failed: {step_failed}")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"processor time {used.ru_utime + used.ru_stime:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
