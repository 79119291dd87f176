# SPDX-License-Identifier: MIT OR Apache-2.0
"""Links without a rate: no capacity, no utilization, no share in what runs, replicates and studies print and store; what else a run has is there."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Replicates, Result, ScenarioError, plot
from cwnd.page.html import check_page
from cwnd.plot.data import RunData
from cwnd.replicates.document import interval_of

# Ten packets of 1500 bytes in each round trip of 100 ms: 10 · 1500 · 8 / 0.1 s = 1.2 Mbit/s.
FLOW, MBPS = "cubic@rwnd=10,recovery=sack-prr", 1.2
QUEUE = ("queue_mean_ms", "queue_p50_ms", "queue_p95_ms", "queue_p99_ms", "queue_max_ms")
OPTIONS = ("--rtt", "100ms", "--duration", "10s")


@pytest.fixture(scope="module")
def result() -> Result:
    return package.run(package.dumbbell([FLOW, "reno@rwnd=10"], rtt="100ms", duration="10s"))


def test_a_run_has_all_but_a_capacity(result: Result) -> None:
    summary, link = result.summary, result.summary["link"]
    assert (link["capacity_mbps"], link["utilization"]) == (None, None)
    assert [flow["share"] for flow in summary["flows"]] == [None, None]
    assert summary["flows"][0]["throughput_mbps"] == pytest.approx(MBPS, rel=0.02)
    assert (link["queue_mean_ms"], link["drops_queue"]) == (0, 0)
    used = result.measures.link.utilization
    assert (used.value, used.why) == (None, "no rate")
    for measure in (result.measures.link.queue_mean_ms, result.measures.link.queue_p95_ms):
        assert (measure.value, measure.why, measure.unit) == (None, "no rate", "ms")
    assert (result.scenario.rate_mbps, result.scenario.bdp_packets) == (None, None)
    assert "no rate" in repr(result) and "no rate" in repr(result.scenario)
    assert result.rates.num_rows == 0
    rows = {(row["of"], row["measure"]): row for row in result.summary_table.to_pylist() if row["of"] != "group"}
    for name in ("capacity_mbps", *QUEUE):
        assert (rows["link", name]["value"], rows["link", name]["why"]) == (None, "no rate"), name


def test_the_command_line_says_it_in_a_table_json_and_parquet(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("compare", FLOW, "--rate", "none", *OPTIONS, "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no rate, measured 2 to 10 s: Jain index 1.000" in done.stdout
    row = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["cubic"])
    assert row.split()[2:5] == ["1.20", "1.16", "-"], done.stdout
    assert "utilisation" not in done.stdout and "inf" not in done.stdout and "nan" not in done.stdout
    for table, columns in (("links", ("capacity_mbps", "utilization")), ("flows", ("share",))):
        stored = pq.read_table(tmp_path / "out" / f"{table}.parquet")
        assert all(stored[name].to_pylist() == [None] for name in columns), table
    assert not (tmp_path / "out" / "shares.png").exists() and (tmp_path / "out" / "overview.png").exists()
    again = cwnd("run", "out/scenario.toml", "--json", cwd=tmp_path)
    document = json.loads(again.stdout)
    assert document["link"]["capacity_mbps"] is None and document["flows"][0]["share"] is None
    assert package.load(tmp_path / "out").summary["link"]["utilization"] is None


def test_replicates_and_studies_have_dashes_and_say_why(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("compare", "cubic", "--rate", "none", "--loss", "random:0.01", *OPTIONS, "--seeds", "2")
    assert done.returncode == 0, done.stderr
    assert "used %" in done.stdout and "undefined in" not in done.stdout, done.stdout
    found = package.compare("cubic", rate="none", loss="random:0.01", rtt="100ms", duration="5s", seeds=2)
    assert isinstance(found, Replicates)
    capacity = found.document["link"]["capacity_mbps"]
    assert (capacity["undefined"], capacity["why"], capacity.get("mean")) == (2, "no rate", None)
    link = found.document["link"]
    for delays in (
        {name: interval_of(link, name) for name in QUEUE},
        {"of measures": link["measures"]["queue_p95_ms"]},
    ):
        assert all((each["mean"], each["undefined"], each["why"]) == (None, 2, "no rate") for each in delays.values())
    share = found.document["groups"][0]["share"]
    assert (share["undefined"], share["why"]) == (2, "no link on the path has a capacity")
    # A point without a rate beside one that has one, whose queue it does not take.
    swept = cwnd("sweep", "cubic@rwnd=10", "--rate", "10Mbit/s,none", *OPTIONS, "-o", "study", cwd=tmp_path)
    assert swept.returncode == 0 and "failed" not in swept.stderr, swept.stderr
    lines = [line.split() for line in swept.stdout.splitlines() if "none" in line]
    assert lines and all("-" in line for line in lines), swept.stdout


def test_netem_without_a_rate_is_a_link_without_one(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd(
        *("compare", "cubic", "--rtt", "100ms", "--duration", "20s"),
        *("--netem", "tc qdisc add dev x root netem delay 100ms limit 300", "-o", "out", "--no-plots"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("netem: ")]
    assert said[-1] == "netem: no rate: sending a packet takes no time, and no packet waits", said
    assert any("limit 300: packets that may be on the link at once" in line for line in said)
    keywords = package.netem("delay 100ms limit 300")
    assert keywords == {"rate": "none", "delay": "100000000ns", "delay_limit": "300packets"}
    by_python = package.compare("cubic", rtt="100ms", duration="20s", **keywords)
    assert by_python.scenario == package.Scenario.from_file(tmp_path / "out" / "scenario.toml")
    # 300 packets in 100 ms are 36 Mbit/s; without losses of its own the flow reaches the limit.
    assert 15 < by_python.summary["flows"][0]["throughput_mbps"] <= 36
    assert by_python.summary["link"]["drops_queue"] > 0
    # With a rate of the link the same words are a queue, as they were.
    assert package.netem("delay 20ms limit 300", rate="10Mbit/s") == {
        "rate": "10Mbit/s",
        "delay": "20000000ns",
        "buffer": "300packets",
    }
    given = cwnd(
        "compare", "cubic", "--rate", "10Mbit/s", "--netem", "delay 9ms limit 300", "--json", "--duration", "2s"
    )
    assert json.loads(given.stdout)["link"]["capacity_mbps"] == 10, given.stderr


def test_what_needs_a_rate_is_refused_in_one_line(cwnd: Cli) -> None:
    none = ("--rate", "none")
    for options, expected in (
        ((*none,), "flow[0].rwnd: missing; expected a receive window, or size or app_rate: no link on its path"),
        ((*none, "--traffic", "ha2008", "--loss", "random:0.01"), "traffic[0].arrivals: missing; expected gaps"),
        (("--netem", "delay 9ms", "--page", "x.html"), "--page: not accepted with --netem"),
        ((*none, "--loss", "random:0.01", "--page", "x.html"), "link.rate: missing; expected a rate, which pages draw"),
    ):
        done = cwnd("compare", "cubic", *options)
        last = done.stderr.splitlines()[-1]
        assert done.returncode == 2 and last.startswith(f"error: {expected}"), (options, done.stderr)
    with pytest.raises(ScenarioError, match=r"^link.rate: missing; expected a rate, which pages draw"):
        check_page(package.dumbbell(FLOW, rtt="40ms"))
    with pytest.raises(ScenarioError, match=r"^link.delay_limit: .* a link with a rate has a queue"):
        package.dumbbell(FLOW, rate="1Mbit/s", rtt="40ms", delay_limit="9packets")


def test_pictures_have_no_line_of_a_capacity(result: Result) -> None:
    run = RunData(result)
    assert run.capacity == [None]
    assert run.setup(200).startswith("no rate, RTT 100 ms, seed 1"), run.setup(200)
    for picture in (plot.windows, plot.throughput):
        plt.close(picture(result))


def test_the_shell_takes_links_without_a_rate() -> None:
    from cwnd.cli.commands.shell import links

    scenario = links({"rate": "none", "loss": "random:0.01", "rtt": "100ms"}, None)
    assert [link.queue for link in scenario.links] == [None, None]


@pytest.mark.parametrize("function", [package.compare, package.dumbbell, package.compare_command])
def test_flows_in_several_arguments_are_refused_in_one_line(function: object) -> None:
    assert callable(function)
    name = getattr(function, "__name__", "")
    with pytest.raises(ScenarioError) as refused:
        function("cubic", "reno")
    assert str(refused.value) == (
        f"flows: ('cubic', 'reno') is not accepted; expected them in one list, cwnd.{name}([\"cubic\", \"reno\"]), "
        "and all else by keyword"
    )
    assert refused.value.field == "flows"


# In 100 ms there are 10 packets, so nothing waits and nothing is dropped but by the loss process.
def test_the_report_of_a_run_without_a_queue_says_nothing_of_one(cwnd: Cli) -> None:
    options = ("compare", "cubic@rwnd=10", "--rate", "none", "--loss", "at:50", *OPTIONS)
    alone = cwnd(*options)
    assert alone.returncode == 0, alone.stderr
    several = cwnd(*options, "--seeds", "2")
    for said in (alone.stdout, several.stdout):
        assert "RED" not in said and "queue" not in said and "delay" not in said, said
    assert "\ndropped 0 by the loss process\n" in alone.stdout
    # The 50th packet is lost in the first second, before the measured interval.
    assert "0 timeouts, 1 drop; links, all traffic: 1 drop\n" in alone.stdout


def test_a_link_without_a_rate_has_dashes_beside_one_with_a_queue(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(
        'duration = "2s"\n[[link]]\nfrom = "a"\nto = "b"\ndelay = "10ms"\n'
        '[[link]]\nfrom = "b"\nto = "c"\nrate = "8Mbit/s"\ndelay = "10ms"\nqueue = { kind = "droptail", limit = "1bdp" }\n'
        '[[flow]]\ncc = "cubic"\nfrom = "a"\nto = "c"\nrwnd = 10\n'
    )
    lines = [line.split() for line in cwnd("run", "two.toml", cwd=tmp_path).stdout.splitlines()]
    assert ["a-b", "-", "-", "0", "%", "-", "-", "-", "-", "-", "0", "0", "0"] in lines, lines


def test_traffic_alone_is_named_in_a_result() -> None:
    traffic = [{"model": "udp", "rate": "1Mbit/s"}]
    found = package.run(package.dumbbell([], rtt="100ms", duration="2s", traffic=traffic))
    assert repr(found) == "Result(traffic alone; no rate; 2 s, seed 1)"


def test_one_point_is_no_points(cwnd: Cli) -> None:
    assert cwnd("sweep", "cubic", "--dry-run").stdout.startswith("1 point, 1 seed: 1 run\n")
    assert "2 points, 1 seed: 2 runs\n" in cwnd("sweep", "{cubic,reno}", "--dry-run").stdout


@pytest.mark.parametrize(
    ("option", "keyword"),
    [
        (("--red", "5packets..10packets"), "red"),
        (("--codel", "5ms..100ms"), "codel"),
        (("--buffer", "1bdp"), "buffer"),
        (("--drop-head",), "drop_head"),
    ],
)
@pytest.mark.parametrize("link", [("--rate", "none"), ("--netem", "delay 20ms")], ids=["rate", "netem"])
def test_a_queue_is_refused_by_the_option_that_asks_for_it(
    cwnd: Cli, link: tuple[str, str], option: tuple[str, ...], keyword: str
) -> None:
    done = cwnd("compare", FLOW, *link, *option, *OPTIONS)
    refused(done, f"{keyword}: ", f"no {keyword}: a link without a rate has no queue")


# The default of `compare` is 100 Mbit/s, of the others no rate.
def test_no_rate_in_python_is_a_text_and_none_the_default() -> None:
    assert package.compare("cubic", rate=None, duration="1s").scenario.rate_mbps == 100
    assert package.netem("delay 20ms", rate=None)["rate"] == "none"
    assert package.dumbbell("cubic@rwnd=9", rate=None, rtt="40ms").rate_mbps is None
