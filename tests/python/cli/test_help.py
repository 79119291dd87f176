# SPDX-License-Identifier: MIT OR Apache-2.0
"""Help: whole sentences at every width, commands and options in panels."""

from __future__ import annotations

import os
import re

import pytest
import typer.main
from conftest import Cli

from cwnd.cli.app import app
from cwnd.cli.help_panels import COMMANDS, COMMON, MOST_COLUMNS, OPTIONS, first_sentence

PROGRAM = typer.main.get_command(app)
WIDTHS = (60, 80, 160)


def shown(program: Cli, *words: str, columns: int) -> str:
    done = program(*words, "--help", env={**os.environ, "COLUMNS": str(columns)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def panels(text: str) -> dict[str, str]:
    """The panels of a help, each as one line."""
    found = re.split(r"^(\S[^\n]*):\n", text, flags=re.MULTILINE)
    return {title: " ".join(body.split()) for title, body in zip(found[1::2], found[2::2], strict=True)}


def test_every_command_is_in_one_panel() -> None:
    listed = [name for names in COMMANDS.values() for name in names]
    commands = {name for name, command in vars(PROGRAM)["commands"].items() if not command.hidden}
    assert len(listed) == len(set(listed))
    assert commands <= set(listed), f"no panel of cwnd/cli/help_panels.py has {sorted(commands - set(listed))}"


def test_every_option_of_long_lists_is_in_one_panel() -> None:
    for name, of in OPTIONS.items():
        command = vars(PROGRAM)["commands"][name]
        listed = [parameter for names in of.values() for parameter in names]
        assert len(listed) == len(set(listed)), name
        options = {each.name for each in command.params if each.param_type_name == "option"}
        assert options <= set(listed), (
            f"{name}: no panel of cwnd/cli/help_panels.py has {sorted(options - set(listed))}"
        )


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_help_of_the_program_has_every_command_with_a_whole_sentence(program: Cli, columns: int) -> None:
    text = shown(program, columns=columns)
    assert "..." not in text.partition("\n\n")[2]
    assert max(map(len, text.splitlines())) <= min(columns, MOST_COLUMNS)
    by_panel = panels(text)
    assert [panel for panel in by_panel if panel in COMMANDS] == list(COMMANDS)
    for panel, names in COMMANDS.items():
        for name in names:
            if (command := vars(PROGRAM)["commands"].get(name)) is not None:
                assert f"{name} {first_sentence(command.help)}" in by_panel[panel], name


@pytest.mark.parametrize("columns", [80, 160])
@pytest.mark.parametrize("name", [*OPTIONS, "kernel", "diff"])
def test_the_help_of_a_command_has_its_options_in_panels(program: Cli, name: str, columns: int) -> None:
    text = shown(program, name, columns=columns)
    assert max(map(len, text.splitlines())) <= min(columns, MOST_COLUMNS)
    by_panel = panels(text)
    for panel in OPTIONS.get(name, {}):
        assert "--" in by_panel[panel], panel
    if name in OPTIONS:
        assert "Options" not in by_panel
    assert list(by_panel)[-1] == COMMON and "--help" in by_panel[COMMON]


def test_a_first_sentence_is_whole() -> None:
    assert first_sentence("One\nsentence with 1.5 in it. Another.\n\nMore") == "One sentence with 1.5 in it."
    assert first_sentence("No stop") == "No stop." and first_sentence("") == ""
