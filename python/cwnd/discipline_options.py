# SPDX-License-Identifier: MIT OR Apache-2.0
"""Queue disciplines as options of the command line: `--red MIN..MAX`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, cast

import typer

from cwnd.options import pair_of
from cwnd.scenario import DISCIPLINES

if TYPE_CHECKING:
    from cwnd._native import SettingPair
    from cwnd.disciplines import QueueDisciplines

PAIRS: dict[str, SettingPair] = {
    name: discipline["pair"] for name, discipline in DISCIPLINES.items() if discipline["pair"] is not None
}


def _metavar(pair: SettingPair) -> str:
    return "..".join(name.upper() for name in pair["names"])


def discipline_options() -> dict[str, object]:
    """The options, as typer declares them, by the names of the disciplines."""
    return {
        name: Annotated[str | None, typer.Option(metavar=_metavar(pair), help=pair["help"], show_default="DropTail")]
        for name, pair in PAIRS.items()
    }


def discipline_settings(options: Mapping[str, str | None]) -> QueueDisciplines:
    """The settings of the disciplines that are given, as `cwnd.dumbbell` takes them."""
    given: dict[str, object] = {}
    for name, text in options.items():
        pair = PAIRS[name]
        values = pair_of(f"--{name}", text, f"{_metavar(pair)}, such as {'..'.join(pair['example'])}")
        if values is not None:
            given[name] = dict(zip(pair["names"], values))
    return cast("QueueDisciplines", given)
