# SPDX-License-Identifier: MIT OR Apache-2.0
"""The names of keywords that a function takes as `**settings: Unpack[TYPE]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature, unwrap

from cwnd._internal.input_errors import refused
from cwnd._native import nearest


def keys_of(function: Callable[..., object]) -> list[str]:
    """The keys of the type of a function's `**settings`."""
    *_, settings = signature(function).parameters.values()
    name = str(settings.annotation).removeprefix("Unpack[").removesuffix("]")
    # Its types may be imported for type checkers only: the names alone are read.
    return list(unwrap(function).__globals__[name].__annotations__)


def check_keywords(settings: Mapping[str, object], function: Callable[..., object]) -> None:
    """Refuses keywords that `function` does not have: its parameters, and the keys of the type of its `settings`. Raises `ScenarioError`."""
    *parameters, _ = signature(function).parameters
    names = [*parameters, *keys_of(function)]
    for key, value in settings.items():
        if key in names:
            continue
        # Some keywords of records have `record_` before their key, and some have not.
        bare = key.removeprefix("record_")
        near = [bare] if bare != key and bare in names else nearest(key, names)
        offer = f" (did you mean {' or '.join(near)}?)" if near else f": {', '.join(names)}"
        raise refused(key, value, f"a keyword of {function.__name__}{offer}")
