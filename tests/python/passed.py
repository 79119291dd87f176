# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests that have passed elsewhere: `--record-passed FILE` writes their names, a line each, and `--leave-out FILE` leaves them out."""

from __future__ import annotations

from pathlib import Path

import pytest


def add_options(parser: pytest.Parser) -> None:
    """Adds both options to pytest."""
    parser.addoption("--record-passed", type=Path, metavar="FILE", help="write the names of the tests that pass")
    parser.addoption("--leave-out", type=Path, metavar="FILE", help="leave out the tests that this file names")


class Passed:
    """A plugin of pytest: does what the options say."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._record: Path | None = config.getoption("record_passed")
        names: Path | None = config.getoption("leave_out")
        self._known = set(names.read_text().splitlines()) if names else set()

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        left_out = [item for item in items if item.nodeid in self._known]
        if left_out:
            items[:] = [item for item in items if item.nodeid not in self._known]
            self._config.hook.pytest_deselected(items=left_out)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """In the process that has the results of all others."""
        if self._record:
            names = {report.nodeid for report in terminalreporter.stats.get("passed", ()) if report.when == "call"}
            # A test whose fixture failed afterwards did not pass.
            names -= {report.nodeid for report in terminalreporter.stats.get("error", ())}
            self._record.write_text("".join(f"{name}\n" for name in sorted(names)))
