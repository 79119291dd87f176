# SPDX-License-Identifier: MIT OR Apache-2.0
"""The points of a study: all combinations of its axes, some of them walked together, or a Latin hypercube."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cwnd._internal.input_errors import refused
from cwnd.replicates.checks import MOST_SEED
from cwnd.scenario.flow import Value
from cwnd.scenario.flowspec import value
from cwnd.study.values import Range, Values

MOST_POINTS = 1_000_000
#: The values that a point has on the axes, by their keys.
Assignment = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Design:
    """Axes by their keys, and how they are combined."""

    axes: Mapping[str, Values]
    #: Groups of axes whose first values go together, their second ones, and so on.
    zipped: Sequence[Sequence[str]] = ()
    #: How many points a Latin hypercube draws: each axis is cut into as many parts, and of each part one value is taken.
    # McKay, Beckman and Conover 1979, section 2.
    latin: int | None = None
    #: Seed of what is drawn.
    seed: int = 1

    def __post_init__(self) -> None:
        if self.latin is not None:
            if not self.axes:
                raise refused("latin", self.latin, "axes to draw from")
            if self.zipped:
                raise refused("zip", ",".join(self.zipped[0]), "no zipped axes in a Latin hypercube")
            if isinstance(self.latin, bool) or not isinstance(self.latin, int) or not 2 <= self.latin <= MOST_POINTS:
                raise refused("latin", self.latin, f"a whole number of points from 2 to {MOST_POINTS}")
            if not 0 <= self.seed <= MOST_SEED:
                raise refused(
                    "seed", self.seed, f"a whole number from 0 to {MOST_SEED}, which a Latin hypercube is drawn with"
                )
        for key, values in self.axes.items():
            if isinstance(values, Range) and self.latin is None:
                raise refused(
                    key, f"{values.at(0)}..{values.at(1)}", "FROM..TO/COUNT, or a Latin hypercube (--latin POINTS)"
                )
        seen: set[str] = set()
        for group in self.zipped:
            for key in group:
                if key not in self.axes:
                    raise refused("zip", key, "an axis of the study", self.axes)
                if key in seen:
                    raise refused("zip", key, "each axis once")
                seen.add(key)
            if len({len(self.list_of(key)) for key in group}) > 1:
                sizes = ", ".join(f"{key} has {len(self.list_of(key))}" for key in group)
                raise refused("zip", ",".join(group), f"axes with equally many values ({sizes})")
        if len(self) > MOST_POINTS:
            raise refused("axes", len(self), f"at most {MOST_POINTS} points")

    def list_of(self, key: str) -> Sequence[Value]:
        """The values of an axis that is no range to draw from."""
        values = self.axes[key]
        assert not isinstance(values, Range)
        return values

    def columns(self) -> list[tuple[str, ...]]:
        """The axes, those that go together as one, each where its first stands."""
        group_of = {key: tuple(group) for group in self.zipped for key in group}
        return list(dict.fromkeys(group_of.get(key, (key,)) for key in self.axes))

    def __len__(self) -> int:
        if self.latin is not None:
            return self.latin
        return math.prod(len(self.list_of(column[0])) for column in self.columns())

    def __iter__(self) -> Iterator[Assignment]:
        """The points; the last axis changes fastest."""
        if self.latin is not None:
            yield from self.drawn(self.latin)
            return
        columns = self.columns()
        rows = [list(zip(*(self.list_of(key) for key in column), strict=True)) for column in columns]
        for chosen in itertools.product(*rows):
            pairs = {key: value for column, row in zip(columns, chosen) for key, value in zip(column, row)}
            yield {key: pairs[key] for key in self.axes}

    def drawn(self, count: int) -> Iterator[Assignment]:
        """The points of a Latin hypercube."""
        from scipy.stats import qmc

        parts = qmc.LatinHypercube(len(self.axes), seed=self.seed).random(count)
        for row in parts:
            yield {
                key: value(values.drawn(part)) if isinstance(values, Range) else values[int(part * len(values))]
                for (key, values), part in zip(self.axes.items(), row.tolist(), strict=True)
            }
