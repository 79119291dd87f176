# SPDX-License-Identifier: MIT OR Apache-2.0
"""Which algorithms are the package's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from cwnd import _native


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
