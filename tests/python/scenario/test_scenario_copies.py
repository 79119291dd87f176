# SPDX-License-Identifier: MIT OR Apache-2.0
"""The parts of a scenario are values: pickled and copied they are equal; its files have paths of their own and are all named."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Scenario, ScenarioError
from cwnd.scenario.builders import from_document

TRACE, FASTER = "1\n1\n4\n", "1\n1\n2\n4\n"
SIZES = "1 0.5\n100 1\n"
SESSIONS = '[[traffic]]\nmodel = "sessions"\nsize = { kind = "empirical", file = "PATH", unit = "packets" }\n'


def document(trace: str = "radio.trace", sizes: str = "sizes.csv") -> str:
    return (
        f'duration = "2s"\n[link]\nrate = {{ trace = "{trace}" }}\nrtt = "20ms"\nloss = "random:0.001"\n'
        '[[flow]]\ncc = "cubic"\ncount = 2\nstart = { uniform = ["0s", "100ms"] }\nstop = "1s"\n'
        '[[flow]]\ncc = "reno"\n'
        '[[action]]\nbuffer = { at = "1s", to = "20packets" }\n'
        '[[action]]\nstop = { flow = "reno", at = "1s" }\n' + SESSIONS.replace("PATH", sizes)
    )


def scenario(trace: str = "radio.trace", sizes: str = "sizes.csv", points: str = SIZES) -> Scenario:
    return Scenario.from_toml(document(trace, sizes), {trace: TRACE, sizes: points})


def test_every_part_of_a_scenario_is_equal_to_its_pickle_and_its_copies() -> None:
    whole = scenario()
    parts = [*whole.files, *whole.groups, *whole.links, *whole.actions]
    assert {type(part).__name__ for part in parts} == {"InputFile", "FlowGroup", "LinkSettings", "Action"}
    for part in [whole, *parts]:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(part, protocol)) == part
        assert copy.copy(part) == part and copy.deepcopy(part) == part
    assert [group.flows for group in copy.deepcopy(whole.groups)] == [range(2), range(2, 3)]
    assert pickle.loads(pickle.dumps(whole)).files == whole.files


@pytest.mark.parametrize(
    ("files", "value", "expected"),
    [
        ({"radio.trac": FASTER}, '"radio.trac"', "a file that the scenario names (did you mean radio.trace?)"),
        ({"zzzzzzzzzzzz": ""}, '"zzzzzzzzzzzz"', "a file that the scenario names: radio.trace, sizes.csv"),
    ],
)
def test_a_file_that_the_scenario_does_not_name_is_refused(files: dict[str, str], value: str, expected: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(document(), {"radio.trace": TRACE, "sizes.csv": SIZES, **files})
    assert (caught.value.field, caught.value.value, caught.value.expected) == ("files", value, expected)


def test_files_for_a_scenario_that_names_none_are_refused() -> None:
    text = package.dumbbell("cubic", rate="9Mbit/s", rtt="20ms").to_toml()
    with pytest.raises(ScenarioError, match="expected no file, because the scenario names none "):
        Scenario.from_toml(text, {"radio.trace": TRACE})


# The printed form has the points of sizes.csv and does not name it.
def test_a_printed_scenario_is_read_back_with_its_files() -> None:
    scenario = Scenario.from_toml(document(), {"radio.trace": TRACE, "sizes.csv": SIZES})
    again = Scenario.of_printed(
        scenario.to_toml(), {file.path: file.contents for file in scenario.files}, of_folder=False
    )
    assert again == scenario and again.files == scenario.files


def test_a_missing_file_is_refused_with_the_nearest_one_that_is_handed_in() -> None:
    with pytest.raises(
        ScenarioError,
        match=re.escape("(no file with this path was given with the scenario; did you mean radoi.trace?)"),
    ):
        Scenario.from_toml(document(), {"radoi.trace": TRACE, "sizes.csv": SIZES})


def test_two_files_cannot_be_given_one_path() -> None:
    with pytest.raises(ScenarioError, match='paths: "one" is not accepted; expected a unique path for each file'):
        scenario().with_paths({"radio.trace": "one", "sizes.csv": "one"})
    swapped = scenario().with_paths({"radio.trace": "sizes.csv", "sizes.csv": "radio.trace"})
    assert [(file.path, file.contents) for file in swapped.files] == [
        ("sizes.csv", TRACE.encode()),
        ("radio.trace", SIZES.encode()),
    ]


# The points of a distribution are the same with a comment beside them.
def test_replicates_of_a_scenario_whose_files_lie_elsewhere_are_continued(tmp_path: Path) -> None:
    assert package.replicate(scenario(), 2, folder=tmp_path / "out").found == 0
    moved = scenario("elsewhere/radio.trace", "elsewhere/sizes.csv", SIZES + "# measured\n")
    assert package.replicate(moved, 3, folder=tmp_path / "out").found == 2
    assert package.replicate(scenario(), 3, folder=tmp_path / "out").found == 3


@pytest.mark.parametrize(
    ("start", "stop", "said"),
    [("3s", "2s", "3s"), ("3s", "3s", "3s"), ("1s..2s", "1s", "between 1s and 2s"), ("0s", "0s", "0s")],
)
def test_a_flow_that_stops_before_it_starts_is_refused(cwnd: Cli, start: str, stop: str, said: str) -> None:
    expected = f'flow[0].stop: "{stop}" is not accepted; expected a time after the start of the flow, {said}'
    refused(cwnd("compare", f"cubic:2@start={start},stop={stop}"), expected)
    value = start if ".." not in start else {"uniform": start.split("..")}
    flow = package.Flow("cubic", count=2, start=value, stop=stop)
    with pytest.raises(ScenarioError, match=re.escape(expected)):
        package.dumbbell(flow, rate="10Mbit/s", rtt="40ms")
    toml = start if ".." not in start else "{ uniform = ['1s', '2s'] }"
    written = toml if ".." in start else f"'{toml}'"
    with pytest.raises(ScenarioError, match=re.escape(expected)):
        Scenario.from_toml(
            f"duration = '9s'\n[link]\nrate = '1Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'cubic'\nstart = {written}\nstop = '{stop}'"
        )
    # Some flows of a group that starts at random may start before the stop.
    assert package.dumbbell("cubic@start=1s..3s,stop=2s", rate="10Mbit/s", rtt="40ms").groups[0].stop_s == 2


# A flag of the reverse link that is off, where the link forward has it on: seed 1 of the hunt over random scenarios.
def test_a_reverse_link_that_counts_otherwise_reads_back_as_such() -> None:
    link = {"rate": "10Mbit/s", "rtt": "40ms", "count_in_service": True, "reverse": {"count_in_service": False}}
    scenario = from_document({"duration": "1s", "link": link, "flow": [{"cc": "sack"}]})
    assert Scenario.from_json(scenario.to_json()).to_json() == scenario.to_json()
    assert Scenario.from_toml(scenario.to_toml()).to_json() == scenario.to_json()
    assert '"count_in_service":false' in scenario.to_json().replace(" ", "")
