# SPDX-License-Identifier: MIT OR Apache-2.0
"""The command that `cwnd-scenario` writes for settings of `cwnd compare` runs what these mean, and Python makes the same scenario of them."""

from __future__ import annotations

import json
import random
import shlex

import pytest
from conftest import Cli
from test_python_compare import plain

import cwnd as package
from cwnd import Flow, Scenario, ScenarioError, _native
from cwnd.scenario.builders import built

#: It has names and inner variables, which some settings name.
FIRST = "cubic:2@beta=0.85,fast_convergence=false"
FLOWS: list[object] = [
    "reno@start=0s..20ms,rtt=60ms",
    "vegas:1",
    'cubic@label=it\'s a "label",slow_start=hystart++',
    {"cc": "bic", "count": 2},
    {"cc": "reno", "start": {"uniform": ["10ms", "0.1s"]}, "label": "7"},
    {"cc": "sack", "initial_cwnd": 4, "pacing": True, "ecn": False},
]
#: Values that options have.
WITH_OPTION: dict[str, list[object]] = {
    "rate": ["20Mbit/s", "7.5Mbit/s", "100Mbit/s"],
    "rtt": ["10ms", "25ms"],
    "buffer": ["0.5bdp", "0.1bdp, at least 4packets", "50kB", "20ms"],
    "duration": ["500ms", "0.7s"],
    "measure": [["100ms", "0.4s"], None],
    "seed": [1, 7, (1 << 53) + 1],
    "loss": ["random:0.001", "every:100,7", "gilbert:0.01,0.2,0,0.5"],
    "jitter": ["1ms"],
    "reverse": [True, False],
    "traffic": ["ha2008", ["surge", {"model": "udp", "rate": "1Mbit/s"}], {"preset": "leith2007", "sessions": 3}],
    "packet_size": ["1500B", "600B"],
    "interval": ["50ms", "100ms"],
    "per_ack": [True, False],
    "inner": [True],
    "record_flows": ["none", "all", [0, "cubic 2"]],
    "record_limit": ["1GB", "none"],
    "red": [{"min": "5packets", "max": "15packets"}],
    "codel": [{}, {"target": "2ms"}, {"target": "3ms", "interval": "50ms"}],
    "ecn": [True, False],
}
#: Values that only a file has.
WITHOUT: dict[str, list[object]] = {
    "name": ["mine"],
    "rate": [[["0s", "9Mbit/s"], ["100ms", "5Mbit/s"]]],
    "delay": ["1ms"],
    "reverse": [{"rate": "3Mbit/s"}],
    "inner": [["w_max"]],
    "tick": ["1ms"],
    "count_in_service": [True],
    "reorder": [{"share": 0.01, "extra": "2ms"}],
    "red": [{"min": "5packets", "max": "15packets", "max_p": 0.05}],
    "actions": [[{"rate": {"at": "200ms", "to": "2Mbit/s"}}]],
}


def settings_of(seed: int, *values: dict[str, list[object]]) -> dict[str, object]:
    """Settings that are drawn with this seed: some keys of the first values, one of each of the others."""
    draw = random.Random(seed)
    first, *others = values
    keys = [key for key in first if key == "duration" or draw.random() < 0.3]
    settings: dict[str, object] = {key: draw.choice(first[key]) for key in keys}
    for each in others:
        key = draw.choice(list(each))
        settings[key] = draw.choice(each[key])
    if "red" in settings:
        settings.pop("codel", None)
    if "red" not in settings and "codel" not in settings:
        settings.pop("ecn", None)
    return {"flows": [FIRST, *draw.sample(FLOWS, draw.randint(0, 2))], **settings}


def scenario_of(settings: dict[str, object]) -> Scenario:
    return Scenario.from_json(_native.keywords_document("compare", json.dumps(settings), []))


def run(settings: dict[str, object]) -> dict[str, object]:
    """The summary of what the settings mean, as the command line prints it."""
    return plain(json.loads(json.dumps(package.run(scenario_of(settings)).summary)))


@pytest.mark.parametrize("seed", range(20))
def test_the_command_runs_what_the_settings_mean(cwnd: Cli, seed: int) -> None:
    settings = settings_of(seed, WITH_OPTION)
    command = _native.compare_command(json.dumps(settings))
    assert command is not None, settings
    done = cwnd(*shlex.split(command)[1:], "--json")
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    assert plain(json.loads(done.stdout)) == run(settings), command


@pytest.mark.parametrize("seed", range(20))
def test_settings_that_no_option_has_have_no_command(seed: int) -> None:
    settings = settings_of(seed, WITH_OPTION, WITHOUT)
    assert _native.compare_command(json.dumps(settings)) is None, settings


# Python gives `Flow`s where the settings have tables; the document is made in one place.
@pytest.mark.parametrize("seed", range(50))
def test_python_runs_the_same_scenario(seed: int) -> None:
    settings = {"name": "same", **settings_of(seed, WITH_OPTION, WITHOUT)}
    given = dict(settings)
    flows = given.pop("flows")
    assert isinstance(flows, list)
    groups = [flow if isinstance(flow, str) else Flow(**flow) for flow in flows]
    assert built("compare", groups, given) == scenario_of(settings)


def test_a_call_has_its_command() -> None:
    flows = ["cubic:2@beta=0.85", Flow("reno")]
    command = package.compare_command(flows, rate="50Mbit/s", codel={"target": "5ms"}, ecn=True)
    assert command == "cwnd compare 'cubic:2@beta=0.85' reno --rate 50Mbit/s --codel 5ms..100ms --ecn"
    assert package.compare_command({"cubic": 4, "sack": 4}) == "cwnd compare cubic:4 sack:4"
    assert package.compare_command("cubic", delay="1ms") is None
    for make, field in (
        (lambda: package.compare_command("cubic", rat="1Mbit/s"), "rat"),  # type: ignore[call-arg]
        (lambda: package.compare_command("cubic", rate="100"), "link.rate"),
        (lambda: package.compare_command("cubic:x"), "flow[0]"),
    ):
        with pytest.raises(ScenarioError) as caught:
            make()
        assert caught.value.field == field
