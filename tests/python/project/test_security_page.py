# SPDX-License-Identifier: MIT OR Apache-2.0
"""The page on security names a test for each promise, and each of these tests is there."""

from __future__ import annotations

import re

from test_links import ROOT, tracked

#: For `make check`.
READS = ("tests/python/**/test_*.py", "**/*.rs")


def test_each_promise_of_the_page_on_security_names_tests_that_are_there() -> None:
    page = (ROOT / "docs/security.md").read_text()
    promises = page.partition("## Promises and their tests")[2]
    rows = [
        line for line in promises.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| promise"))
    ]
    assert len(rows) > 25
    in_python = "\n".join(path.read_text() for path in tracked("tests/python/**/test_*.py"))
    in_rust = "\n".join(path.read_text() for path in tracked("*.rs"))
    tests = {
        *re.findall(r"^def (test_\w+)\(", in_python, re.MULTILINE),
        *re.findall(r"#\[test\]\s+fn (\w+)\(", in_rust),
    }
    commands = {f"make {target}" for target in re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)}
    for row in rows:
        names = re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1])
        assert names, row
        for name in names:
            is_there = (ROOT / name).is_file() if "/" in name else name in tests | commands
            assert is_there, name
