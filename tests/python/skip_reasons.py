# SPDX-License-Identifier: MIT OR Apache-2.0
"""The last lines of a test run say how many tests were skipped for which reason, in the form that tools/run_tests.py reads."""

from __future__ import annotations

from collections import Counter

import pytest


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, on one line."""
    words = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return " ".join(words.removeprefix("Skipped: ").split())


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(map(reason_of, terminalreporter.stats.get("skipped", [])))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
