# SPDX-License-Identifier: MIT OR Apache-2.0
"""Shared set-ups: the installed program, and a short run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# What fails is printed with what repeats it; nothing is kept on disk, and a busy machine is no fault.
settings.register_profile("cwnd", database=None, deadline=None, print_blob=True)
settings.load_profile("cwnd")

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = Path(sys.executable).with_name("cwnd")
SHORT = ("compare", "cubic:2", "sack", "--rate", "20Mbit/s", "--rtt", "20ms", "--duration", "3s")


@pytest.fixture
def cwnd() -> Cli:
    """Runs the program as a user would, in a process of its own."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [str(PROGRAM), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload,no-any-return]

    return run
