# SPDX-License-Identifier: MIT OR Apache-2.0
"""Values as JSON has them, to be read: scenarios, manifests, summaries, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Json = Mapping[str, "Json"] | Sequence["Json"] | str | float | bool | None
JsonObject = Mapping[str, Json]


def number(table: Mapping[str, object], key: str) -> float:
    """A number of a table, whose key is known only when the program runs."""
    value = table[key]
    if not isinstance(value, int | float):
        raise TypeError(f"{key} is {value!r}; expected a number")
    return value
