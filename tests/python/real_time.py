# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests in real time run again when they fail: a busy machine delays packets, and a real TCP then takes another path.

A test in real time uses a fixture of `FIXTURES`, or has the marker `real_time`. It fails when all its `TRIES` fail, or one that took longer than `MOST_S`. The last lines of a run name the tests
that failed before they passed.
"""

from __future__ import annotations

import time

import pytest
from _pytest.runner import runtestprotocol

#: The fixtures of tests with the running kernel's TCP: through the links of lane live, or with algorithms that are loaded.
FIXTURES = {"lab", "turn"}
#: How often such a test runs until it passes.
TRIES = 3
#: A try that took longer is the last one, s: a test that waits in vain does so again.
MOST_S = 180.0
#: Pause before another try, s: what delays a machine lasts for a while.
PAUSE_S = 2.0


def is_real_time(item: pytest.Item) -> bool:
    """Whether a test's outcome depends on when the machine runs it."""
    return item.get_closest_marker("real_time") is not None or not FIXTURES.isdisjoint(
        getattr(item, "fixturenames", ())
    )


class RealTime:
    """A plugin of pytest: runs tests in real time up to `TRIES` times."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if not is_real_time(item):
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        failures: list[str] = []
        for number in range(1, TRIES + 1):
            begin = time.monotonic()
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            failed = [report for report in reports if report.failed]
            if not failed or number == TRIES or time.monotonic() - begin > MOST_S:
                break
            failures.append(reason(failed[0]))
            time.sleep(PAUSE_S)
        for report in reports:
            report.user_properties.extend(("failed before", text) for text in failures)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for report in terminalreporter.stats.get("passed", ()):
            texts = [text for name, text in report.user_properties if name == "failed before"]
            if texts and report.when == "call":
                terminalreporter.write_line(f"passed at try {len(texts) + 1}: {report.nodeid}")
                for text in texts:
                    terminalreporter.write_line(f"  failed before: {text}")


def reason(report: pytest.TestReport) -> str:
    """Why a test failed, on one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = f"{crash.path}:{crash.lineno}: {crash.message}" if crash is not None else str(report.longrepr)
    return " ".join(text.split())[:300]
