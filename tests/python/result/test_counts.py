# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts of the measured interval, and those of the whole run beside them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import cwnd
from cwnd import Flow, Result, load

DROPS = ("drops_queue", "drops_early", "drops_head", "drops_loss")
# RED's queue drops nothing at the head.
BY_RED = ("drops_queue", "drops_early", "drops_loss")
KINDS = {cause: cause.replace("drops", "drop") for cause in DROPS}
COUNTS = ("packets_sent", "retransmits", "timeouts", "drops", *DROPS)
TRAFFIC = ("transfers", "finished", "datagrams")


def of(result: Result, flow: int, kinds: set[str], begin: float, end: float) -> int:
    return sum(
        row["flow"] == flow and row["kind"] in kinds and begin <= row["time_s"] < end
        for row in result.events.to_pylist()
    )


@pytest.fixture(scope="module")
def result() -> Result:
    """Losses of all three kinds, and timeouts, before, within and after the measured interval."""
    flows = [Flow("cubic", recovery="newreno"), Flow("reno", start="1s"), Flow("sack", app_rate="500kbit/s")]
    red = {"min": "5packets", "max": "20packets"}
    scenario = cwnd.dumbbell(
        flows, rate="10Mbit/s", rtt="40ms", buffer="25packets", red=red, loss="gilbert:0.003,0.1,0,0.9",
        duration="60s", measure=("12s", "48s"), seed=3,
        traffic=[{"model": "mix", "share": 0.1, "size": "20packets"}, {"model": "udp", "rate": "200kbit/s"}],
    )  # fmt: skip
    return cwnd.run(scenario)


@pytest.mark.parametrize("flow", range(3))
def test_a_flows_counts_are_those_of_the_events_in_the_interval(result: Result, flow: int) -> None:
    row = result.summary["flows"][flow]
    for suffix, begin, end in (("", 12, 48), ("_run", 0, 60)):
        for key, kind in KINDS.items():
            assert row[key + suffix] == of(result, flow, {kind}, begin, end), key
        assert row[f"timeouts{suffix}"] == of(result, flow, {"timeout"}, begin, end)
        assert row[f"drops{suffix}"] == sum(row[key + suffix] for key in DROPS)
        assert row[f"packets_sent{suffix}"] >= row[f"retransmits{suffix}"]
    assert all(row[key] < row[f"{key}_run"] for key in ("packets_sent", "retransmits", "drops"))
    assert result.flows.to_pylist()[flow].items() >= {key: row[key] for c in COUNTS for key in (c, f"{c}_run")}.items()


def test_there_are_timeouts_and_drops_of_every_kind_on_both_sides_of_the_interval(result: Result) -> None:
    flows = result.summary["flows"]
    for key in ("timeouts", *BY_RED):
        assert 0 < sum(row[key] for row in flows) < sum(row[f"{key}_run"] for row in flows), key


# Between two samples of a flow that are on the interval's bounds its packets are those that left its host, less what is lost.
def test_packets_sent_and_retransmits_are_those_between_two_times() -> None:
    flow = Flow("cubic", initial_cwnd=2)
    whole = {"rate": "10Mbit/s", "rtt": "20ms", "buffer": "10packets"}

    def counts(duration: str, measure: tuple[str, str]) -> dict[str, Any]:
        return dict(cwnd.run(cwnd.dumbbell([flow], duration=duration, measure=measure, **whole)).summary["flows"][0])  # type: ignore[arg-type]

    early, late = counts("5s", ("0s", "5s")), counts("11s", ("0s", "11s"))
    both = counts("20s", ("5s", "11s"))
    for key in ("packets_sent", "retransmits", "drops"):
        # Whatever happens at the very end of a run is in it and not in an interval that ends there.
        assert both[key] == late[key] - early[key] > 0, key
        assert both[f"{key}_run"] > late[f"{key}_run"]


def test_the_whole_run_measured_has_the_same_counts_twice() -> None:
    (row,) = cwnd.run(cwnd.dumbbell({"cubic": 1}, rate="20Mbit/s", rtt="20ms", duration="5s")).summary["flows"]
    assert row["drops"] > 0
    assert {key: row[key] for key in COUNTS} == {key: row[f"{key}_run"] for key in COUNTS}


def test_a_links_drops_are_those_of_its_flows_and_datagrams_in_the_interval(result: Result) -> None:
    (link,) = result.summary["links"]
    for suffix in ("", "_run"):
        for key in BY_RED:
            # Traffic is dropped too, and has no events.
            assert link[key + suffix] >= sum(row[key + suffix] for row in result.summary["flows"]) > 0
    assert all(link[key] < link[f"{key}_run"] for key in BY_RED)
    last = result.queue.to_pylist()[-1]
    for key in BY_RED:
        assert 0 <= link[f"{key}_run"] - last[key] <= 20


