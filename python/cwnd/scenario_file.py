# SPDX-License-Identifier: MIT OR Apache-2.0
"""A scenario's file, as the command line is given one."""

from __future__ import annotations

from pathlib import Path

from cwnd._native import Scenario
from cwnd.scenario_document import document_of


def scenario_file(path: Path, name: str | None = None) -> Scenario:
    """The scenario in a file, or the one called `name` of several. Raises `ScenarioError`, with the names that the command line has."""
    text, is_json, folder = document_of(path, name, ("SCENARIO.toml", "--name"))
    return Scenario.from_json(text, folder) if is_json else Scenario.from_toml(text, folder)
