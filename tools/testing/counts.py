# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a part of the tests did, read from what pytest, cargo and nextest print; and the table of all parts."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

#: Most names of failed tests per part in the table; the output above has all of them.
SHOWN = 20

COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?)\b")
PYTEST = re.compile(r"^(?:=+ )?\d+ [a-z]+(?:, \d+ [a-z]+)* in \d+\.\d+s(?: \(.*\))?(?: =+)?$")
CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
NEXTEST = re.compile(r"^ *Summary \[.*\].* tests? run:")
#: What the tests of the web page print (web/test/harness.mjs).
WEB = re.compile(r"^(ok {4}|BROKEN) \S")
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


def left_out_by_nextest(slow: str) -> str | None:
    """Why nextest, which names no reasons, left tests out, by the variable SLOW; `None`: they were not asked for."""
    if slow == "only":
        return None
    return "ignored, make test-all runs them" if slow in ("", "0") else "left out by the profile of nextest"


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
    #: How it was ended, if it did not end.
    unended: str = ""
    is_stopped: bool = False
    is_left_out: bool = False

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
            why = left_out_by_nextest(os.environ.get("SLOW", "")) if NEXTEST.match(line) else None
            if why and counts.get("skipped"):
                self.skipped[why] += counts["skipped"]
        elif web := WEB.match(line):
            self.passed += web[1] != "BROKEN"
            self.failed += web[1] == "BROKEN"
            self.failures += [line.removeprefix("BROKEN ")] if web[1] == "BROKEN" else []
        elif skip := SKIPPED.match(line):
            self.skipped[skip[2]] += int(skip[1] or 1)
        elif ignored := IGNORED.match(line):
            self.skipped[ignored[1] or "ignored unless asked for"] += 1
        else:
            for pattern in FAILED:
                if (failure := pattern.match(line)) and failure[1] not in self.failures:
                    self.failures.append(failure[1])

    @property
    def has_failed(self) -> bool:
        """Whether it gave an exit code, or did not end: its make may have ended well before what it started."""
        return bool(self.code or self.unended)

    @property
    def result(self) -> str:
        """One word."""
        if self.is_stopped:
            return "stopped"
        if self.has_failed:
            return "failed"
        return "skipped" if self.is_left_out or (self.skipped and not self.passed) else "passed"


def table(parts: Iterable[Part]) -> str:
    """A row per part, the tests that failed, and why tests were skipped."""
    lines = ["", f"{'part':8} {'result':8} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>8}"]
    for part in parts:
        counts = f"{part.passed:7} {part.failed:7} {part.skipped.total():8} {part.wall_s:6.0f} s"
        lines.append(f"{part.name:8} {part.result:8} {counts}")
        lines += [f"    failed: {name}" for name in part.failures[:SHOWN]]
        if len(part.failures) > SHOWN:
            lines.append(f"    failed: {len(part.failures) - SHOWN} more")
        if part.unended or (part.code and not part.failed):
            lines.append(f"    {part.unended or f'stopped with exit code {part.code}'}: {part.last}".removesuffix(": "))
        if part.is_left_out:
            lines.append("    slow, make test-all runs it")
        lines += [f"    skipped {count}: {reason}" for reason, count in part.skipped.most_common()]
    return "\n".join(lines)
