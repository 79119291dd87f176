# SPDX-License-Identifier: MIT OR Apache-2.0
"""The result of a comparison: an effect for each number, and whether it is decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cwnd._internal.notebook_repr import Displayed
from cwnd.diff.statistics import Method, Samples
from cwnd.result.frames import pandas_of, polars_of
from cwnd.scenario.notation import count_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Effect:
    """One number on both sides: B against A. Intervals are of the level of the `Difference`."""

    #: The values of the factors; empty over all points.
    place: Mapping[str, object]
    #: What it is of: `all`, `group`, `link`, `traffic`, `transfers`; its label on both sides.
    of: str
    label: str
    label_b: str
    measure: str
    unit: str
    #: `mean`, or `median` of times, which are infinite where they were not reached.
    centre: str
    a: float | None
    b: float | None
    #: b − a, in `unit`. For times, it and its ends are infinite if B (minus: A) was not reached.
    difference: float | None
    low: float | None
    high: float | None
    #: b / a − 1; none for medians. Its interval is missing if A may be zero, and its lower end is −1 at least if no value is negative.
    relative: float | None
    relative_low: float | None
    relative_high: float | None
    #: Pairs, or values of the smaller side where they are not paired; of times those that one side reached at least.
    n: int
    #: How many runs, or pairs of them, have no value; of times the pairs that neither side reached.
    undefined: int
    #: Of the two-sided test of no difference; none for medians and without an interval.
    p: float | None
    #: Whether it lies within the margin that was asked for; `None` where none was.
    equivalent: bool | None
    #: Why something is missing.
    why: str
    samples: Samples
    #: At how many points both sides have it: over these it is pooled.
    points: int = 1
    #: In how many pairs of `undefined` the transfers of A alone, of B alone, or of both did not end within the run; not paired, in how many runs of A and of B.
    unended_a: int = 0
    unended_b: int = 0
    unended_both: int = 0

    @property
    def unended(self) -> int:
        """How many pairs or runs were left out because transfers did not end. Their times are not known, so the others decide nothing."""
        return self.unended_a + self.unended_b + self.unended_both

    @property
    def decided(self) -> bool:
        """Whether the interval of the difference excludes zero, and no pair was left out because transfers did not end."""
        excludes_zero = (self.low is not None and self.low > 0) or (self.high is not None and self.high < 0)
        return excludes_zero and not self.unended

    @property
    def verdict(self) -> str:
        """`higher` or `lower` where that is decided, `within` the margin where it is, else `undecided`; `same` where all pairs are equal, or, not paired, all values."""
        if self.unended:
            return "undecided"
        if self.difference is not None and self.samples.all_equal:
            return "same"
        if self.equivalent:
            return "within"
        if self.decided and self.difference is not None:
            return "higher" if self.difference > 0 else "lower"
        return "undecided"

    @property
    def name(self) -> str:
        """What the number is of, on both sides."""
        return self.label if self.label == self.label_b else f"{self.label} → {self.label_b}"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Displayed):
    """B against A: every number that both have, over all points and at each."""

    #: what A is
    a: str
    #: what B is
    b: str
    #: The columns that say what was varied.
    factors: Sequence[str]
    #: Over all points: by seed, the means over the points.
    over_points: Sequence[Effect]
    #: At each point; the same as `over_points` where there is one.
    at_points: Sequence[Effect]
    #: at how many points both have runs
    points: int
    #: Points, seeds and subjects that only one side has.
    unpaired: Sequence[str]
    #: whether each run of B has a run of A with the same seed
    paired: bool
    #: confidence level of the intervals, 0 to 1
    level: float
    #: How the intervals of means are computed.
    method: Method
    #: in which conditions that no number shows the sides differ, a line each
    notes: Sequence[str] = ()

    @property
    def table(self) -> pa.Table:
        """A row per number: over the points at which both sides have it (`points` is how many) and at each (where it is 1 and the factors have values)."""
        import pyarrow as pa

        rows = [*self.over_points, *(self.at_points if self.points > 1 else [])]
        columns: dict[str, list[object]] = {name: [effect.place.get(name) for effect in rows] for name in self.factors}
        for name in ("points", *TEXTS, *NUMBERS, *COUNTS, "equivalent", "verdict", "why"):
            columns[name] = [getattr(effect, name) for effect in rows]
        types = {name: pa.float64() for name in NUMBERS} | {name: pa.string() for name in (*TEXTS, "verdict", "why")}
        types |= {name: pa.int64() for name in ("points", *COUNTS)} | {"equivalent": pa.bool_()}
        return pa.table({name: pa.array(values, types.get(name)) for name, values in columns.items()})

    def to_pandas(self) -> pd.DataFrame:
        """`table` as a frame of pandas."""
        return pandas_of(self.table)

    def to_polars(self) -> pl.DataFrame:
        """`table` as a frame of polars."""
        return polars_of(self.table)

    def __repr__(self) -> str:
        decided = sum(effect.decided for effect in self.over_points)
        compared = sum(effect.difference is not None for effect in self.over_points)
        return f"Difference({self.b} against {self.a}: {decided} of {compared} numbers differ over {count_of(self.points, 'point')})"


TEXTS = ("of", "label", "label_b", "measure", "unit", "centre")
NUMBERS = ("a", "b", "difference", "low", "high", "relative", "relative_low", "relative_high", "p")
COUNTS = ("n", "undefined", "unended_a", "unended_b", "unended_both")
