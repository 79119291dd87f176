# SPDX-License-Identifier: MIT OR Apache-2.0
"""The options of queue disciplines: one value for an option of one setting, `FIRST..SECOND` for one of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
import typer

from cwnd.cli.disciplines import OPTIONS, discipline_options, discipline_settings

if TYPE_CHECKING:
    from cwnd._native import SettingOption

#: A discipline with one setting, as `cwnd-link` would describe it.
PIE: SettingOption = {"names": ["target"], "example": ["15ms"], "help": "PIE with this target.", "what": "its target"}
BOTH = {**OPTIONS, "pie": PIE}


def test_a_discipline_whose_option_has_one_setting_takes_one_value() -> None:
    options = discipline_options(BOTH)
    assert set(options) == {"red", "codel", "pie"}
    assert get_args(options["pie"])[1].metavar == "TARGET"
    assert get_args(options["codel"])[1].metavar == "TARGET..INTERVAL"
    given = {"red": None, "codel": None, "pie": "15ms"}
    assert discipline_settings(given, BOTH) == {"pie": {"target": "15ms"}}
    given = {"red": None, "codel": "5ms..100ms", "pie": None}
    assert discipline_settings(given, BOTH) == {"codel": {"target": "5ms", "interval": "100ms"}}


def test_marks_need_a_queue_that_marks(capsys: pytest.CaptureFixture[str]) -> None:
    assert discipline_settings({"red": None, "codel": "5ms..100ms"}, ecn=True) == {
        "codel": {"target": "5ms", "interval": "100ms", "ecn": True}
    }
    with pytest.raises(typer.Exit):
        discipline_settings({"red": None, "codel": None}, ecn=True)
    assert capsys.readouterr().err == ("error: --ecn: not accepted; expected a queue that marks, by --red or --codel\n")


# What is too much for the last setting is refused by its key.
def test_an_option_of_two_settings_wants_both(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        discipline_settings({"codel": "5ms"}, BOTH)
    assert capsys.readouterr().err == (
        'error: --codel: "5ms" is not accepted; expected TARGET..INTERVAL, such as 5ms..100ms\n'
    )
    assert discipline_settings({"pie": "1..2"}, BOTH) == {"pie": {"target": "1..2"}}
