# SPDX-License-Identifier: MIT OR Apache-2.0
"""Queue disciplines as options of the command line: `--red MIN..MAX`, or one value for a discipline whose option has one setting; `--ecn`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cwnd.cli.entry import fail
from cwnd.cli.options import values_of
from cwnd.scenario.builders import DISCIPLINES

if TYPE_CHECKING:
    from cwnd._native import SettingOption
    from cwnd.scenario.disciplines import QueueDisciplines

#: What the disciplines say of their options, by their names.
OPTIONS: dict[str, SettingOption] = {
    name: discipline["option"] for name, discipline in DISCIPLINES.items() if discipline["option"] is not None
}


#: The queue without settings.
DropHead = Annotated[
    bool,
    typer.Option(
        "--drop-head", help="A packet that arrives at a full queue is accepted: the oldest that waits is dropped."
    ),
]

#: Marks instead of drops.
Ecn = Annotated[
    bool,
    typer.Option(
        "--ecn",
        help=f"The queue ({' or '.join(f'--{name}' for name in OPTIONS)}) marks what it would drop, and flows negotiate ECN but where @ecn=false (traffic where it says ecn = true).",
    ),
]


def _metavar(option: SettingOption) -> str:
    return "..".join(name.upper() for name in option["names"])


def discipline_options(options: Mapping[str, SettingOption] = OPTIONS) -> dict[str, object]:
    """The options, as typer declares them, by the names of the disciplines."""
    return {
        name: Annotated[
            str | None, typer.Option(metavar=_metavar(option), help=option["help"], show_default="DropTail")
        ]
        for name, option in options.items()
    }


def discipline_settings(
    given: Mapping[str, str | None], options: Mapping[str, SettingOption] = OPTIONS, *, ecn: bool = False
) -> QueueDisciplines:
    """The settings of the disciplines that are given, as `cwnd.dumbbell` takes them."""
    settings: dict[str, object] = {}
    for name, text in given.items():
        option = options[name]
        expected = f"{_metavar(option)}, such as {'..'.join(option['example'])}"
        values = values_of(f"--{name}", text, len(option["names"]), expected)
        if values is not None:
            settings[name] = {**dict(zip(option["names"], values, strict=True)), **({"ecn": True} if ecn else {})}
    if ecn and not settings:
        fail(f"--ecn: not accepted; expected a queue that marks, by {' or '.join(f'--{name}' for name in options)}")
    return cast("QueueDisciplines", settings)
