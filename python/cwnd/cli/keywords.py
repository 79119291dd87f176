# SPDX-License-Identifier: MIT OR Apache-2.0
"""Keywords of one bottleneck as options of the command line: `--packet-size 1500B`, `--red MIN..MAX`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cwnd.cli.entry import fail
from cwnd.scenario.flowspec import traffic
from cwnd.scenario.keywords import DESCRIPTIONS, DISCIPLINES, KEYWORDS, QUEUE_FLAGS, SWEPT

if TYPE_CHECKING:
    from cwnd._native import Keyword, SettingOption

Command = Literal["compare", "sweep", "shell"]
#: What the disciplines say of their options, by their names.
OPTIONS: dict[str, SettingOption] = {
    name: discipline["option"] for name, discipline in DISCIPLINES.items() if discipline["option"] is not None
}


def keyword_options(command: Command, required: Collection[str] = ()) -> dict[str, object]:
    """The options of a command that are keywords, as typer declares them, by their names. Those that are `required` have no default there."""
    options = {
        name: declared({**row, "default": None} if name in required else row, command)
        for name, row in KEYWORDS.items()
        if has(command, row)
    }
    return options if command == "shell" else {**options, **discipline_options(), **flag_options()}


def has(command: Command, row: Keyword) -> bool:
    """Whether a command has the option of a keyword."""
    if command == "compare":
        return row["form"] is not None
    return row["in_shell"] if command == "shell" else row["name"] in SWEPT


def declared(row: Keyword, command: Command) -> object:
    """An option, as typer declares it."""
    sentences = [row["help"], row["option_help"]]
    if command == "sweep" and (axis := row["axis"]):
        ranges = "" if axis.startswith("{") else " or FROM..TO/COUNT[log]"
        sentences.append(f"One value, or an axis: {axis}{ranges}.")
    text = " ".join(filter(None, sentences))
    if row["form"] == "flag":
        return Annotated[bool, typer.Option(f"--{row['name'].replace('_', '-')}", help=text)]
    kind = list[str] | None if row["form"] == "tables" else str | None
    return Annotated[kind, typer.Option(metavar=row["metavar"], help=text, show_default=row["default"] or False)]


def metavar_of(option: SettingOption) -> str:
    """What the help calls the value of a discipline's option."""
    return "..".join(name.upper() for name in option["names"])


def discipline_options(options: Mapping[str, SettingOption] = OPTIONS) -> dict[str, object]:
    """The options of queue disciplines with settings."""
    return {
        name: Annotated[
            str | None, typer.Option(metavar=metavar_of(option), help=option["help"], show_default="DropTail")
        ]
        for name, option in options.items()
    }


def flag_options() -> dict[str, object]:
    """The options of queue disciplines without settings."""
    return {
        keyword: Annotated[bool, typer.Option(f"--{name}", help=f"The queue {DESCRIPTIONS[name]}.")]
        for keyword, name in QUEUE_FLAGS.items()
    }


def values_of(option: str, text: str, count: int, expected: str) -> list[str]:
    """The values of an option such as `FROM..TO`, or the one of `VALUE`; `expected` is what its refusal says."""
    # What follows the last dots belongs to the last value, whose key refuses more of them.
    values = text.split("..", count - 1)
    if len(values) != count:
        fail(f'{option}: "{text}" is not accepted; expected {expected}')
    return values


def number(text: str) -> int | str:
    """A whole number if the text is one; anything else as text, which the validation of the scenario refuses."""
    return int(text) if text.isascii() and text.isdigit() else text


def names(text: str) -> str | list[str | int]:
    """A word, or a list of names and numbers."""
    return text if text in ("all", "none") else [number(each.strip()) for each in text.split(",")]


#: What the text of an option means, by its form.
MEANINGS: dict[str, Callable[[str], object]] = {
    "text": str,
    "number": number,
    "names": names,
}


def given_values(given: Mapping[str, object], options: Mapping[str, SettingOption] = OPTIONS) -> dict[str, object]:
    """The keywords that options give, with values as `cwnd.compare` takes them. Ends the program where a text has not the form of its option."""
    values: dict[str, object] = {}
    for name, value in given.items():
        if value is None or value is False or value == []:
            continue
        if isinstance(value, list):
            values[name] = [traffic(text) for text in value]
        elif not isinstance(value, str):
            values[name] = value
        elif name in options:
            option = options[name]
            expected = f"{metavar_of(option)}, such as {'..'.join(option['example'])}"
            values[name] = dict(
                zip(option["names"], values_of(f"--{name}", value, len(option["names"]), expected), strict=True)
            )
        elif KEYWORDS[name]["form"] == "pair":
            values[name] = values_of(f"--{name}", value, 2, f"{KEYWORDS[name]['metavar']}, such as 20s..100s")
        else:
            values[name] = MEANINGS[KEYWORDS[name]["form"] or "text"](value)
    if "ecn" in values and values.keys().isdisjoint(options):
        fail(
            f"--ecn: not accepted; expected a queue that marks packets: {' or '.join(f'--{name}' for name in options)}"
        )
    return values
