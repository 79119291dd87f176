# SPDX-License-Identifier: MIT OR Apache-2.0
"""Refusals that Python makes itself, in the form of the scenario's: field, value, expectation."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from cwnd._native import Scenario, ScenarioError, nearest

#: First character of a text that stands for a value that JSON cannot represent, such as `nan`; the validation accepts no such text.
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
    """The error for a `value` that `field` does not accept; it offers the nearest of `names`, or all."""
    names = list(names)
    if names:
        near = nearest(str(value).encode(errors="replace").decode(), names)
        expected += f" (did you mean {' or '.join(near)}?)" if near else f": {', '.join(names)}"
    error = ScenarioError(f"{field}: {shown(value)} is not accepted; expected {expected}")
    error.field, error.value, error.expected = field, shown(value), expected
    return error


def renamed(error: ScenarioError, names: Mapping[str, str]) -> ScenarioError:
    """A refusal of one of these fields, or of a key below it, by the name that its user knows it by; any other as it is."""
    for field, name in names.items():
        if error.field is not None and error.field.startswith(field):
            other = ScenarioError(str(error).replace(field, name, 1))
            other.field, other.value, other.expected = error.field.replace(field, name, 1), error.value, error.expected
            return other
    return error


def missing(field: str, expected: str) -> ScenarioError:
    """The error for what is not given."""
    error = ScenarioError(f"{field}: missing; expected {expected}")
    error.field, error.value, error.expected = field, None, expected
    return error


def unfit(field: str, expected: str) -> ScenarioError:
    """The error for a result whose contents `field` does not accept; it shows no value."""
    error = ScenarioError(f"{field}: not accepted; expected {expected}")
    error.field, error.value, error.expected = field, None, expected
    return error


def refused_path(field: str, path: os.PathLike[str], expected: str) -> ScenarioError:
    """The error for a path, which is shown in full."""
    text = json.dumps(os.fspath(path).encode(errors="backslashreplace").decode(), ensure_ascii=False)
    error = ScenarioError(f"{field}: {text} is not accepted; expected {expected}")
    error.field, error.value, error.expected = field, text, expected
    return error


def scenario_of(given: object) -> Scenario:
    """A scenario, or that of the file at a path; anything else is refused, the text of a document too."""
    if isinstance(given, Scenario):
        return given
    expected = "a Scenario, such as cwnd.dumbbell(...), or the path of its file"
    if isinstance(given, str) and ("\n" in given or "=" in given):
        raise refused("scenario", given, f"{expected}; cwnd.Scenario.from_toml(text) takes a text")
    if isinstance(given, str | os.PathLike):
        return Scenario.from_file(given)
    raise refused("scenario", given, expected)


def flag_of(field: str, value: object) -> bool:
    """A flag; anything but a `bool` is refused."""
    if isinstance(value, bool):
        return value
    raise refused(field, value, "True or False")


def path_of(field: str, value: object) -> Path:
    """A path; anything else is refused."""
    if isinstance(value, str | os.PathLike):
        text = os.fspath(value)
        if isinstance(text, str) and "\0" not in text:
            return Path(text)
    raise refused(field, value, "a path, as text or a pathlib.Path")
