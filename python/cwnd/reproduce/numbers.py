# SPDX-License-Identifier: MIT OR Apache-2.0
"""The numbers that a run is reduced to: a dataclass in an experiment's file, an object of JSON in the cache."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import TypeVar, get_args

from cwnd._internal.json_types import Json, JsonObject

__all__ = ["Json", "JsonObject", "Numbers", "from_json", "plain", "to_json"]

#: A dataclass of numbers, texts and lists of them, or a union of such classes.
Numbers = TypeVar("Numbers")


def plain(value: object, where: str) -> Json:
    """A value as JSON has it; `ValueError` for anything but numbers, texts, and lists and dictionaries of them."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(inner, f"{where}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [plain(element, where) for element in value]
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and not math.isnan(value)):
        return value
    raise ValueError(f"{where}: {value!r} cannot be kept; expected numbers (not NaN), texts and lists of them")


def to_json(numbers: object, where: str) -> JsonObject:
    """The fields of a dataclass; one that is `None` is left out."""
    if not is_dataclass(numbers) or isinstance(numbers, type):
        raise TypeError(f"{where}: {type(numbers).__name__} is no dataclass")
    values = {field.name: getattr(numbers, field.name) for field in fields(numbers)}
    return {name: plain(value, f"{where}.{name}") for name, value in values.items() if value is not None}


def from_json(kind: type | UnionType, document: JsonObject) -> object:
    """The numbers of an object of JSON: of the dataclass `kind`, or of that member of the union which has its fields."""
    for member in get_args(kind) or (kind,):
        known = fields(member)
        required = {field.name for field in known if field.default is MISSING and field.default_factory is MISSING}
        if required <= document.keys() <= {field.name for field in known}:
            return member(**document)
    raise ValueError(f"{sorted(document)} are the fields of no {kind}")
