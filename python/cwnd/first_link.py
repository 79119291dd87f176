# SPDX-License-Identifier: MIT OR Apache-2.0
"""The first link of a scenario's file with what `--trace` and `--netem` say in place of its own keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cwnd._native import Scenario
from cwnd.input_errors import refused_path
from cwnd.input_files import InputFileError, read_bytes
from cwnd.netem_words import has_rate, meanings, set_netem, tables_in, with_netem
from cwnd.scenario import from_document
from cwnd.stored_scenario import NAMING, scenario_document
from cwnd.traced import rate_of


def with_link_options(scenario: Scenario, trace: Path | None, netem: str | None) -> tuple[Scenario, list[str]]:
    """The scenario with the rate of its first link from a file, and the keys that words of netem mean; what the words mean. Raises `ScenarioError`."""
    if trace is None and netem is None:
        return scenario, []
    # Two rates are refused.
    with_netem(netem, {"rate": rate_of(None, trace)})
    document = scenario_document(scenario)
    link = tables_in(document["link"])[0]
    files = {file.path: file.contents for file in scenario.files}
    if trace is not None:
        link["rate"] = {"trace": str(trace)}
        files[str(trace)] = contents_of(trace)
    said: list[str] = []
    if netem is not None:
        said = meanings(netem, has_rate=has_rate(link))
        set_netem(link, netem)
    named = set(files_in(document))
    return from_document(document, {path: files[path] for path in files if path in named}), said


def contents_of(trace: Path) -> bytes:
    """The bytes of a trace. Raises `ScenarioError`."""
    try:
        return read_bytes(trace)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise refused_path("--trace", trace, "a file that exists") from None
    except InputFileError as error:
        raise refused_path("--trace", trace, str(error)) from None


def files_in(value: object) -> Iterator[str]:
    """The paths that a printed scenario names."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in NAMING and isinstance(inner, str):
                yield inner
            else:
                yield from files_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from files_in(inner)
