# SPDX-License-Identifier: MIT OR Apache-2.0
"""A scenario in a result's folder: its document, and a copy of each file that it names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath
from typing import NotRequired, TypedDict, cast

from cwnd._internal.json_files import check_shape, read_bytes
from cwnd._internal.json_types import JsonObject
from cwnd._native import Scenario

SCENARIO = "scenario.toml"


#: Keys of a printed scenario that name a file.
NAMING = ("trace", "series")


class InputRow(TypedDict):
    """A file that the scenario names, in a manifest."""

    #: as the scenario writes it
    path: str
    bytes: int
    sha256: str
    #: its copy in the folder; the folder of replicates has none
    file: NotRequired[str]


class Inputs(TypedDict, total=False):
    """The part of a manifest about the files that the scenario names."""

    inputs: list[InputRow]


def scenario_document(scenario: Scenario) -> dict[str, object]:
    """The scenario as plain values, for a file of JSON."""
    document: dict[str, object] = json.loads(scenario.to_json())
    return document


def identity(document: object, rows: Iterable[InputRow]) -> object:
    """What tells a printed document from others: each file by its digest, wherever it was."""
    digests = {row["path"]: row["sha256"] for row in rows}

    def by_digest(value: object) -> object:
        if isinstance(value, dict):
            named = [key for key in NAMING if isinstance(value.get(key), str)]
            return {
                key: digests.get(inner, inner) if key in named else by_digest(inner) for key, inner in value.items()
            }
        return [by_digest(inner) for inner in value] if isinstance(value, list) else value

    return by_digest(document)


def inputs(scenario: Scenario, names: Mapping[str, str] | None = None) -> Inputs:
    """The part of a manifest about the files that the scenario names: path as written, size, digest, and the name in the folder.

    Empty if it names none.
    """
    rows: list[InputRow] = []
    for file in scenario.files:
        row: InputRow = {"path": file.path, "bytes": file.size, "sha256": file.sha256}
        if names:
            row["file"] = names[file.path]
        rows.append(row)
    return {"inputs": rows} if rows else {}


def names_in_folder(scenario: Scenario) -> dict[str, str]:
    """The name in a result's folder of each file: `input-1-`, … and its own, which no other file of a result can have."""
    return {
        file.path: f"input-{number}-{re.sub(r'[^A-Za-z0-9._-]', '_', PurePath(file.path).name)[-64:]}"
        for number, file in enumerate(scenario.files, start=1)
    }


def write_scenario(scenario: Scenario, folder: Path) -> None:
    """Writes the document and the files. In the folder the document names the files beside it, so that it runs from there."""
    names = names_in_folder(scenario)
    for file in scenario.files:
        (folder / names[file.path]).write_bytes(file.contents)
    (folder / SCENARIO).write_text(scenario.with_paths(names).to_toml())


def read_scenario(folder: Path, manifest: JsonObject) -> Scenario:
    """The scenario as it was run, with the paths that its files had then, from the copies beside it.

    Raises `ValueError` if a copy is missing, or is not what was run. Its programs need the user's consent (`Scenario.of_folder`).
    """
    text = read_bytes(folder / SCENARIO).decode()
    found = manifest.get("inputs", [])
    check_shape(found, list[InputRow], "inputs", signed=False)
    rows = cast("list[InputRow]", found)
    if unnamed := [row["path"] for row in rows if "file" not in row]:
        raise ValueError(f"there is no copy of {unnamed[0]}")
    if outside := [row["file"] for row in rows if PurePath(row["file"]).name != row["file"]]:
        raise ValueError(f"{outside[0]} is no file of the folder")
    copies = {row["file"]: read_bytes(folder / row["file"]) for row in rows}
    scenario = Scenario.of_printed(text, copies, of_folder=True)
    now = {file.path: file.sha256 for file in scenario.files}
    if changed := [row["file"] for row in rows if now.get(row["file"]) != row["sha256"]]:
        raise ValueError(f"{changed[0]} has changed since the run")
    return scenario.with_paths({row["file"]: row["path"] for row in rows})
