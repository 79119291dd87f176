# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd completion`: the script of a shell."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

import typer

from cwnd._internal.input_errors import refused

#: The shells, and their scripts.
SCRIPTS = {"bash": "cwnd.bash", "zsh": "_cwnd", "fish": "cwnd.fish"}


def script(shell: str) -> str:
    """The script of a shell."""
    return (files("cwnd.cli.completion") / "scripts" / SCRIPTS[shell]).read_text(encoding="utf-8")


def command(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print the completion script for a shell; its first line says where to put it."""
    if shell not in SCRIPTS:
        raise refused("SHELL", shell, "a shell", SCRIPTS)
    print(script(shell), end="")
