# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builders of networks, the flags that go with them, and the named scenarios."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Flow, Link, ScenarioError, dumbbell, graph, parking_lot
from cwnd.scenario.flowspec import FlowSyntaxError, traffic

ROOT = Path(__file__).resolve().parents[3]
SCENARIOS = sorted((ROOT / "scenarios").glob("*.toml"))


def document(scenario: package.Scenario) -> dict[str, Any]:
    return tomllib.loads(scenario.to_toml())


def test_a_dumbbell_takes_what_a_file_takes() -> None:
    scenario = document(
        dumbbell(
            [Flow("cubic", count=2, access={"rate": "5Mbit/s", "queue": "9packets"}, size="1MB")],
            rate=[("0s", "10Mbit/s"), ("3s", "5Mbit/s")],
            rtt="40ms",
            delay="5ms",
            jitter="1ms",
            reorder={"share": 0.01, "extra": "2ms"},
            reverse={"rate": "1Mbit/s"},
            traffic=["leith2007", {"preset": "ha2008", "share": 0.1}],
            actions=[{"switch": {"flow": "cubic 1", "at": "5s", "cc": "sack"}}],
            duration="10s",
        )
    )
    assert scenario["link"]["rate"] == [["0s", "10Mbit/s"], ["3s", "5Mbit/s"]]
    assert scenario["link"]["reverse"]["rate"] == "1Mbit/s" and scenario["link"]["reverse"]["delay"] == "5ms"
    assert scenario["link"]["jitter"]["max"] == "1ms" and scenario["link"]["reorder"]["extra"] == "2ms"
    assert (
        scenario["flow"][0]["access"] == {"rate": "5Mbit/s", "queue": "9packets"}
        and scenario["flow"][0]["size"] == "1MB"
    )
    assert [group["name"] for group in scenario["traffic"]] == ["leith2007", "ha2008"] and scenario["traffic"][1][
        "share"
    ] == 0.1
    assert scenario["action"] == [{"switch": {"flow": "cubic 1", "at": "5s", "cc": "sack"}}]


def test_a_parking_lot_and_a_graph_are_built() -> None:
    lot = parking_lot([Flow("cubic", from_="n0", to="n2")], hops=2, rate="10Mbit/s", delay="5ms", reverse=True)
    assert [link["name"] for link in document(lot)["link"]] == ["hop1", "hop2", "back1", "back2"]
    links = [Link("a", "b", rate="8Mbit/s", delay="5ms"), Link("b", "a", name="up", rate="8Mbit/s")]
    scenario = graph(links, [Flow("cubic", path=["a-b"])], duration="4s", packet_size="1kB")
    assert document(scenario)["flow"][0]["back"] == ["up"] and document(scenario)["packet_size"] == "1kB"
    result = package.run(scenario)
    assert result.summary["flows"][0]["rtt_ms"] == 5.0
    assert result.summary["link"]["utilization"] > 0.9
    with pytest.raises(ScenarioError, match=r'flow\[0\].to: "n3" is not accepted; expected the name of a node'):
        parking_lot([Flow("cubic", from_="n0", to="n3")], hops=2, rate="10Mbit/s", delay="5ms")


def test_traffic_on_the_command_line_is_a_preset_or_keys() -> None:
    assert traffic("ha2008") == {"preset": "ha2008"}
    keys = {"model": "udp", "rate": "5Mbit/s"}
    for text in ('model = "udp", rate = "5Mbit/s"', '{ model = "udp", rate = "5Mbit/s" }'):
        assert traffic(text) == keys
    for text in ("model=udp", "= 3", "x = 1\ny = 2", "a = 1 }\nb = { c = 1"):
        with pytest.raises(FlowSyntaxError, match="--traffic"):
            traffic(text)


def test_flags_and_flow_keys_reach_the_scenario(cwnd: Cli, tmp_path: Path) -> None:
    flows = (
        "cubic@pacing=true,burst=4,size=100kB,access=50Mbit/s,access_delay=1ms,idle_restart=false",
        "sack@app_rate=1Mbit/s",
    )
    udp = 'model = "udp", rate = "1Mbit/s", direction = "reverse"'
    more = ("--reverse", "--jitter", "1ms", "--traffic", "leith2007", "--traffic", udp, "--duration", "3s")
    done = cwnd("compare", *flows, *more, "--no-plots", "-o", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    scenario = tomllib.loads((tmp_path / "out" / "scenario.toml").read_text())
    first, second = scenario["flow"]
    assert (first["pacing"], first["burst"], first["size"], first["idle_restart"]) == (True, 4, "100kB", False)
    assert first["access"]["rate"] == "50Mbit/s" and first["access_delay"] == "1ms"
    assert second["app_rate"] == "1Mbit/s" and "size" not in second
    assert scenario["link"]["jitter"]["max"] == "1ms" and scenario["link"]["reverse"]["rate"] == "100Mbit/s"
    assert [group["model"] for group in scenario["traffic"]] == ["sessions", "udp"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--traffic", "ha2009"), ("traffic[0].preset", "ha2009", "ha2008")),
        (("--traffic", "model=udp"), ("--traffic", "model=udp", "a preset")),
        (("--jitter", "5"), ("link.jitter", "5", "above 0")),
    ],
)
def test_bad_flags_are_refused_in_a_line(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    done = cwnd("compare", "cubic", *arguments)
    refused(done, *words)


def test_the_help_says_where_the_keys_are(cwnd: Cli) -> None:
    for command in ("run", "compare"):
        assert "docs/guide/write-a-scenario.md" in cwnd(command, "--help").stdout


# What each of them is there to show.
SHOWN = {
    "parking-lot": lambda flows, _: flows[0] < min(flows[1:]),  # who crosses three queues gets least
    "reverse-traffic": lambda flows, _: sum(flows[:2]) > 40 and 0 < flows[2] < 10,
    # Capacity: (30 · 40 + 30 · 10 + 0.5 · 0 + 29.5 · 40) / 90 = 29.8 Mbit/s.
    "rate-steps": lambda flows, _: 26 < sum(flows) <= 29.8,
    "switch": lambda flows, _: flows[0] > 1.5 * flows[1],
    "request-response": lambda flows, _: flows[0] > flows[1] > 0,
    # 166 opportunities of 1500 bytes a second for 60 s, without the one at 60 s: (60 · 166 − 1) · 12 000 / 60 = 1.9918 Mbit/s.
    "trace": lambda flows, link: link["capacity_mbps"] == pytest.approx(1.9918) and flows[0] > 1.8,
    # Marks instead of drops.
    "ecn": lambda flows, link: link["marks"] > 20 and link["drops_head_run"] == 0 and sum(flows) > 19,
    "ha2008-fig6": lambda flows, link: link["utilization"] > 0.9 and len(flows) == 8,
}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_every_named_scenario_shows_what_it_is_for(cwnd: Cli, path: Path) -> None:
    done = cwnd("run", path, "--json", cwd="/")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert SHOWN[path.stem]([flow["throughput_mbps"] for flow in summary["flows"]], summary["link"]), summary
