# SPDX-License-Identifier: MIT OR Apache-2.0
"""How help is laid out: commands and options in panels, every description a whole sentence, as wide as the terminal up to a limit.

A panel is named here by what is in it; `rich_help_panel` of a declaration goes before that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cwnd.scenario.keywords import DISCIPLINES, KEYWORDS, QUEUE_FLAGS

if TYPE_CHECKING:
    from typer._click.core import Command, Context, Parameter
    from typer._click.formatting import HelpFormatter

#: Wider lines are hard to read.
MOST_COLUMNS = 120
#: The commands of the program, in the order of the help.
COMMANDS: dict[str, Sequence[str]] = {
    "Run": ("compare", "run", "shell", "lab"),
    "Study": ("sweep", "merge", "diff", "plot"),
    "Inspect": ("algorithms", "show", "step", "replay", "qlog", "doctor"),
    "Extend": ("new", "check", "build-kernel"),
    "Kernel": ("kernel", "linux", "fidelity"),
    "Reproduce": ("reproduce", "report"),
    "Set up": ("completion",),
}
#: Options of the link that are no keywords of their own: they say its rate, or all of it.
RATE = ("rate", "trace", "netem")
#: The options of flows through one bottleneck, by the names of parameters: keywords in the panel that their row names.
BOTTLENECK: dict[str, Sequence[str]] = {"Link": RATE}
for _name, _row in KEYWORDS.items():
    if _row["form"] is not None and _name not in RATE:
        BOTTLENECK[_row["group"]] = [*BOTTLENECK.get(_row["group"], ()), _name]
BOTTLENECK["Queue"] = [*DISCIPLINES, *QUEUE_FLAGS, *BOTTLENECK["Queue"]]
RECORDED = {"Records": BOTTLENECK.pop("Records")}
OUTPUT = ("out", "force", "page", "pcap", "snap_length", "no_plots", "as_json", "points", "measures", "dry", "how_far")
RUNS = ("seeds", "until", "most_seeds", "jobs", "threads", "dask", "shard", "lane", "live", "plugins", "allow_exec")
#: The options of commands with many.
OPTIONS: dict[str, Mapping[str, Sequence[str]]] = {
    "compare": {
        **BOTTLENECK,
        "Runs": RUNS,
        **RECORDED,
        "Output": OUTPUT,
    },
    "sweep": {**BOTTLENECK, "Axes": ("axis", "zip_axes", "latin"), "Runs": RUNS, "Output": OUTPUT},
}
#: The options of every command.
COMMON = "Common options"
COMMON_NAMES = ("quiet", "verbose", "help")

Rows = list[tuple[str, str]]


def panel_of(name: str, panels: Mapping[str, Sequence[str]], declared: object, otherwise: str) -> str:
    """The panel that something is in."""
    if isinstance(declared, str):
        return declared
    return next((panel for panel, names in panels.items() if name in names), otherwise)


def first_sentence(text: str) -> str:
    """The first sentence of a help, whole."""
    paragraph = " ".join(text.strip().split("\n\n")[0].split())
    return re.split(r"\. ", paragraph, maxsplit=1)[0].rstrip(".") + "." if paragraph else ""


def in_order(rows: Mapping[str, Rows], panels: Iterable[str]) -> dict[str, Rows]:
    """The panels that have something, first those with a place in the order."""
    return {panel: rows[panel] for panel in dict.fromkeys([*panels, *rows]) if panel in rows}


def write(formatter: HelpFormatter, panels: Mapping[str, Rows]) -> None:
    """Writes the panels, all with their second column at one place."""
    if not panels:
        return
    widest = max(len(name) for rows in panels.values() for name, _ in rows)
    column = min(widest, 26)
    for panel, rows in panels.items():
        with formatter.section(panel):
            # A list's column is as wide as its widest name: the blanks make it that of all lists.
            formatter.write_dl([(name.ljust(column), text) for name, text in rows], col_max=26)


def write_commands(commands: Mapping[str, Command], formatter: HelpFormatter, *, is_program: bool) -> None:
    """Writes the commands of a group with what each does."""
    panels = COMMANDS if is_program else {}
    rows: dict[str, Rows] = {}
    for name, command in sorted_by(panels, commands):
        if not command.hidden:
            panel = panel_of(name, panels, getattr(command, "rich_help_panel", None), "Commands")
            rows.setdefault(panel, []).append((name, first_sentence(command.help or "")))
    write(formatter, in_order(rows, panels))


def sorted_by(panels: Mapping[str, Sequence[str]], commands: Mapping[str, Command]) -> list[tuple[str, Command]]:
    """The commands in the order of their panels, then of their declaration."""
    order = [name for names in panels.values() for name in names]
    return sorted(commands.items(), key=lambda item: order.index(item[0]) if item[0] in order else len(order))


def write_options(command: Command, context: Context, formatter: HelpFormatter) -> None:
    """Writes the arguments of a command, its options in their panels, and last the options of every command."""
    panels = OPTIONS.get(command.name or "", {}) if context.parent and context.parent.parent is None else {}
    rows: dict[str, Rows] = {}
    order = [name for names in panels.values() for name in names]
    place = {name: at for at, name in enumerate(order)}
    for parameter in sorted(command.get_params(context), key=lambda each: place.get(str(each.name), len(order))):
        if (record := parameter.get_help_record(context)) is not None:
            rows.setdefault(panel_of_parameter(parameter, panels), []).append(record)
    last = {COMMON: rows.pop(COMMON)} if COMMON in rows else {}
    write(formatter, {**in_order(rows, ["Arguments", *panels, "Options"]), **last})


def panel_of_parameter(parameter: Parameter, panels: Mapping[str, Sequence[str]]) -> str:
    """The panel of an argument or an option."""
    if parameter.param_type_name == "argument":
        return "Arguments"
    name = str(parameter.name)
    if name in COMMON_NAMES:
        return COMMON
    return panel_of(name, panels, getattr(parameter, "rich_help_panel", None), "Options")
