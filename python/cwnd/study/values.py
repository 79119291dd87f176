# SPDX-License-Identifier: MIT OR Apache-2.0
"""The values of an axis: a list, or a range between two quantities."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from cwnd._internal.input_errors import refused
from cwnd.scenario.flow import Value
from cwnd.scenario.flowspec import value as flow_value

T = TypeVar("T")
EXPECTED = "values with commas between, FROM..TO/COUNT (evenly spaced) or FROM..TO/COUNTlog (by equal factors), such as 10ms,40ms or 0.25..4bdp/5log"
MOST_VALUES = 100_000
#: `100Mbit/s` is a number and a unit; the unit of both ends of a range may stand at its end alone.
QUANTITY = re.compile(r"\s*(\d+(?:\.\d+)?)\s*((?:[^\d.\s,{}][^\s,{}]*)?)\s*")
RANGE = re.compile(r"(?P<begin>.+?)\.\.(?P<end>.+?)(?:/(?P<count>\d+))?(?P<log>log)?")
#: How many decimals a number of a unit has at most: times are of whole nanoseconds, rates of whole bits, sizes of whole bytes, multiples of the BDP of millionths.
DECIMALS = {
    **{"ns": 0, "us": 3, "ms": 6, "bit/s": 0, "kbit/s": 3, "Mbit/s": 6},
    **{"packets": 0, "B": 0, "kB": 3, "MB": 6, "bdp": 6},
}
DIGITS = 9
#: The factor and base unit of each unit, as a scenario reads it.
UNITS = {
    **{"ns": ("s", "1e-9"), "us": ("s", "1e-6"), "ms": ("s", "1e-3"), "s": ("s", "1"), "min": ("s", "60")},
    **{"bit/s": ("bit/s", "1"), "kbit/s": ("bit/s", "1e3"), "Mbit/s": ("bit/s", "1e6"), "Gbit/s": ("bit/s", "1e9")},
    **{"B": ("B", "1"), "kB": ("B", "1e3"), "MB": ("B", "1e6"), "GB": ("B", "1e9")},
}
NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Range:
    """All quantities from one to another: some of them, spaced evenly or by equal factors, or any (Latin hypercube)."""

    begin: Decimal
    end: Decimal
    #: The unit of all of them; none for pure numbers.
    unit: str
    #: How many; none where a Latin hypercube draws them.
    count: int | None
    log: bool
    #: Whether they are whole: of a unit that knows no parts, or pure numbers from a whole one to a whole one.
    whole: bool

    @classmethod
    def of(cls, field: str, text: str) -> Range:
        """Reads `FROM..TO`, `FROM..TO/COUNT`, and both with `log`."""
        match = RANGE.fullmatch(text.strip())
        ends = [QUANTITY.fullmatch(match[end]) for end in ("begin", "end")] if match else [None]
        if match is None or None in ends:
            raise refused(field, text, EXPECTED)
        (begin, first), (end, last) = (each.groups() for each in ends if each)
        if first not in ("", last):
            raise refused(field, text, f"the same unit at both ends, such as {begin}..{end}{last}")
        log, count = match["log"] is not None, None if match["count"] is None else int(match["count"])
        if count is not None and not 2 <= count <= MOST_VALUES:
            raise refused(field, text, f"2 to {MOST_VALUES} values")
        if Decimal(begin) >= Decimal(end) or (log and not Decimal(begin)):
            raise refused(field, text, f"an increasing range{' above 0' if log else ''}")
        whole = DECIMALS.get(last) == 0 or (not last and "." not in begin + end)
        found = cls(Decimal(begin), Decimal(end), last, count, log, whole)
        if count is not None and len(set(found.values())) < count:
            raise refused(field, text, f"at most {int(found.end - found.begin) + 1} values, which are whole numbers")
        return found

    def at(self, part: float) -> str:
        """The quantity at this part of the range, 0 to 1, of at most nine significant digits."""
        begin, end = float(self.begin), float(self.end)
        if self.log:
            number = math.exp(math.log(begin) + part * (math.log(end) - math.log(begin)))
        else:
            number = begin + part * (end - begin)
        if self.whole:
            return f"{round(number)}{self.unit}"
        digits = Decimal(f"{number:.{DIGITS - 1}e}")
        text = f"{round(digits, DECIMALS.get(self.unit, DIGITS)):f}"
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text}{self.unit}"

    def drawn(self, part: float) -> str:
        """The quantity at a part that was drawn, from 0 to below 1: each of whole numbers is as likely as the range says, the ends too."""
        if not self.whole:
            return self.at(part)
        begin, end = float(self.begin), float(self.end) + 1
        number = begin * (end / begin) ** part if self.log else begin + part * (end - begin)
        return f"{min(math.floor(number), int(self.end))}{self.unit}"

    def values(self) -> list[str]:
        """Its values, where it has a count."""
        assert self.count is not None
        return [self.at(number / (self.count - 1)) for number in range(self.count)]


#: Values of an axis: of a scenario's key each.
Values = Sequence[Value] | Range


def split(text: str) -> list[str]:
    """The parts between the commas that are in no braces."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def values_of(field: str, text: str) -> list[str] | Range:
    """The values that a text gives; a range without a count is left to a Latin hypercube."""
    inner = text.strip()
    if inner.startswith("{") and inner.endswith("}"):
        inner = inner[1:-1]
    parts = split(inner)
    if not all(parts):
        raise refused(field, text, EXPECTED)
    if len(parts) == 1 and ".." in inner:
        found = Range.of(field, inner)
        return found if found.count is None else found.values()
    return once(field, parts)


