# SPDX-License-Identifier: MIT OR Apache-2.0
"""A measure: a finite number with its unit, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import NotRequired, ParamSpec, TypedDict

P = ParamSpec("P")


class UndefinedError(ValueError):
    """The measure has no value for these data; the message is the reason."""


class MeasureDocument(TypedDict):
    """A measure as JSON."""

    value: float | None
    unit: str
    #: why there is no value
    why: NotRequired[str]


class Distribution(TypedDict):
    """What describes a sample of times: mean, median and percentiles (nearest rank)."""

    #: the mean
    mean: Measure
    #: the median
    p50: Measure
    #: the 95th percentile
    p95: Measure
    #: the 99th percentile
    p99: Measure


@dataclass(frozen=True, slots=True)
class Measure:
    """A value with its unit, or `None` and the reason. Never NaN, never infinite."""

    #: The number, in `unit`.
    value: float | None
    #: Empty for pure numbers.
    unit: str = ""
    #: Why there is no value; empty when there is one.
    why: str = ""

    def __post_init__(self) -> None:
        if (self.value is None) != bool(self.why):
            raise ValueError("a measure has a value or a reason, not both and not neither")
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError(f"{self.value} is not a measure's value")

    def document(self) -> MeasureDocument:
        """As JSON: value and unit, and the reason if there is no value."""
        document: MeasureDocument = {"value": self.value, "unit": self.unit}
        if self.why:
            document["why"] = self.why
        return document

    def __str__(self) -> str:
        return f"undefined ({self.why})" if self.value is None else f"{self.value:g} {self.unit}".rstrip()


def measure(unit: str) -> Callable[[Callable[P, float]], Callable[P, Measure]]:
    """Makes a formula return a `Measure`, of its value or of the `UndefinedError` that it raises."""

    def wrap(formula: Callable[P, float]) -> Callable[P, Measure]:
        @wraps(formula)
        def measured(*args: P.args, **kwargs: P.kwargs) -> Measure:
            return attempt(lambda: formula(*args, **kwargs), unit)

        return measured

    return wrap


def attempt(formula: Callable[[], float], unit: str) -> Measure:
    """The value of `formula` as a measure, undefined if it raises `UndefinedError`."""
    try:
        return Measure(float(formula()), unit)
    except UndefinedError as why:
        return Measure(None, unit, str(why))
