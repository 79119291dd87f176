# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study as a file: the scenario, its axes, and the seeds (docs/guide/studies.md)."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cwnd._internal.input_errors import refused
from cwnd._native import ScenarioError
from cwnd.scenario.document import document_of
from cwnd.study.points import Base
from cwnd.study.values import Values, python_values

#: Keys of a study's file.
KEYS = ("scenario", "axes", "zip", "latin", "seeds", "until", "most_seeds")


@dataclass(frozen=True, slots=True)
class Grid:
    """The contents of a study's file."""

    base: Base
    axes: Mapping[str, Values] = field(default_factory=dict)
    zipped: list[list[str]] = field(default_factory=list)
    latin: int | None = None
    seeds: object = None
    until: object = None
    most_seeds: object = None


def document_in(
    path: Path, name: str | None = None, fields: tuple[str, str] = ("file", "name")
) -> tuple[dict[str, object], Path | None]:
    """The document of a file, TOML or JSON, or its scenario `name`, and the folder of the file; a pipe has none. `fields` is what refusals call the two."""
    text, is_json, folder = document_of(path, name, fields)
    try:
        document: dict[str, object] = json.loads(text) if is_json else tomllib.loads(text)
    except (tomllib.TOMLDecodeError, json.JSONDecodeError) as error:
        raise refused(fields[0], str(path), f"a {'JSON' if is_json else 'TOML'} document: {error}") from None
    return document, None if folder is None else Path(folder)


def is_grid(document: Mapping[str, object]) -> bool:
    """Whether a document is of a study, not of a scenario."""
    return not document.keys().isdisjoint(KEYS)


def grid_of(path: Path) -> Grid:
    """Reads a study's file, or a scenario's, which has no axes."""
    document, _ = document_in(path)
    if not is_grid(document):
        return Grid(Base(document, path.parent))
    for key, value in document.items():
        if key not in KEYS:
            raise refused(key, value, "a key of a study's file", KEYS)
    if "scenario" not in document:
        raise ScenarioError("scenario: missing; expected the path of a scenario's file, or the table of a scenario")
    scenario = document["scenario"]
    if isinstance(scenario, str):
        file = path.parent / scenario
        base = Base(document_in(file)[0], file.parent)
    elif isinstance(scenario, dict):
        base = Base(scenario, path.parent)
    else:
        raise refused("scenario", scenario, "the path of a scenario's file, or the table of a scenario")
    axes = document.get("axes", {})
    if not isinstance(axes, dict):
        raise refused("axes", axes, 'a table of keys and their values, such as "link.rtt" = ["10ms", "40ms"]')
    zipped = document.get("zip", [])
    if not isinstance(zipped, list) or not all(
        isinstance(group, list) and all(isinstance(key, str) for key in group) for group in zipped
    ):
        raise refused("zip", zipped, 'lists of axes, such as [["rtt", "rate"]]')
    latin = document.get("latin")
    if latin is not None and not isinstance(latin, int):
        raise refused("latin", latin, "a whole number of points")
    return Grid(
        base,
        {key: python_values(f"axes.{key}", values) for key, values in flat(axes).items()},
        zipped,
        latin,
        document.get("seeds"),
        document.get("until"),
        document.get("most_seeds"),
    )


def flat(axes: Mapping[str, object], outer: str = "") -> dict[str, object]:
    """Axes by their whole keys: `link.rtt = …` without quotation marks is a table in a table."""
    found: dict[str, object] = {}
    for key, value in axes.items():
        if isinstance(value, dict) and not {"from", "to"} <= set(value):
            found |= flat(value, f"{outer}{key}.")
        else:
            found[f"{outer}{key}"] = value
    return found