def once(field: str, values: Iterable[T]) -> list[T]:
    """The values; each may occur once, however it is written."""
    values = list(values)
    if not values:
        raise refused(field, values, "at least one value")
    meanings = [meaning(value) for value in values]
    for number, value in enumerate(values):
        if meanings[number] in meanings[:number]:
            first = values[meanings.index(meanings[number])]
            raise refused(field, value, f"each value once{'' if value == first else f'; it is that of {first}'}")
    return values


def as_values(found: list[str] | Range) -> Values:
    """Texts as the values that they mean: numbers, flags, quantities."""
    return found if isinstance(found, Range) else [flow_value(text) for text in found]


def python_values(field: str, given: object) -> Values:
    """The values that Python gives: a text as the command line has it, one value, or any iterable of them."""
    if isinstance(given, str):
        return as_values(values_of(field, given))
    if isinstance(given, Mapping) and set(given) <= {"from", "to", "count", "log"} and {"from", "to"} <= set(given):
        count = f"/{given['count']}" if "count" in given else ""
        log = given.get("log", False)
        if not isinstance(log, bool):
            raise refused(f"{field}.log", log, "true or false")
        found = Range.of(field, f"{given['from']}..{given['to']}{count}{'log' if log else ''}")
        return found if found.count is None else as_values(found.values())
    if isinstance(given, bool | int | float | Mapping):
        return [given]
    if not isinstance(given, Iterable):
        raise refused(field, given, EXPECTED)
    return once(field, (each.item() if hasattr(each, "item") else each for each in given))


def quantity_of(value: object) -> tuple[float, str] | None:
    """Number and unit of a value; nothing for what is no quantity."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    match = QUANTITY.fullmatch(value) if isinstance(value, str) else None
    return (float(match[1]), match[2]) if match else None


def meaning(value: object) -> object:
    """What a value says, however it is written: `40ms` and `0.04s`, `0.70` and 0.7, `true` and True are equal."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        return json.dumps(value, default=str)  # as a table has it
    text = str(value).strip()
    if NUMBER.fullmatch(text):
        return Decimal(text), ""
    match = QUANTITY.fullmatch(text)
    if match is None:
        return text
    unit, scale = UNITS.get(match[2], (match[2], "1"))
    return Decimal(match[1]) * Decimal(scale), unit


def same(level: object, given: object) -> bool:
    """Whether a requested value is this level of a factor: it means the same, or is only its number (40 of `40ms`)."""
    if meaning(level) == meaning(given):
        return True
    ours = QUANTITY.fullmatch(level) if isinstance(level, str) else None
    return ours is not None and meaning(given) == (Decimal(ours[1]), "")
