# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.compare` runs what the command `cwnd compare` runs, and `cwnd.run` takes a scenario's file as the command `cwnd run` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import Flow, Replicates, Result, Scenario, ScenarioError

FLOWS = ["cubic:2@beta=0.85,fast_convergence=false", "reno@start=1s"]


def plain(document: object) -> dict[str, object]:
    """A document without what the run cost."""
    assert isinstance(document, dict)
    return {key: value for key, value in document.items() if key not in ("perf", "runs")}


def test_it_runs_what_the_command_runs(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("compare", *FLOWS, "--rate", "20Mbit/s", "--codel", "5ms..100ms", "--ecn", "--duration", "4s", "--loss", "random:0.001", "-o", tmp_path / "run", "--no-plots", "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    queue = {"target": "5ms", "interval": "100ms"}
    result = package.compare(FLOWS, rate="20Mbit/s", codel=queue, ecn=True, duration="4s", loss="random:0.001")
    assert isinstance(result, Result)
    assert result.scenario.to_toml() == (tmp_path / "run" / "scenario.toml").read_text()
    assert plain(json.loads(json.dumps(result.summary))) == plain(json.loads(done.stdout))


# By default: 60 s, of which the first fifth, 12 s, is not measured; flows begin within the first 100 ms.
def test_its_defaults_are_those_of_the_command() -> None:
    result = package.compare("cubic")
    scenario, (group,), (link, *_) = result.scenario, result.scenario.groups, result.scenario.links
    assert (scenario.duration_s, scenario.measured_s, scenario.rate_mbps) == (60.0, (12.0, 60.0), 100.0)
    assert (link.rtt_ms, link.limit, group.start_s) == (40.0, "1 BDP", (0.0, 0.1))


def test_seeds_make_replicates(tmp_path: Path) -> None:
    found = package.compare(FLOWS, rate="10Mbit/s", duration="2s", seeds=2, seed=5, folder=tmp_path / "seeds", jobs=1)
    assert isinstance(found, Replicates) and found.document is not None
    assert found.document["seeds"] == [5, 6] and not found.document["identical"]
    again = package.load(tmp_path / "seeds")
    assert isinstance(again, Replicates) and again.document == found.document
    one = package.compare(FLOWS, rate="10Mbit/s", duration="2s", seed=6)
    assert one.summary["flows"] == found.document["runs"][1]["flows"]


def test_flows_are_given_as_texts_objects_or_counts_and_stay_as_they_are() -> None:
    flow = Flow("cubic", 2, beta=0.85)
    kept = dict(flow.table)
    made = [
        package.compare(flows, rate="10Mbit/s", duration="1s", name="same").scenario
        for flows in ([flow, "reno"], ["cubic:2@beta=0.85", Flow("reno")])
    ]
    assert made[0] == made[1] and flow.table == kept
    assert package.compare({"cubic": 2, "reno": 1}, duration="1s").scenario.name == "cubic:2 + reno"
    assert package.compare([flow, "reno"], duration="1s").scenario.name == "cubic:2@beta=0.85 + reno"


def test_the_path_of_a_scenario_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = package.dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s")
    (tmp_path / "x.toml").write_text(scenario.to_toml())
    monkeypatch.chdir(tmp_path)
    wanted = package.run(scenario)
    assert package.run("x.toml") == package.run(tmp_path / "x.toml") == wanted == package.run(Path("x.toml"))
    assert package.replicate("x.toml", 2, jobs=1).done == 2
    with pytest.raises(ScenarioError, match="takes a text"):
        package.run(scenario.to_toml())
    assert package.run(Scenario.from_toml(scenario.to_toml())) == wanted
