# SPDX-License-Identifier: MIT OR Apache-2.0
"""Candidates for the last word of a command line: commands, options, and values, from the declarations of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cwnd.cli.completion.values import BY_METAVAR, BY_NAME, FILE, Candidate

if TYPE_CHECKING:
    from typer._click.core import Command, Context, Parameter

#: Longest help next to a candidate, letters.
HELP = 80


class Line:
    """The words before the last one, as the parser of options would take them."""

    def __init__(self, program: Context, before: list[str]) -> None:
        self.command: Command = program.command
        self._context = program
        #: Options that are given, the words that are arguments, and the option whose value is the next word.
        self.given: set[str] = set()
        self.arguments: list[str] = []
        self.waiting: Parameter | None = None
        #: Behind `--`, or in the command line of another program, nothing is an option.
        self.is_over = False
        for word in before:
            self._take(word)

    def _take(self, word: str) -> None:
        if self.waiting is not None:
            self.waiting = None
        elif self.is_over:
            self.arguments.append(word)
        elif word == "--":
            self.is_over = True
        elif word.startswith("-") and word != "-":
            name, equals, _ = word.partition("=")
            option = self.options().get(name)
            self.given |= set(option.opts) if option is not None else set()
            self.waiting = option if option is not None and not equals and not is_flag(option) else None
        elif self.commands:
            self.command = self.commands.get(word, self.command)
            self.given = set()
        else:
            self.arguments.append(word)
            self.is_over = not self.command.context_settings.get("allow_interspersed_args", True)

    @property
    def commands(self) -> dict[str, Command]:
        """The commands of this one, if it is a group."""
        commands: dict[str, Command] = vars(self.command).get("commands", {})
        return {name: command for name, command in commands.items() if not command.hidden}

    def options(self) -> dict[str, Parameter]:
        """The options of the command, by all their names."""
        parameters = self.command.get_params(self._context)
        return {name: each for each in parameters if each.param_type_name == "option" for name in each.opts}

    def argument(self) -> Parameter | None:
        """The argument that the last word belongs to."""
        parameters = [each for each in self.command.params if each.param_type_name == "argument"]
        place = len(self.arguments)
        for parameter in parameters:
            if parameter.nargs == -1 or place < parameter.nargs:
                return parameter
            place -= parameter.nargs
        return None


def candidates(program: Context, before: list[str], current: str) -> list[Candidate]:
    """Candidates for `current` after the words `before`, which do not include the program's name."""
    line = Line(program, before)
    start = ""
    if line.waiting is None and not line.is_over and current.startswith("-"):
        name, equals, value = current.partition("=")
        option = line.options().get(name)
        if not equals or option is None or is_flag(option):
            return list(options_of(line, current))
        line.waiting, start, current = option, f"{name}=", value
    parameter = line.waiting or line.argument()
    if line.waiting is None and line.commands:
        found = [
            Candidate("word", name, helped(command.get_short_help_str(HELP))) for name, command in line.commands.items()
        ]
    elif parameter is None:
        found = []
    else:
        found = list(values_of(line, parameter, current, before))
    return [
        Candidate(each.kind, start + each.value, helped(each.help)) if each.value else each
        for each in found
        if not each.value or each.value.startswith(current)
    ]


def options_of(line: Line, current: str) -> Iterator[Candidate]:
    """The options that begin so and are not given, but for those that may be repeated; short ones only where they are asked for."""
    for name, option in line.options().items():
        is_asked_for = name.startswith("--") or current == "-"
        is_there = name in line.given and not getattr(option, "multiple", False)
        if name.startswith(current) and is_asked_for and not is_there and not getattr(option, "hidden", False):
            yield Candidate("word", name, helped(getattr(option, "help", None) or ""))


def values_of(line: Line, parameter: Parameter, current: str, before: list[str]) -> Iterator[Candidate]:
    """The values of an option or an argument."""
    metavar, choices = parameter.metavar or "", getattr(parameter.type, "choices", None)
    source = BY_NAME.get((line.command.name or "", parameter.name or "")) or BY_METAVAR.get(metavar)
    if choices:
        yield from (Candidate("word", str(choice)) for choice in choices)
    elif source is not None:
        yield from source(current, before)
    elif "path" in type(parameter.type).__name__.lower():
        yield from FILE(current, before)


def is_flag(parameter: Parameter) -> bool:
    """Whether an option takes no value."""
    return bool(getattr(parameter, "is_flag", False))


def helped(text: str) -> str:
    """The first sentence of a help, in one line."""
    line = " ".join(text.split())
    sentence = line.partition(". ")[0].rstrip(".")
    return sentence if len(sentence) <= HELP else f"{sentence[: HELP - 1]}…"
