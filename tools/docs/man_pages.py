# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the wheel installs in addition to the package: manual pages, from the declarations of the commands, and the shells' completions.

python -m tools.docs.man_pages DIR    writes them below DIR, as they stand in the folder share of an installation
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer
import typer.main

from cwnd import _native
from cwnd.cli.app import app
from cwnd.cli.commands.completion import script
from cwnd.cli.help_panels import first_sentence

if TYPE_CHECKING:
    from typer._click.core import Command, Context

PAGES = "man/man1"
COMPLETIONS = {
    "bash": "bash-completion/completions/cwnd",
    "zsh": "zsh/site-functions/_cwnd",
    "fish": "fish/vendor_completions.d/cwnd.fish",
}
#: Before a letter that would begin a request of roff.
PLAIN = "\\&"
#: Of the text below; the rest follows the commands.
DATE = "2026-11-24"
EXIT = [
    ("0", "Done."),
    ("1", "The environment failed (disk, rights), an algorithm of your own did, or what was compared differs."),
    ("2", "The input was refused. One line says what, and what was expected."),
    ("130", "Stopped by Ctrl-C."),
    ("other", "Of cwnd shell and cwnd kernel use: what the command ended with."),
]
VARIABLES = [
    ("CWND_DEFAULTS", "A file of defaults instead of the user's; empty, none."),
    ("XDG_CONFIG_HOME", "Where the folder cwnd with the user's defaults is, instead of ~/.config."),
]
FILES = [
    (
        "~/.config/cwnd/defaults.toml",
        "The user's defaults: a table per command, its keys the command's options without their dashes.",
    )
]


def escaped(text: str) -> str:
    """A text as roff takes it, in ASCII."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "").replace("'", "\\(aq")
    return "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)


def wrapped(text: str) -> list[str]:
    """A text in lines that do not begin with a request."""
    lines = textwrap.wrap(" ".join(text.split()), 70, break_long_words=False, break_on_hyphens=False)
    return [(PLAIN if line.startswith((".", "'")) else "") + escaped(line) for line in lines]


def paragraphs(text: str) -> Iterator[str]:
    """The paragraphs of a help."""
    for number, paragraph in enumerate(text.strip().split("\n\n")):
        if number:
            yield ".PP"
        yield from wrapped(paragraph)


def entries(rows: list[tuple[str, str]]) -> Iterator[str]:
    """A list: what is set in bold, and below it its meaning."""
    for name, text in rows:
        yield ".TP"
        yield f"\\fB{escaped(name)}\\fR"
        yield from wrapped(text)


def commands(group: Command, context: Context, path: str) -> Iterator[tuple[str, Command, Context]]:
    """The commands below a group that the help shows, with their names as they are typed and their contexts."""
    for name, command in vars(group)["commands"].items():
        if command.hidden:
            continue
        inner = typer.Context(command, info_name=name, parent=context)
        yield f"{path} {name}", command, inner
        if "commands" in vars(command):
            yield from commands(command, inner, f"{path} {name}")


def page(path: str, command: Command, context: Context) -> str:
    """The page of a command."""
    title = path.replace(" ", "-")
    below = (
        [(name, first_sentence(each.help or "")) for name, each, _ in commands(command, context, path)]
        if "commands" in vars(command)
        else []
    )
    parameters: dict[str, list[tuple[str, str]]] = {"argument": [], "option": []}
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            parameters[parameter.param_type_name].append(record)
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH {title.upper()} 1 {DATE} "cwnd {_native.__version__}" "User commands"',
        # No hyphens in names of files and options, no gaps.
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{escaped(title)} \\- {escaped(first_sentence(command.help or '').rstrip('.'))}",
        ".SH SYNOPSIS",
        f"\\fB{escaped(path)}\\fR {escaped(usage)}",
        ".SH DESCRIPTION",
        *paragraphs(command.help or ""),
    ]
    for heading, rows in (
        ("COMMANDS", below),
        ("ARGUMENTS", parameters["argument"]),
        ("OPTIONS", parameters["option"]),
    ):
        if rows:
            lines += [f".SH {heading}", *entries(rows)]
    if path == "cwnd":
        for heading, rows in (("EXIT STATUS", EXIT), ("ENVIRONMENT", VARIABLES), ("FILES", FILES)):
            lines += [f".SH {heading}", *entries(rows)]
        others = [name for name, _ in below]
    else:
        others = ["cwnd", *(name for name, _ in below)]
    see = [f"\\fB{escaped(name.replace(' ', '-'))}\\fR(1)" for name in others]
    lines += [".SH SEE ALSO", ",\n".join(see)]
    return '.\\" Written from the declarations of the commands.\n' + "\n".join(lines) + "\n"


def all_commands() -> list[tuple[str, Command, Context]]:
    """The program and its commands, with their names as they are typed and their contexts."""
    program = typer.main.get_command(app)
    context = typer.Context(program, info_name="cwnd")
    return [("cwnd", program, context), *commands(program, context, "cwnd")]


def texts() -> dict[str, str]:
    """All files, by their paths."""
    pages = {
        f"{PAGES}/{path.replace(' ', '-')}.1": page(path, command, context) for path, command, context in all_commands()
    }
    return pages | {place: script(shell) for shell, place in COMPLETIONS.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes the manual pages and the completions of the shells.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where man, bash-completion, zsh and fish are written")
    folder = parser.parse_args().folder
    for name, text in texts().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