def test_traffic_has_both_too(result: Result) -> None:
    mix, udp = result.summary["traffic"]
    assert 0 < mix["transfers"] < mix["transfers_run"]
    assert 0 < mix["finished"] < mix["finished_run"] <= mix["transfers_run"]
    started = [row["start_s"] for row in result.transfers.to_pylist() if row["group"] == 0]
    assert mix["transfers_run"] == len(started)
    assert mix["transfers"] == sum(12 <= time < 48 for time in started)
    assert 0 < udp["datagrams"] < udp["datagrams_run"]


RUN = (
    "compare",
    "cubic@recovery=newreno",
    "--rate",
    "10Mbit/s",
    "--rtt",
    "20ms",
    "--buffer",
    "20packets",
    "--duration",
    "20s",
)


def test_the_table_says_which_interval_its_counts_are_of(cwnd: Any) -> None:  # noqa: ANN401
    document = json.loads(cwnd(*RUN, "--json").stdout)
    (flow,), text = document["flows"], cwnd(*RUN).stdout
    assert flow["retransmits"] < flow["retransmits_run"]
    row = next(line.split() for line in text.splitlines() if line.split()[:1] == ["cubic"])
    assert row[-2:] == [str(flow["retransmits"]), str(flow["timeouts"])]
    assert "measured 4 to 20 s" in text
    assert f"in the whole run, flows: {flow['retransmits_run']} retransmits, {flow['timeouts_run']} timeouts" in text
    assert f"{document['link']['drops_queue_run']} drops" in text


def test_replicates_have_both(cwnd: Cli) -> None:
    document = json.loads(cwnd(*RUN, "--seeds", "2", "--json").stdout)
    (group,) = document["groups"]
    for key in ("retransmits", "timeouts", "drops", "packets_sent"):
        assert group[key]["mean"] <= group[f"{key}_run"]["mean"]
    assert group["retransmits"]["mean"] < group["retransmits_run"]["mean"]
    assert document["link"]["drops_queue"]["mean"] < document["link"]["drops_queue_run"]["mean"]


# RED between 5 and 10 packets of 1000, CoDel at 5 ms, which is 4 packets: nothing overflows. DropTail: nothing else.
@pytest.mark.parametrize(
    ("options", "dropped"),
    [
        (("--red", "5packets..10packets", "--buffer", "1000packets"), "drops_early"),
        (("--codel", "5ms..100ms", "--buffer", "1000packets"), "drops_head"),
        (("--buffer", "20packets"), "drops_queue"),
    ],
)
def test_the_discipline_s_drops_are_told_from_overflow(cwnd: Cli, options: tuple[str, ...], dropped: str) -> None:
    done = cwnd("compare", "cubic", "--rate", "10Mbit/s", "--rtt", "20ms", "--duration", "10s", *options, "--json")
    document = json.loads(done.stdout)
    for row in (document["link"], document["flows"][0]):
        assert {cause for cause in DROPS if row[f"{cause}_run"] > 0} == {dropped}


def test_drops_at_the_head_are_events_samples_and_a_line(cwnd: Cli, tmp_path: Path) -> None:
    options = (
        "--duration",
        "10s",
        "--rate",
        "10Mbit/s",
        "--rtt",
        "20ms",
        "--codel",
        "5ms..100ms",
        "--buffer",
        "1000packets",
    )
    done = cwnd("compare", "cubic", *options, "-o", tmp_path / "run", "--no-plots")
    result = load(tmp_path / "run")
    heads = result.summary["link"]["drops_head"]
    assert f"{heads} at the head by CoDel" in done.stdout
    assert of(result, 0, {"drop_head"}, 2, 10) == heads > 0
    assert result.queue.to_pylist()[-1]["drops_head"] <= result.summary["link"]["drops_head_run"]
    refused = cwnd("compare", "cubic", *options, "--red", "5packets..9packets")
    assert (refused.returncode, "codel" in refused.stderr, "one queue discipline" in refused.stderr) == (2, True, True)
    assert "--codel" in cwnd("compare", "cubic", "--codel", "5ms").stderr


def test_the_default_run_says_what_it_measures(tmp_path: Any, cwnd: Cli) -> None:  # noqa: ANN401
    assert cwnd(*RUN, "-o", tmp_path / "run", "--no-plots").returncode == 0
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["measured_s"] == [4.0, 20.0]
    assert tomllib.loads((tmp_path / "run" / "scenario.toml").read_text())["measure"] == ["4s", "20s"]
