# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a scenario holds is read as typed values; no code of the package reads its text again."""

from __future__ import annotations

from pathlib import Path

import pytest

import cwnd
from cwnd import Flow, ScenarioError, dumbbell
from cwnd.metrics.run import last_start_s

NETWORK = {"rate": "10Mbit/s", "rtt": "40ms", "duration": "20s"}


def network(**settings: object) -> cwnd.Scenario:
    flows = [
        Flow("cubic", count=2, start={"uniform": ["1s", "2500ms"]}, rtt="50ms"),
        Flow("sack", start="7ms", stop="9.5s", label="old"),
    ]
    return dumbbell(flows, **{**NETWORK, **settings})  # type: ignore[arg-type]


def test_groups_have_their_flows_starts_and_stops() -> None:
    groups = network().groups
    assert [(group.name, group.label, group.cc, group.flows) for group in groups] == [
        ("cubic", "cubic", "cubic", range(2)),
        ("old", "old", "sack", range(2, 3)),
    ]
    assert [(group.start_s, group.stop_s) for group in groups] == [((1.0, 2.5), None), ((0.007, 0.007), 9.5)]
    assert groups == network(seed=2).groups != dumbbell("cubic", **NETWORK).groups  # type: ignore[arg-type]
    assert last_start_s(network()) == 2.5


def test_links_have_their_settings() -> None:
    scenario = network(reverse=True, loss="random:0.001", buffer="0.5bdp, at least 4packets")
    shown = [(link.name, link.ends, link.is_reverse, link.queue, link.limit, link.loss) for link in scenario.links]
    assert shown == [
        ("link", ("left", "right"), False, "droptail", "0.5 BDP, at least 4 packets", "random:0.001"),
        ("reverse", ("right", "left"), True, "droptail", "0.5 BDP, at least 4 packets", None),
    ]
    assert scenario.links[0].rtt_ms == 40 and scenario.links[0] != scenario.links[1]


def test_actions_come_in_the_order_of_time() -> None:
    actions = [
        {"buffer": {"at": "9s", "to": "20packets"}},
        {"delay": {"at": "8500ms", "to": "1ms"}},
        {"switch": {"at": "3s", "flow": "cubic 2", "cc": "reno"}},
    ]
    shown = [(each.kind, each.at_s, each.on, each.to) for each in network(actions=actions).actions]
    assert shown == [
        ("switch", 3.0, "cubic 2", None),
        ("delay", 8.5, "link", "1ms"),
        ("buffer", 9.0, "link", "20packets"),
    ]


def test_traffic_has_its_names() -> None:
    assert network(traffic=["ha2008", {"model": "long", "name": "rest"}]).traffic_names == ["ha2008", "rest"]


def test_another_seed_or_name_is_all_that_differs() -> None:
    scenario = network(seed=1)
    assert scenario.with_seed(7) == network(seed=7) != scenario
    assert scenario.with_seed(1) == scenario
    assert hash(scenario.with_seed(7)) == hash(network(seed=7))
    assert scenario.with_name("x") == network(name="x")


@pytest.mark.parametrize(
    ("seed", "shown"),
    [(-1, "-1"), (1 << 63, "9223372036854775808"), (1.5, "1.5"), ("x", '"x"'), (True, "true"), (None, "null")],
)
def test_a_seed_is_refused_as_a_document_refuses_it(seed: object, shown: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        network().with_seed(seed)
    expected = "a whole number from 0 to 9223372036854775807"
    assert str(caught.value) == f"seed: {shown} is not accepted; expected {expected}"


def test_the_package_reads_a_scenario_from_values_and_from_a_file_in_one_place_each_and_prints_it_to_json_in_one() -> (
    None
):
    package = Path(cwnd.__file__).parent
    folders = (package, package.parents[1] / "tools")
    texts = {path: path.read_text() for folder in folders for path in folder.rglob("*.py")}

    def users(words: str) -> list[str]:
        return sorted(path.name for path, text in texts.items() if words in text)

    assert users("json.loads(scenario.to_json()") == ["snapshot.py"]
    assert users("Scenario.from_json(") == ["builders.py", "file.py"]
    assert users('"lane": "sim"') == []
