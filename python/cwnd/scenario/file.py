# SPDX-License-Identifier: MIT OR Apache-2.0
"""A scenario's file, as the command line is given one."""

from __future__ import annotations

from pathlib import Path

from cwnd._native import Scenario
from cwnd.scenario.document import document_of
from cwnd.scenario.programs import BY_OPTION, BY_OTHER_COMMAND, check_programs


def scenario_file(path: Path, name: str | None = None, *, allow_exec: bool | None = None) -> Scenario:
    """The scenario in a file, or the one called `name` of several. Raises `ScenarioError`, with the names that the command line has, for one
    with programs (`exec`) too, unless the user allows them; a command without that option leaves `allow_exec` out.
    """
    text, is_json, folder = document_of(path, name, ("SCENARIO.toml", "--name"))
    scenario = Scenario.from_json(text, folder) if is_json else Scenario.from_toml(text, folder)
    return scenario if allow_exec else check_programs(scenario, BY_OTHER_COMMAND if allow_exec is None else BY_OPTION)
