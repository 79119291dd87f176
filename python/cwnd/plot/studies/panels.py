# SPDX-License-Identifier: MIT OR Apache-2.0
"""The panels of a study's picture and their lines, with the rows that each line has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic

from cwnd._internal.input_errors import refused
from cwnd.plot.studies.factors import Cell
from cwnd.plot.studies.layout import Layout, R
from cwnd.plot.studies.line_names import line_names
from cwnd.plot.studies.selection import MeanRow, RunRow

MOST_LINES = 12


@dataclass(slots=True)
class Line(Generic[R]):
    """A line of a picture, with the rows of each place along the axis."""

    name: str
    #: Its place among the lines of the whole picture, for its colour.
    number: int
    rows: dict[Cell, list[R]] = field(default_factory=dict)


@dataclass(slots=True)
class Panel(Generic[R]):
    """A panel of a picture."""

    title: str
    lines: list[Line[R]] = field(default_factory=list)


def panels_of(layout: Layout, rows: Sequence[R]) -> list[Panel[R]]:
    """The panels in the order of their levels, each with its lines, and the rows of these by the level along the axis."""
    names = line_names(layout, rows)
    by_factor = {
        key: number for number, key in enumerate(dict.fromkeys(map(line_of(layout), sorted_rows(layout, rows))))
    }
    if len(by_factor) > MOST_LINES:
        raise refused(
            "where",
            dict(layout.chosen.where),
            f"at most {MOST_LINES} lines, not {len(by_factor)}: some of them, such as where={{'label': {rows[0]['label']!r}}} (--where 'label={rows[0]['label']}')",
        )
    panels: dict[str, Panel[R]] = {}
    lines: dict[tuple[str, object], Line[R]] = {}
    for row in sorted_rows(layout, rows):
        title = layout.panel_of(row, names)
        panel = panels.setdefault(title, Panel(title))
        key = line_of(layout)(row)
        if (title, key) not in lines:
            name = names[layout.line_key(row)]
            if layout.groups_are_panels:
                name = ", ".join(layout.chosen.factors[each].text(row["factors"][each]) for each in layout.lines)
            lines[title, key] = Line(name, by_factor[key])
            panel.lines.append(lines[title, key])
        level = row["factors"][layout.x.name] if layout.x else ""
        lines[title, key].rows.setdefault(level, []).append(row)
    return list(panels.values())


def line_of(layout: Layout) -> Callable[[MeanRow | RunRow], object]:
    """The identity of a row's line in all panels."""
    if layout.groups_are_panels:
        return lambda row: tuple(row["factors"][name] for name in layout.lines)
    return layout.line_key


def sorted_rows(layout: Layout, rows: Sequence[R]) -> list[R]:
    """The rows in the order of the levels of panels and lines."""
    factors = [layout.chosen.factors[name] for name in (*layout.panels, *layout.lines)]
    return sorted(rows, key=lambda row: [factor.levels.index(row["factors"][factor.name]) for factor in factors])
