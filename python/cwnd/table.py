# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables of a scenario's keys as Python has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Value = str | int | float | bool | Mapping[str, Any] | list[Any]


class Table:
    """Keys of a scenario as keywords. A key that Python keeps for itself ends in an underscore: `from_="n0"`."""

    def __init__(self, **keys: Value) -> None:
        self.table: dict[str, Value] = {key.rstrip("_"): value for key, value in keys.items()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.table == self.table

    # A table may be changed: it is no key of a dictionary.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.table.items())})"


class Flow(Table):
    """Like flows: an algorithm, how many, and their settings.

    `Flow("cubic", count=2, rtt="160ms", start="10s", beta=0.8)`: keys of a flow and parameters of its algorithm stand
    side by side, as in a scenario's `[[flow]]`. Times and sizes are texts with a unit.
    """

    def __init__(self, cc: str, count: int = 1, **settings: Value) -> None:
        super().__init__(cc=cc, count=count, **settings)


class Link(Table):
    """A link of a graph: `Link("a", "b", rate="10Mbit/s", delay="5ms")`, with the keys of a `[[link]]`."""

    def __init__(self, begin: str, end: str, **settings: Value) -> None:
        super().__init__(from_=begin, to=end, **settings)
