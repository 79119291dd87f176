# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd complete`, for the shells' scripts: what the last word may become."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    context: typer.Context,
    shell: Annotated[str, typer.Argument(metavar="SHELL")],
    words: Annotated[list[str], typer.Argument(metavar="WORD...")],
) -> None:
    """Print the completions of the last word, one per line: the kind (word, part of a word, file, folder or command), the word, its meaning."""
    from cwnd.cli.completion.candidates import candidates
    from cwnd.cli.completion.words import of_bash

    *before, current = words
    cut = 0
    if shell == "bash":
        before, current, cut = of_bash(*words)
    for candidate in candidates(context.find_root(), before, current):
        print(candidate.kind, candidate.value[cut:], candidate.help, sep="\t")
