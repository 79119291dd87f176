# SPDX-License-Identifier: MIT OR Apache-2.0
"""What runs on this machine, without a program that a minimal Debian lacks."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def command_lines() -> list[str]:
    """The command line of every process."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        # One that ends meanwhile is left out.
        with suppress(OSError):
            found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
    return found
