# SPDX-License-Identifier: MIT OR Apache-2.0
"""How the points of a study lie in a picture: along an axis, as lines, as panels."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cwnd._internal.input_errors import refused
from cwnd.plot.studies.factors import Cell, Factor
from cwnd.plot.studies.selection import Chosen, MeanRow, RunRow
from cwnd.study.tables import number_columns

MOST_PANELS = 6
#: `by=` for lines by the labels of groups.
LABEL = "label"

R = TypeVar("R", MeanRow, RunRow)
#: The values of some factors.
Place = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The role of each factor in a picture."""

    chosen: Chosen
    #: The factor along the axis; none where the lines themselves are (a study of algorithms alone).
    x: Factor | None
    #: The factors that lines stand for, those that tell variants apart, and those of panels.
    lines: tuple[str, ...]
    panels: tuple[str, ...]
    #: Factors that change together with the one along the axis (zipped, or drawn from a Latin hypercube).
    together: tuple[str, ...] = ()
    #: Whether lines join the points: not where another factor changes from point to point without an order.
    joined: bool = True
    #: Whether panels or lines are those of groups of flows.
    groups_are_panels: bool = False

    @property
    def in_order(self) -> bool:
        """Whether points follow each other along a factor of numbers."""
        return self.joined and self.x is not None and self.x.numbers is not None

    def panel_of(self, row: MeanRow | RunRow, names: Mapping[tuple[str, Place], str]) -> str:
        """The heading of the panel that a row is in."""
        words = [self.chosen.factors[name].text(row["factors"][name]) for name in self.panels]
        return ", ".join([*([names[self.line_key(row)]] if self.groups_are_panels else []), *words])

    def line_key(self, row: MeanRow | RunRow) -> tuple[str, Place]:
        """What distinguishes a variant: the group, and the values of the factors of variants."""
        return row["name"], tuple(row["factors"][name] for name in self.variants_left)

    @property
    def variants_left(self) -> tuple[str, ...]:
        """The factors of variants that are not on an axis."""
        on_axes = {*self.panels, *([self.x.name] if self.x else []), *(self.lines if self.groups_are_panels else ())}
        return tuple(name for name in self.chosen.variants if name not in on_axes)


def lay_out(
    chosen: Chosen, *, x: str | None = None, by: str | None = None, free: Sequence[str] = (), needs_x: bool = True
) -> Layout:
    """Finds a place for each factor with several levels; raises `ScenarioError`, with the factor to fix, where panels would be too many.

    `free` are factors that have an axis in the picture.
    """
    varied = {factor.name: factor for factor in chosen.varied()}
    along = axis(chosen, "x", x) if x is not None else None
    lines: tuple[str, ...] = ()
    if by is not None and by != LABEL:
        lines = (axis(chosen, "by", by).name,)
        if along is not None and lines[0] == along.name:
            raise refused("by", by, "another factor than that of x, or label")
    if along is None and needs_x:
        along = default_x([factor for factor in varied.values() if factor.name not in lines], chosen.variants)
    taken = {*lines, *free, *([along.name] if along else [])}
    left = [name for name in varied if name not in taken and name not in chosen.variants]
    together: list[str] = []
    if along is not None:
        rows = chosen.means()
        together = [name for name in left if goes_with(rows, along.name, name)]
    panels = tuple(name for name in left if name not in together)
    joined = all(in_order(chosen, along, name) for name in together) if along else False
    layout = Layout(chosen, along, lines, panels, tuple(together), joined, bool(lines))
    check_panels(layout)
    return layout


def axis(chosen: Chosen, argument: str, name: str) -> Factor:
    """The factor that an argument names; it must have several levels."""
    study = chosen.study
    factor = chosen.factors.get(number_columns(study.means.column_names, study.factors).get(name, name))
    if factor is not None:
        if len(factor.levels) > 1:
            return factor
        raise refused(
            argument, name, f"a factor with several levels; the only level of {name} drawn is {factor.levels[0]}"
        )
    varied = [each.name for each in chosen.varied()]
    if not varied:
        raise refused(argument, name, "nothing: no factor of the points drawn has several levels")
    raise refused(argument, name, "a factor of this study", [*varied, *([LABEL] if argument == "by" else [])])


def default_x(varied: Sequence[Factor], variants: Sequence[str]) -> Factor | None:
    """The factor with the most levels: of numbers rather than of texts, of the network rather than of the variants."""
    for wanted in (
        [each for each in varied if each.numbers is not None and each.name not in variants],
        [each for each in varied if each.name not in variants],
        [each for each in varied if each.numbers is not None and len(each.levels) > 2],
    ):
        if wanted:
            return max(wanted, key=lambda each: len(each.levels))
    return None


def goes_with(rows: Iterable[MeanRow], leading: str, name: str) -> bool:
    """Whether each level of one factor has one level of another."""
    found: dict[Cell, Cell] = {}
    return all(found.setdefault(row["factors"][leading], row["factors"][name]) == row["factors"][name] for row in rows)


def in_order(chosen: Chosen, along: Factor | None, name: str) -> bool:
    """Whether a factor rises or falls with the one along the axis."""
    other = chosen.factors[name]
    if along is None or along.numbers is None or other.numbers is None:
        return False
    pairs = sorted({(along.at(row["factors"][along.name]), other.at(row["factors"][name])) for row in chosen.means()})
    steps = [after[1] - before[1] for before, after in itertools.pairwise(pairs)]
    return all(step >= 0 for step in steps) or all(step <= 0 for step in steps)


def check_panels(layout: Layout) -> None:
    """Refuses a picture of more panels than a reader can take in, with what to fix."""
    factors = layout.chosen.factors
    panels = [factors[name] for name in layout.panels]
    rows = layout.chosen.means()
    count = len({tuple(row["factors"][name] for name in layout.panels) for row in rows})
    groups = len({layout.line_key(row) for row in rows}) if layout.groups_are_panels else 1
    if count * groups <= MOST_PANELS:
        return
    if not panels:
        example = f"where={{'label': {rows[0]['label']!r}}} (--where 'label={rows[0]['label']}')"
        raise refused("by", ", ".join(layout.lines), f"at most {MOST_PANELS} panels, not {groups}: {example}")
    of = ", ".join(f"{factor.name} has {len(factor.levels)} levels" for factor in panels)
    widest = max(panels, key=lambda factor: len(factor.levels))
    level = widest.levels[len(widest.levels) // 2]
    raise refused(
        "where",
        {name: values if len(values) > 1 else values[0] for name, values in layout.chosen.where.items()},
        f"at most {MOST_PANELS} panels, not {count * groups} ({of}): fix one, such as where={{{widest.name!r}: {level!r}}} (--where {widest.name}={level})",
    )
