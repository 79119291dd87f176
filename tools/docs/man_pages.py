# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the wheel installs beside the package: manual pages, from the declarations of the commands, and the shells' completions.

python -m tools.docs.man_pages            writes share/data/share
python -m tools.docs.man_pages --check    changes nothing; fails if a file there is out of date
"""

from __future__ import annotations

import sys
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
from tools import ROOT

if TYPE_CHECKING:
    from typer._click.core import Command, Context

#: `data` in pyproject.toml; what is in its folder `data` goes to the folder that Python is installed in.
SHARE = ROOT / "share" / "data" / "share"
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
    """A text in lines, of which none begins with a request."""
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
    return '.\\" Written by make docs from the declarations of the commands.\n' + "\n".join(lines) + "\n"


def texts() -> dict[Path, str]:
    """All files, by their paths."""
    program = typer.main.get_command(app)
    context = typer.Context(program, info_name="cwnd")
    all_commands = [("cwnd", program, context), *commands(program, context, "cwnd")]
    folder = SHARE / "man" / "man1"
    pages = {
        folder / f"{path.replace(' ', '-')}.1": page(path, command, inner) for path, command, inner in all_commands
    }
    return pages | {SHARE / place: script(shell) for shell, place in COMPLETIONS.items()}


def stale() -> list[str]:
    """Files that are not what the commands say, and those that no command has."""
    wanted = texts()
    wrong = [path for path, text in wanted.items() if not path.exists() or path.read_text() != text]
    return [str(path.relative_to(ROOT)) for path in [*wrong, *(path for path in there() if path not in wanted)]]


def there() -> list[Path]:
    """The files that are there."""
    return [path for path in SHARE.rglob("*") if path.is_file()]


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        if wrong := stale():
            raise SystemExit(f"out of date: {', '.join(sorted(wrong))}; run make docs")
        return
    wanted = texts()
    for path in there():
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main()
