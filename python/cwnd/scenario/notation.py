# SPDX-License-Identifier: MIT OR Apache-2.0
"""Values of a scenario's keys as a scenario writes them, for captions, titles and labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence


def notation(value: object) -> str:
    """A value as the command line or a file has it: `5s..45s`, `true`, `0.7`, `{ kind = "normal", mean = "1ms" }`, `["a", "b"]`."""
    if isinstance(value, Mapping) and list(value) == ["uniform"] and is_pair(value["uniform"]):
        return "..".join(map(str, value["uniform"]))
    return value if isinstance(value, str) else inner(value)


def is_pair(value: object) -> bool:
    """Whether a value is a list of two texts or numbers."""
    return isinstance(value, Sequence) and len(value) == 2 and all(isinstance(end, str | int | float) for end in value)


def inner(value: object) -> str:
    """A value within a table or a list, as TOML has it in one line."""
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key} = {inner(each)}" for key, each in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(inner, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool | None) else str(value)


def level_words(level: object) -> str:
    """A level of a factor: the tables of a study have tables and lists as JSON."""
    if isinstance(level, str) and level[:1] in ("{", "["):
        try:
            return notation(json.loads(level))
        except ValueError:
            return level
    return notation(level)


def count_of(number: int, noun: str) -> str:
    """A number of things: `1 point`, `2 points`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
