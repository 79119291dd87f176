# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the program prints on standard error, except errors and warnings, which `-q` and `-v` do not change.

`-q` leaves out progress and notes; `-v` adds how a result came about. Without the program, from Python, notes are as without either.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from cwnd._internal.escapes import one_line


class Level(IntEnum):
    """How much the program prints."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


_level = Level.NORMAL


def choose(level: Level) -> None:
    """Sets the level for this process."""
    global _level
    _level = level


def note(text: str) -> None:
    """Says what was done, such as where a result is; not with `-q`."""
    if _level >= Level.NORMAL:
        print(one_line(text), file=sys.stderr)


def detail(text: str) -> None:
    """Says how something is done; only with `-v`."""
    if _level >= Level.VERBOSE:
        print(one_line(text), file=sys.stderr)


@contextmanager
def phase(name: str) -> Iterator[None]:
    """Says how long the body took, wall clock; only with `-v`."""
    start_s = time.monotonic()
    yield
    detail(f"{name}: {time.monotonic() - start_s:.2f} s")


def shows_progress() -> bool:
    """Whether progress is shown: on a terminal, without `-q`."""
    return _level >= Level.NORMAL and sys.stderr.isatty()
