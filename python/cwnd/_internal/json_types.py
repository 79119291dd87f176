# SPDX-License-Identifier: MIT OR Apache-2.0
"""Values as JSON has them, to be read: scenarios, manifests, summaries, verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, TypedDict

Json = Mapping[str, "Json"] | Sequence["Json"] | str | float | bool | None
JsonObject = Mapping[str, Json]

#: `Annotated[float, SIGNED]`: a number that may be negative, in a document whose other numbers may not.
SIGNED = "signed"


class IntervalDocument(TypedDict, total=False):
    """A mean or a median over replicates as JSON, with its confidence interval: `low`, `high` and `n` always, and one of the centres."""

    mean: float | None
    median: float | None
    #: of few runs whose values are near 0 it is below 0
    low: Annotated[float | None, SIGNED]
    high: float | None
    n: int
    sd: float
    why: str
    #: of a measure: its unit, and in how many runs it has no value
    unit: str
    undefined: int


def number(table: Mapping[str, object], key: str) -> float:
    """A number of a table, whose key is known only when the program runs."""
    value = table[key]
    if not isinstance(value, int | float):
        raise TypeError(f"{key} is {value!r}; expected a number")
    return value


def optional_number(table: Mapping[str, object], key: str) -> float | None:
    """The same, where there may be none: a link without a rate has no capacity."""
    return None if table[key] is None else number(table, key)


def total_of(values: Iterable[float | None]) -> float | None:
    """The sum; none where a value is missing."""
    present = list(values)
    known = [value for value in present if value is not None]
    return math.fsum(known) if len(known) == len(present) else None
