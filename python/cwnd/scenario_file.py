# SPDX-License-Identifier: MIT OR Apache-2.0
"""A scenario's file, as the command line is given one."""

from __future__ import annotations

from pathlib import Path

from cwnd._native import Scenario
from cwnd.exit_codes import fail


def scenario_file(path: Path) -> Scenario:
    """The scenario in a TOML file; ends the program where there is none. Raises `ScenarioError`."""
    try:
        text, folder = path.read_text(encoding="utf-8"), path.parent if path.is_file() else None
    except UnicodeDecodeError:
        fail(f'SCENARIO.toml: "{path}" is not accepted; expected a TOML document in UTF-8')
    except (FileNotFoundError, IsADirectoryError):
        fail(f'SCENARIO.toml: "{path}" is not accepted; expected a file that exists')
    return Scenario.from_toml(text, folder)
