# SPDX-License-Identifier: MIT OR Apache-2.0
"""The factors of a study as axes of pictures: levels in order, numbers and units, spacing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from cwnd._internal.input_errors import refused
from cwnd.scenario.notation import level_words
from cwnd.study.results import Study
from cwnd.study.tables import number_columns
from cwnd.study.values import quantity_of, same

#: A value of a factor as the tables have it.
Cell = str | int | float | bool
#: Which rows are drawn: a value or several, by column.
Where = Mapping[str, object]
#: How units are written on axes.
UNITS = {"bdp": "BDP"}
#: What factors are called on axes.
NAMES = {"rtt": "round trip time", "buffer": "buffer", "rate": "rate", "loss": "random loss"}
#: Columns other than the factors that can select rows.
SUBJECTS = ("of", "name", "label")


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor with its levels: numbers from small to large, texts in the order of the study."""

    name: str
    levels: tuple[Cell, ...]
    #: The number of each level; none where the levels are texts.
    numbers: Mapping[Cell, float] | None
    unit: str

    @property
    def title(self) -> str:
        """What an axis of it is called, with the unit."""
        unit = UNITS.get(self.unit, self.unit)
        return f"{NAMES.get(self.name, self.name)} ({unit})" if unit else NAMES.get(self.name, self.name)

    @property
    def is_log(self) -> bool:
        """Whether the levels are numbers above 0 that are spaced by factors rather than evenly: a logarithmic axis spreads them better."""
        if self.numbers is None or len(self.levels) < 3:
            return False
        values = [self.numbers[level] for level in self.levels]
        if values[0] <= 0:
            return False
        return uneven([math.log(value) for value in values]) < uneven(values)

    @property
    def span(self) -> str:
        """From the first to the last level, in words."""
        if self.numbers is None:
            return f"{level_words(self.levels[0])} to {level_words(self.levels[-1])}"
        ends = [f"{self.numbers[level]:.3g}" for level in (self.levels[0], self.levels[-1])]
        return f"{ends[0]} to {ends[1]} {UNITS.get(self.unit, self.unit)}".rstrip()

    def at(self, level: Cell) -> float:
        """Where a level is on an axis: its number, or its place among the levels."""
        return float(self.levels.index(level)) if self.numbers is None else self.numbers[level]

    def text(self, level: Cell) -> str:
        """A level in words, with the factor: `rtt=40ms`; algorithms by their names alone."""
        return level_words(level) if self.name.rpartition(".")[2] == "cc" else f"{self.name}={level_words(level)}"


def uneven(values: Sequence[float]) -> float:
    """The largest step between neighbours over the smallest."""
    steps = [after - before for before, after in itertools.pairwise(values)]
    return max(steps) / min(steps)


def factors_of(study: Study) -> dict[str, Factor]:
    """The factors of a study by name; those with one level too."""
    found = {}
    for name in study.factors:
        levels: list[Cell] = study.means[name].unique().to_pylist()
        quantities = [quantity_of(level) for level in levels]
        units = {quantity[1] if quantity else None for quantity in quantities}
        if len(units) == 1 and None not in units:
            numbers = {level: quantity[0] for level, quantity in zip(levels, quantities) if quantity}
            found[name] = Factor(name, tuple(sorted(levels, key=numbers.__getitem__)), numbers, units.pop() or "")
        else:
            found[name] = Factor(name, tuple(levels), None, "")
    return found


def factor_named(field: str, name: str, factors: Mapping[str, Factor], study: Study) -> Factor:
    """A factor by its name, or by the name of the column of its numbers (`rtt_ms`)."""
    found = factors.get(number_columns(study.means.column_names, study.factors).get(name, name))
    if found is not None:
        return found
    if not factors:
        raise refused(field, name, "a factor; this study varies nothing")
    raise refused(field, name, "a factor of this study", list(factors))


def levels_given(column: str, given: object, levels: Iterable[Cell]) -> list[Cell]:
    """The levels that `where` asks for in a column; raises `ScenarioError` for one that is not there."""
    levels = list(levels)
    several = given if isinstance(given, Sequence | set | frozenset) and not isinstance(given, str) else [given]
    found = []
    for value in several:
        matching = [level for level in levels if same(level, value)]
        if not matching:
            raise refused(
                f"where.{column}", value, "a value that the study has there", [str(level) for level in levels]
            )
        found += matching
    if not found:
        raise refused(f"where.{column}", given, "at least one value")
    return found
