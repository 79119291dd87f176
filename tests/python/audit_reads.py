# SPDX-License-Identifier: MIT OR Apache-2.0
"""A plugin of pytest: writes which files of a tree each file of tests opens itself, for `AUDIT_ROOT` into the folder `AUDIT_OUT`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from types import FrameType

import pytest

ROOT = os.environ["AUDIT_ROOT"] + "/"
#: Code that reads files by which something is imported or shown: imports say that already, and hypothesis takes numbers from them.
IMPORTING = ("<frozen importlib", "/_pytest/", "/hypothesis/", "linecache.py", "tokenize.py")
opened: dict[str, set[str]] = {}
current: list[str] = []


def hook(event: str, arguments: tuple[object, ...]) -> None:
    """Called for whatever the interpreter audits."""
    if event != "open" or not current or not isinstance(arguments[0], str):
        return
    path = os.path.normpath(Path(arguments[0]).absolute())
    if path.startswith(ROOT) and not is_import():
        opened.setdefault(current[-1], set()).add(path.removeprefix(ROOT))


def is_import() -> bool:
    """Whether it is an import, or what shows code, that opens a file now, and no code of the tree."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if any(part in name for part in IMPORTING):
            return True
        if name.startswith(ROOT) and "/site-packages/" not in name:
            return False
        frame = frame.f_back
    return False


def pytest_configure() -> None:
    sys.addaudithook(hook)


def pytest_collectstart(collector: pytest.Collector) -> None:
    if isinstance(collector, pytest.Module):
        current[:] = [collector.nodeid]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    current[:] = [item.nodeid.partition("::")[0]]


def pytest_unconfigure() -> None:
    current.clear()
    text = json.dumps({test: sorted(paths) for test, paths in opened.items()})
    Path(os.environ["AUDIT_OUT"], f"{os.getpid()}.json").write_text(text)
