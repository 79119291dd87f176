# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs parts of the tests to their end and prints one table of what they did: `python3 -m tools.run_tests [--jobs N] PART...`.

A part is a target `test-PART` of the Makefile. The counts come from what pytest, cargo and nextest print; a line `skipped: REASON`,
or `skipped N: REASON`, of any program is a skip. The exit code is 1 if a part failed. Python's standard library is enough.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tools import ROOT

#: They take longest, and wait a lot: beside them the other parts run on the processor time that is left.
LONG = ("python", "kernel")
#: Most names of failed tests per part in the table; the output above has all of them.
SHOWN = 20

COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?)\b")
PYTEST = re.compile(r"^(?:=+ )?\d+ [a-z]+(?:, \d+ [a-z]+)* in \d+\.\d+s(?: \(.*\))?(?: =+)?$")
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
NEXTEST = re.compile(r"^ *Summary \[.*\].* tests? run:")
SKIPPED = re.compile(r"^skipped(?: (\d+))?: (.+)$")
IGNORED = re.compile(r"^test (?!result)\S.* \.\.\. ignored(?:, (.+))?$")
FAILED = (
    re.compile(r"^(?:FAILED|ERROR) (\S+::.+?)(?: - .*)?$"),
    re.compile(r"^test (?!result)(\S.*?)(?: - should panic)? \.\.\. FAILED$"),
    re.compile(
        r"^ +(?:TRY \d+ )?(?:FAIL|ABORT|SIGSEGV|SIGABRT|TIMEOUT|LEAK-FAIL) \[.*?\] +(?:\( *\d+/\d+\) +)?(\S.*)$"
    ),
)
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@dataclass
class Part:
    """What a part did."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    code: int = 0
    wall_s: float = 0.0
    last: str = ""

    def take(self, line: str) -> None:
        """Reads a line of the part's output."""
        line = COLOURS.sub("", line.rstrip())
        self.last = line or self.last
        if cargo := CARGO.match(line):
            self.passed += int(cargo[1])
            self.failed += int(cargo[2])
        elif PYTEST.match(line) or NEXTEST.match(line):
            counts = {kind: int(count) for count, kind in COUNT.findall(line)}
            self.passed += counts.get("passed", 0)
            self.failed += counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
            if NEXTEST.match(line) and counts.get("skipped"):
                self.skipped["left out by the profile or ignored"] += counts["skipped"]
        elif skip := SKIPPED.match(line):
            self.skipped[skip[2]] += int(skip[1] or 1)
        elif ignored := IGNORED.match(line):
            self.skipped[ignored[1] or "ignored unless asked for"] += 1
        else:
            for pattern in FAILED:
                if (failure := pattern.match(line)) and failure[1] not in self.failures:
                    self.failures.append(failure[1])

    @property
    def result(self) -> str:
        """One word."""
        if self.code:
            return "failed"
        return "passed" if self.passed or not self.skipped else "skipped"


def command(part: str, parallel: bool) -> list[str]:
    """The command of a part, in the background beside the long ones."""
    nice = ["nice", "-n", "10"] if parallel and part not in LONG else []
    return [*nice, os.environ.get("MAKE", "make"), "--no-print-directory", f"test-{part}"]


#: One part's output at a time is printed.
printing = threading.Lock()


def run(name: str, parallel: bool) -> Part:
    """Runs a part; prints its output as it comes or, of several at a time, when it ends."""
    part, lines, started = Part(name), list[str](), time.monotonic()
    # A part has as many processes as its own command says; nothing of the calling make's.
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    process = subprocess.Popen(
        command(name, parallel),
        cwd=ROOT,
        env=environment | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    assert process.stdout
    for line in process.stdout:
        part.take(line)
        if parallel:
            lines.append(line)
        else:
            print(line, end="", flush=True)
    _, status, used = os.wait4(process.pid, 0)
    part.code = process.returncode = os.waitstatus_to_exitcode(status)
    part.wall_s = time.monotonic() - started
    with printing:
        print("".join(lines), end="")
        print(
            f"test-{name} took {part.wall_s:.0f} s; processor time {used.ru_utime:.0f} + {used.ru_stime:.0f} s",
            flush=True,
        )
    return part


def table(parts: Iterable[Part]) -> str:
    """A row per part, the tests that failed, and why tests were skipped."""
    lines = ["", f"{'part':8} {'result':8} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>8}"]
    for part in parts:
        counts = f"{part.passed:7} {part.failed:7} {part.skipped.total():8} {part.wall_s:6.0f} s"
        lines.append(f"{part.name:8} {part.result:8} {counts}")
        lines += [f"    failed: {name}" for name in part.failures[:SHOWN]]
        if len(part.failures) > SHOWN:
            lines.append(f"    failed: {len(part.failures) - SHOWN} more")
        if part.code and not part.failed:
            lines.append(f"    stopped with exit code {part.code}: {part.last}")
        lines += [f"    skipped {count}: {reason}" for reason, count in part.skipped.most_common()]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> int:
    """Runs the parts; 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python3 -m tools.run_tests", description="Runs parts of the tests.")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="parts at a time")
    parser.add_argument("parts", nargs="+", metavar="PART")
    asked = parser.parse_args(arguments)
    parallel = asked.jobs > 1
    with ThreadPoolExecutor(max(asked.jobs, 1)) as pool:
        parts = list(pool.map(lambda name: run(name, parallel), asked.parts))
    print(table(parts))
    return 1 if any(part.code for part in parts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
