# SPDX-License-Identifier: MIT OR Apache-2.0
"""Programs that a file names (`exec`): a file may come from anyone, and a run would start them as the user, who has to allow it."""

from __future__ import annotations

from cwnd._internal.input_errors import flag_of, refused
from cwnd._native import Scenario

PROGRAM = "with a file that names a program, which a run starts with your rights"

#: What a refusal expects: from a command that has the option, from one that has not, and from Python.
BY_OPTION = f"--allow-exec {PROGRAM}"
BY_OTHER_COMMAND = "a file that names no program; cwnd run and cwnd sweep start programs, with --allow-exec"
BY_KEYWORD = f"allow_exec=True {PROGRAM}"


def check_programs(scenario: Scenario, expected: str) -> Scenario:
    """The scenario of a file, refused if a run of it starts programs."""
    if scenario.programs:
        raise refused("flow.exec", scenario.programs[0], expected)
    return scenario


def check_consent(scenario: Scenario, allow_exec: object) -> Scenario:
    """The scenario of a file that Python reads; `allow_exec` is what its caller has given, if anything."""
    if allow_exec is not None and flag_of("allow_exec", allow_exec):
        return scenario
    return check_programs(scenario, BY_KEYWORD)
