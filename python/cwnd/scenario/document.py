# SPDX-License-Identifier: MIT OR Apache-2.0
"""The document in a scenario's file: TOML or JSON, as its contents say; a JSON file may have several scenarios by name."""

from __future__ import annotations

import json
import tomllib

from cwnd._internal.file_kinds import (
    JSON_OTHER,
    JSON_SCENARIO,
    JSON_SCENARIOS,
    JSON_STUDY,
    TEXT,
    TOML_SCENARIO,
    FileKind,
    described,
    kind_of,
)
from cwnd._internal.input_errors import missing, path_of, refused, refused_path
from cwnd._internal.input_files import MAX_DOCUMENT_BYTES, InputFileError, contents

#: What may be a scenario that does not follow its language; of another text, one with a `=`.
MAYBE: tuple[FileKind, ...] = (JSON_SCENARIO, JSON_STUDY, TOML_SCENARIO)


def document_of(
    given: object, name: object = None, fields: tuple[str, str] = ("path", "name")
) -> tuple[str, bool, str | None]:
    """The text of a document, whether it is JSON, and the folder of its file; a pipe has none.

    `fields` is what refusals call the two arguments. Raises `ScenarioError`, and `OSError` where the system refuses.
    """
    field, name_field = fields
    path = path_of(field, given)
    if name is not None and not isinstance(name, str):
        raise refused(name_field, name, "the name of one of the file's scenarios")
    try:
        data = contents(path, MAX_DOCUMENT_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        raise refused_path(field, path, "a file that exists") from None
    except IsADirectoryError:
        raise refused_path(field, path, "a file, such as the scenario.toml in a result's folder") from None
    except InputFileError as error:
        raise refused_path(field, path, f"a scenario: {error}") from None
    folder = str(path.parent) if path.is_file() else None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise refused_path(field, path, f"a scenario, TOML or JSON in UTF-8; this is {described(data)}") from None
    is_json = text.lstrip()[:1] == "{"
    kind = kind_of(data)
    if kind == JSON_SCENARIOS:
        return one_of(json.loads(text), name, name_field), True, folder
    if kind == JSON_OTHER and is_json and not follows_json(text):
        return text, True, folder  # the reader of scenarios says where the mistake is
    if name is not None:
        raise refused(name_field, name, "a file of several scenarios with it")
    if kind not in MAYBE and not (kind == TEXT and "=" in text) and not is_toml(text):
        raise refused_path(field, path, f"a scenario in TOML or JSON; this is {described(data)}")
    return text, is_json, folder


def is_toml(text: str) -> bool:
    """Whether a text is a TOML document of some kind."""
    try:
        return bool(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return False


def follows_json(text: str) -> bool:
    """Whether a text is a JSON document of some kind."""
    try:
        json.loads(text, parse_constant=not_json)
    except ValueError:
        return False
    return True


def not_json(name: str) -> None:
    """Refuses NaN and Infinity, which Python takes for JSON."""
    raise ValueError(name)


def one_of(scenarios: dict[str, object], name: str | None, field: str) -> str:
    """The document of one of several scenarios."""
    if name is None and len(scenarios) > 1:
        few = list(scenarios)[:4]
        more = f", ... {len(scenarios)} in all" if len(scenarios) > len(few) else ""
        raise missing(field, f"the name of one of the file's scenarios: {', '.join(few)}{more}")
    if name is not None and name not in scenarios:
        raise refused(field, name, "one of the file's scenarios", scenarios)
    return json.dumps(scenarios[name] if name is not None else next(iter(scenarios.values())))
