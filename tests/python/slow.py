# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which tests are slow (`make test` leaves them out), and a guard: others cannot start what makes a test slow.

A test is slow that is marked so, or that uses one of `FIXTURES`. The guard puts a program in front of each of `PROGRAMS`, for all
processes that the tests start; it lets the program run for slow tests only. Only slow tests may import `MODULES`.
It does not see a program that is started by its full path, nor an import in another process.
Namespaces are made without a program: the fixture `lab` marks their tests.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

#: They build a crate, load into the kernel, make namespaces, or start a browser, a cluster or Node.js.
FIXTURES = {"chromium", "cluster", "core_built", "lab", "quic_go", "turn", "wasm"}
PROGRAMS = ("cargo", "chromium", "firefox", "firefox-esr", "g++", "go", "iperf3", "node", "npm", "ns", "ns2", "unshare")
#: Questions to `PROGRAMS` that take no time, as a shell's `case` has them: all that a program is told. `cargo -v build` is none.
QUESTIONS = "version|-V|-v|--version"
#: Questions to one of them, with whatever follows.
QUESTIONS_TO = {"cargo": "|metadata|'metadata '*"}
MODULES = {"distributed", "ipykernel", "nbclient"}


def is_slow(item: pytest.Item) -> bool:
    """Whether a test is slow."""
    return item.get_closest_marker("slow") is not None


class Guard:
    """A plugin of pytest: the marker `slow`, and the programs in front of `PROGRAMS` on the path."""

    def __init__(self, folder: Path, starts_tests: bool) -> None:
        """`starts_tests`: its process runs tests itself. One that gives them to others leaves the path to them: they inherit it."""
        self._folder = folder
        self._allowed, self._refused = folder / "allowed", folder / "refused"
        self._left_out = 0
        folder.chmod(0o755)  # Some tests start programs as another user.
        if starts_tests:
            self._stand_before_programs(folder / "programs")
            sys.meta_path.insert(0, self)

    def _stand_before_programs(self, programs: Path) -> None:
        programs.mkdir()
        for name in PROGRAMS:
            if real := shutil.which(name):
                (programs / name).write_text(self._script(name, real))
                (programs / name).chmod(0o755)
        os.environ["PATH"] = f"{programs}:{os.environ['PATH']}"

    def _script(self, name: str, real: str) -> str:
        return f"""#!/bin/sh
case "$*" in
    {QUESTIONS}{QUESTIONS_TO.get(name, "")}) ;;
    *)
        if [ ! -e '{self._allowed}' ]; then
            echo "{name}" >>'{self._refused}'
            echo "{name}: only a test that is marked slow may start it" >&2
            exit 97
        fi
        ;;
esac
exec '{real}' "$@"
"""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Called for every module that is imported for the first time; leaves the import to others."""
        if name in MODULES and not self._allowed.exists():
            with self._refused.open("a") as file:
                file.write(f"import {name}\n")

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before `-m "not slow"` chooses."""
        for item in items:
            if FIXTURES & set(getattr(item, "fixturenames", ())):
                item.add_marker(pytest.mark.slow)

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self._left_out += sum(map(is_slow, items))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._refused.unlink(missing_ok=True)
        if is_slow(item):
            self._allowed.touch()
        else:
            self._allowed.unlink(missing_ok=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest) -> None:
        """A fixture that a test asks for while it runs does not mark it."""
        if fixturedef.argname in FIXTURES and not self._allowed.exists():
            pytest.fail(f"it needs the marker slow, for the fixture {fixturedef.argname}", pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if self._refused.exists():
            tried = ", ".join(sorted(set(self._refused.read_text().splitlines())))
            report.outcome, report.longrepr = "failed", f"it needs the marker slow, for {tried}"
        return report

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["left_out"] = self._left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: WorkerController) -> None:
        """Each process of the tests leaves out the same."""
        self._left_out = getattr(node, "workeroutput", {}).get("left_out", self._left_out)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._left_out:
            terminalreporter.write_line(f"skipped {self._left_out}: slow, make test-all runs them")

    def pytest_unconfigure(self) -> None:
        shutil.rmtree(self._folder)
