# SPDX-License-Identifier: MIT OR Apache-2.0
"""The algorithms by name, and which of them are the package's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cwnd import _native
from cwnd._internal.input_errors import refused


@cache
def built_in_sets() -> frozenset[str]:
    """The names of the parameter sets that no plugin has added."""
    return frozenset(
        found["name"] for algorithm in _native.algorithms() if algorithm["built_in"] for found in algorithm["sets"]
    )


def has_plugins(document: object) -> bool:
    """Whether a scenario's document names an algorithm that is not built in: of a flow, of traffic, or that an action switches to."""
    if isinstance(document, Mapping):
        cc = document.get("cc")
        return (isinstance(cc, str) and cc not in built_in_sets()) or any(map(has_plugins, document.values()))
    return isinstance(document, list) and any(map(has_plugins, document))


def set_of(name: str) -> tuple[_native.Algorithm, _native.Set] | None:
    """The algorithm and parameter set called `name`."""
    for algorithm in _native.algorithms():
        for parameter_set in algorithm["sets"]:
            if parameter_set["name"] == name:
                return algorithm, parameter_set
    return None


def find(field: str, name: str) -> tuple[_native.Algorithm, _native.Set]:
    """The algorithm and parameter set called `name`. If there is none, the error offers the nearest names."""
    if ours := set_of(name):
        return ours
    names = [parameter_set["name"] for algorithm in _native.algorithms() for parameter_set in algorithm["sets"]]
    raise refused(field, name, "the name of an algorithm", names)
