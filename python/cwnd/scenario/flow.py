# SPDX-License-Identifier: MIT OR Apache-2.0
"""`Flow` and `Link`: tables of a scenario's keys; types of values that keywords take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

#: The value of a key. What stands in a table or a list is checked when a `Scenario` is made.
Value = str | int | float | bool | Mapping[str, object] | list[object]


class KeyTable:
    """Keys of a scenario, given as keywords. A key that is a keyword of Python ends in an underscore: `from_="n0"`."""

    def __init__(self, **keys: Value) -> None:
        self.table: dict[str, Value] = {key.rstrip("_"): value for key, value in keys.items()}

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.table == self.table

    # A table is mutable, and so not hashable.
    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self.table.items())})"


class Flow(KeyTable):
    """A group of flows with the same settings: algorithm, count, and keys.

    `Flow("cubic", count=2, rtt="160ms", start="10s", beta=0.8)`: keys of a flow and parameters of its algorithm are given together, as in a
    scenario's `[[flow]]`. Times and sizes are texts with a unit.
    """

    def __init__(self, cc: str, count: int = 1, **settings: Value) -> None:
        super().__init__(cc=cc, count=count, **settings)


def flow_of(table: dict[str, Value]) -> Flow:
    """The group with this table, whose keys are as a scenario writes them."""
    flow = Flow("")
    flow.table = table
    return flow


#: Bit/s with unit, `"10Mbit/s"`; steps, `[("0s", "10Mbit/s"), ("10s", "5Mbit/s")]`; a trace, `{"trace": file}`; a series, `{"series": file}`; or `"none"`.
Rate = str | list[tuple[str, str]] | Mapping[str, str]
#: A `Flow`, a text as the command line has it (`"cubic:2@rtt=160ms"`), names with counts (`{"cubic": 4, "sack": 4}`), or several of the first two.
Flows = str | Flow | Mapping[str, int] | Iterable[Flow | str]
#: One value, or several: a text such as `"10ms,40ms"` or `"0.25..4bdp/5log"`, a list of texts, or `{"from": …, "to": …, "count": …, "log": …}`.
Axis = str | Iterable[str | tuple[str, str]] | Mapping[str, object]


class Link(KeyTable):
    """A link of a graph: `Link("a", "b", rate="10Mbit/s", delay="5ms")`, with the keys of a `[[link]]`."""

    def __init__(self, begin: str, end: str, **settings: Value) -> None:
        super().__init__(from_=begin, to=end, **settings)
