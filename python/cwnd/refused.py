# SPDX-License-Identifier: MIT OR Apache-2.0
"""What Python refuses by itself, in the words of the scenario's own refusals."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from cwnd._native import ScenarioError, nearest

#: Begins a text that stands for a value that JSON has no word for, such as `nan`: no text is accepted that begins so.
NOT_JSON = "\0"


def shown(value: object) -> str:
    """A value as its author wrote it, shortened."""
    if isinstance(value, int) and value.bit_length() > 4096:
        return f"{hex(value)[:57]}..."  # Python writes no more digits than it is allowed to
    if isinstance(value, str):
        text = json.dumps(value.encode(errors="backslashreplace").decode(), ensure_ascii=False)
    else:
        text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def refused(field: str, value: object, expected: str, names: Iterable[str] = ()) -> ScenarioError:
    """The error that says that `field` does not take `value`; of `names` the nearest are offered, or all."""
    names = list(names)
    if names:
        near = nearest(str(value).encode(errors="replace").decode(), names)
        expected += f" (did you mean {' or '.join(near)}?)" if near else f": {', '.join(names)}"
    error = ScenarioError(f"{field}: {shown(value)} is not accepted; expected {expected}")
    error.field, error.value, error.expected = field, shown(value), expected
    return error


def flag_of(field: str, value: object) -> bool:
    """A flag that was given; anything else is refused."""
    if isinstance(value, bool):
        return value
    raise refused(field, value, "True or False")


def path_of(field: str, value: object) -> Path:
    """A path that was given; anything else is refused."""
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        if isinstance(text, str) and "\0" not in text:
            return Path(text)
    raise refused(field, value, "a path, as text or a pathlib.Path")
