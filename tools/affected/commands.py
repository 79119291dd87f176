# SPDX-License-Identifier: MIT OR Apache-2.0
"""The modules of each command of the program: a file of `cwnd/cli/commands`, called as the command is."""

from __future__ import annotations

from collections.abc import Mapping

from tools.affected.imports import Module

#: The module that knows the commands of the program.
CLI: Module = ("cwnd", "cli", "app")
COMMANDS: Module = ("cwnd", "cli", "commands")


def command_modules(imports: Mapping[Module, set[Module]]) -> dict[str, set[Module]]:
    """The module of each command; under "" those that all commands use. `imports` are those of each module."""
    files = [module for module in imports if module[:-1] == COMMANDS]
    found = {module[-1].replace("_", "-"): {module} for module in files}
    return {"": {CLI, ("cwnd", "__main__"), *imports[CLI]} - {COMMANDS, *files}, **found}
