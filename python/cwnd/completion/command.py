# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd completion` and, for the shells' scripts, `cwnd complete`."""

from __future__ import annotations

from importlib.resources import files
from typing import Annotated

import typer

from cwnd.input_errors import refused

#: The shells, and their scripts.
SCRIPTS = {"bash": "cwnd.bash", "zsh": "_cwnd", "fish": "cwnd.fish"}


def script(shell: str) -> str:
    """The script of a shell."""
    return (files("cwnd.completion") / "scripts" / SCRIPTS[shell]).read_text(encoding="utf-8")


def completion(shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print the script that completes command lines of cwnd in a shell; its first line says where to put it."""
    if shell not in SCRIPTS:
        raise refused("SHELL", shell, "a shell", SCRIPTS)
    print(script(shell), end="")


def complete(
    context: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="SHELL")],
    words: Annotated[list[str], typer.Argument(metavar="WORD...")],
) -> None:
    """Print what the last word may become, a line each: word, part (of a word), file, folder or command; the word; what it is."""
    from cwnd.completion.candidates import candidates
    from cwnd.completion.words import of_bash

    *before, current = words
    cut = 0
    if shell == "bash":
        before, current, cut = of_bash(*words)
    for candidate in candidates(context.find_root(), before, current):
        print(candidate.kind, candidate.value[cut:], candidate.help, sep="\t")


def add(app: typer.Typer) -> None:
    """Adds the two commands to the program."""
    app.command()(completion)
    app.command(hidden=True)(complete)
