# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--trace FILE`: the rate of the bottleneck from a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, cast

import typer

from cwnd._native import Scenario
from cwnd.input_errors import refused, refused_path
from cwnd.input_files import InputFileError, read_bytes
from cwnd.keywords import DEFAULTS
from cwnd.scenario import from_document
from cwnd.stored_scenario import NAMING, scenario_document

TRACE_HELP = "In place of --rate: a Mahimahi trace, or a series of rates (CSV with a header, Pensieve, FCC, HSDPA, Puffer; gzip too), recognised by its contents."

Trace = Annotated[Path | None, typer.Option("--trace", metavar="FILE", help=TRACE_HELP, show_default=False)]


def rate_of(rate: str | None, trace: Path | None) -> object:
    """The rate of the bottleneck, or its trace; raises `ScenarioError` where both are given."""
    if trace is None:
        return rate
    if rate not in (None, DEFAULTS["rate"]):
        raise refused("--trace", str(trace), "it or --rate, not both")
    return {"trace": str(trace)}


def with_trace(scenario: Scenario, trace: Path | None) -> Scenario:
    """The scenario with the rate of its first link from a file. Raises `ScenarioError`."""
    if trace is None:
        return scenario
    document = scenario_document(scenario)
    links = document["link"]
    link = cast("dict[str, object]", links[0] if isinstance(links, list) else links)
    link["rate"] = {"trace": str(trace)}
    named = set(files_in(document))
    files = {file.path: file.contents for file in scenario.files if file.path in named}
    try:
        files[str(trace)] = read_bytes(trace)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise refused_path("--trace", trace, "a file that exists") from None
    except InputFileError as error:
        raise refused_path("--trace", trace, str(error)) from None
    return from_document(document, files)


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
