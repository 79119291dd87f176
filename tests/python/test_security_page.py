# SPDX-License-Identifier: MIT OR Apache-2.0
"""The page on security names a test for each promise, and each of these tests is there."""

from __future__ import annotations

import re

from test_links import ROOT, tracked


def test_each_promise_of_the_page_on_security_names_tests_that_are_there() -> None:
    page = (ROOT / "docs/security.md").read_text()
    promises = page.partition("## Promises and their tests")[2]
    rows = [
        line for line in promises.splitlines() if line.startswith("| ") and not line.startswith(("| ---", "| promise"))
    ]
    assert len(rows) > 25
    sources = "\n".join(path.read_text() for path in tracked("*.py", "*.rs"))
    defined = set(re.findall(r"^\s*(?:def|fn) (\w+)\(", sources, re.MULTILINE))
    for row in rows:
        names = re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1])
        assert names, row
        for name in names:
            is_there = (ROOT / name).is_file() if "/" in name else name in defined or name.startswith("make ")
            assert is_there, name
