# SPDX-License-Identifier: MIT OR Apache-2.0
"""Keywords as options: each form of a value, and the options of queue disciplines, one value for one setting and `FIRST..SECOND` for two."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest
import typer
from conftest import Cli, refused

from cwnd.cli.keywords import OPTIONS, discipline_options, given_values, keyword_options
from cwnd.scenario.keywords import AXES, KEYWORDS, RECORDS

if TYPE_CHECKING:
    from cwnd._native import SettingOption

#: A discipline with one setting, as `cwnd-link` would describe it.
PIE: SettingOption = {"names": ["target"], "example": ["15ms"], "help": "PIE with this target.", "what": "its target"}
BOTH = {**OPTIONS, "pie": PIE}


def option(command: str, name: str) -> tuple[object, typer.models.OptionInfo]:
    """The type of an option, and how it is declared."""
    kind, declared = get_args(keyword_options(command)[name])  # type: ignore[arg-type]
    return kind, declared


def test_each_command_has_the_options_of_its_keywords() -> None:
    compare, sweep, shell = (set(keyword_options(command)) for command in ("compare", "sweep", "shell"))  # type: ignore[arg-type]
    queues = {"red", "codel", "drop_head"}
    assert compare == {name for name, row in KEYWORDS.items() if row["form"] is not None} | queues
    assert compare - sweep == {"interval", "per_ack", "inner", "record_flows", "record_limit"} <= set(RECORDS)
    assert sweep < compare and shell == {"rate", "rtt", "buffer", "loss", "jitter", "seed"}
    assert set(AXES) == {"rate", "rtt", "buffer", "loss", "jitter", "packet_size"} <= sweep


def test_an_option_says_what_its_row_says() -> None:
    kind, declared = option("compare", "jitter")
    assert (kind, declared.metavar, declared.help) == (str | None, "TIME", KEYWORDS["jitter"]["help"])
    assert option("compare", "rtt")[1].show_default == "40ms"
    assert (
        option("sweep", "jitter")[1].help
        == f"{KEYWORDS['jitter']['help']} One value, or an axis: 1ms,5ms or FROM..TO/COUNT[log]."
    )
    assert option("compare", "traffic")[0] == list[str] | None and option("compare", "per_ack")[0] is bool


def test_each_form_of_a_value_is_read() -> None:
    given: dict[str, object] = {
        **{"rate": "9Mbit/s", "seed": "7", "measure": "1s..2s", "traffic": ["ha2008", "model='udp'"]},
        **{"record_flows": "cubic 1, 7", "inner": True, "reverse": False, "jitter": None, "drop_head": True},
    }
    assert given_values(given) == {
        **{"rate": "9Mbit/s", "seed": 7, "measure": ["1s", "2s"], "traffic": [{"preset": "ha2008"}, {"model": "udp"}]},
        **{"record_flows": ["cubic 1", 7], "inner": True, "drop_head": True},
    }
    assert given_values({"record_flows": "none", "seed": "x"}) == {"record_flows": "none", "seed": "x"}


def test_a_pair_wants_two_values(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        given_values({"measure": "5s"})
    assert capsys.readouterr().err == 'error: --measure: "5s" is not accepted; expected FROM..TO, such as 20s..100s\n'


def test_a_discipline_whose_option_has_one_setting_takes_one_value() -> None:
    options = discipline_options(BOTH)
    assert set(options) == {"red", "codel", "pie"}
    assert get_args(options["pie"])[1].metavar == "TARGET"
    assert get_args(options["codel"])[1].metavar == "TARGET..INTERVAL"
    assert given_values({"red": None, "codel": None, "pie": "15ms"}, BOTH) == {"pie": {"target": "15ms"}}
    given = {"red": None, "codel": "5ms..100ms", "pie": None}
    assert given_values(given, BOTH) == {"codel": {"target": "5ms", "interval": "100ms"}}


def test_marks_need_a_queue_that_marks(capsys: pytest.CaptureFixture[str]) -> None:
    marking = given_values({"red": None, "codel": "5ms..100ms", "ecn": True})
    assert marking == {"codel": {"target": "5ms", "interval": "100ms"}, "ecn": True}
    with pytest.raises(typer.Exit):
        given_values({"red": None, "codel": None, "drop_head": True, "ecn": True})
    assert (
        capsys.readouterr().err == "error: --ecn: not accepted; expected a queue that marks packets: --red or --codel\n"
    )


# What is too much for the last setting is refused by its key.
def test_an_option_of_two_settings_wants_both(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        given_values({"codel": "5ms"}, BOTH)
    assert capsys.readouterr().err == (
        'error: --codel: "5ms" is not accepted; expected TARGET..INTERVAL, such as 5ms..100ms\n'
    )
    assert given_values({"pie": "1..2"}, BOTH) == {"pie": {"target": "1..2"}}


# `cwnd shell` needs a rate, so its help names no default for it.
def test_the_help_of_a_shell_has_the_defaults_that_it_has(cwnd: Cli) -> None:
    said = " ".join(cwnd("shell", "--help").stdout.split())
    assert "[default: (100Mbit/s)]" not in said and "[default: (40ms)]" in said
    assert cwnd("shell", "--", "true").stderr.startswith("error: --rate: missing")


def test_an_option_that_an_axis_would_replace_is_refused(cwnd: Cli) -> None:
    done = cwnd("sweep", "cubic", "--axis", "link.rtt=1ms,2ms", "--rtt", "10ms", "--dry-run")
    refused(done, "--rtt", "no --rtt with the axis link.rtt, which sets it")
    done = cwnd("sweep", "cubic", "--axis", "link.rtt=1ms,2ms", "--rtt", "10ms,20ms", "--dry-run")
    refused(done, "axes", "each key once")
