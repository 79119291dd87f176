# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures and captions of links without a rate: they name no queue and no capacity that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli, refused
from matplotlib.figure import Figure

import cwnd as package
from cwnd import Result, ScenarioError, Study, plot
from cwnd.plot.data import RunData
from cwnd.plot.draw import draw


def caption(figure: Figure) -> str:
    return " ".join(str(figure.get_supxlabel()).split())


# netem's own limit is 1000 packets, which count on the link where it has no rate.
def test_a_study_without_a_rate_states_its_limit_and_no_queue(tmp_path: Path) -> None:
    lines = package.netem("delay 50ms", rate="none")
    study = package.sweep(
        "cubic", {"flow.size": ["100kB", "1MB"]}, rtt="100ms", duration="20s", folder=tmp_path / "a", **lines
    )
    assert (study.fixed["rate"], study.fixed["delay_limit"]) == ("none", "1000 packets")
    assert study.fixed.keys().isdisjoint({"queue", "buffer"})
    stored = package.load(tmp_path / "a")
    assert isinstance(stored, Study) and stored.fixed == study.fixed
    said = caption(plot.response(study, measure="completion_mean_s"))
    assert said.startswith("No rate, RTT 100 ms, at most 1000 packets on the link, cubic alone, 20 s."), said


# Of the points that have a queue all are drop-tail; of those without one nothing is said.
def test_the_queue_of_a_study_is_that_of_the_points_that_have_one() -> None:
    rates = {"rate": ["10Mbit/s", "none"], "rtt": "100ms", "duration": "2s"}
    assert package.sweep("cubic@rwnd=10", **rates).fixed["queue"] == "droptail"  # type: ignore[arg-type]
    alone = package.sweep("cubic@rwnd={9,10}", rate="none", rtt="100ms", duration="2s")
    assert "queue" not in alone.fixed and alone.fixed["rate"] == "none"


# Two links with CoDel: a network of several links has no queue that a caption could name, and drop-tail least of all.
def test_the_queues_of_several_links_are_not_called_drop_tail() -> None:
    flow = package.Flow("cubic", from_="n0", to="n2")
    lot = package.parking_lot(flow, hops=2, rate="8Mbit/s", delay="5ms", codel={}, duration="2s")
    study = package.sweep(lot, {"flow.rwnd": [10, 20]})
    assert study.fixed["links"] == "2 links" and "queue" not in study.fixed


def test_the_limit_of_packets_on_a_link_reads_as_english() -> None:
    limited = package.dumbbell(
        "cubic", rtt="100ms", duration="1s", loss="random:0.01", delay="50ms", delay_limit="9packets"
    )
    assert "no rate, RTT 100 ms, at most 9 packets on the link, " in RunData(package.run(limited)).setup(200)


@pytest.fixture(scope="module")
def rateless() -> Result:
    return package.run(package.dumbbell(["cubic@rwnd=10", "reno@rwnd=9"], rtt="100ms", duration="4s"))


@pytest.fixture(scope="module")
def rated() -> Result:
    return package.run(package.dumbbell("cubic", rate="10Mbit/s", rtt="100ms", duration="4s"))


def second_rated() -> Result:
    """A link without a rate before one with a rate."""
    links = [
        package.Link("a", "b", rate="none", delay="10ms"),
        package.Link("b", "c", rate="8Mbit/s", delay="10ms", queue={"kind": "droptail", "limit": "1bdp"}),
    ]
    flow = package.Flow("cubic", from_="a", to="c", rwnd=10)
    return package.run(package.graph(links, flow, duration="4s"))


# Panels: windows and throughput, beside each other; queue and shares would be empty.
def test_a_run_without_a_queue_has_no_picture_of_one(rateless: Result, tmp_path: Path) -> None:
    draw(rateless, tmp_path)
    assert {file.stem for file in tmp_path.iterdir()} == {"cwnd", "throughput", "overview"}
    with pytest.raises(ScenarioError) as error:
        plot.queue(rateless)
    expected = "expected runs with a queue: no link has a queue"
    assert str(error.value) == f"runs: not accepted; {expected}"
    with pytest.raises(ScenarioError, match=r'^measure: "queue_ms" .* values in these runs: no link has a queue$'):
        plot.cdf(rateless)


def test_traffic_over_no_rate_has_nothing_to_draw(tmp_path: Path) -> None:
    traffic = [{"model": "udp", "rate": "1Mbit/s"}]
    draw(package.run(package.dumbbell([], rtt="100ms", duration="2s", traffic=traffic)), tmp_path)
    assert not list(tmp_path.iterdir())


# Of two links the second has a rate: the picture is of its queue alone.
def test_the_picture_of_queues_is_of_links_that_have_one(tmp_path: Path) -> None:
    result = second_rated()
    assert RunData(result).queued == [1]
    draw(result, tmp_path)
    assert (tmp_path / "queue.png").exists()
    figure = plot.queue(result)
    assert len(figure.axes[0].lines) == 1 and "Link b-c" in caption(figure), caption(figure)
    with pytest.raises(ScenarioError, match=r'^link: "a-b" is not accepted; expected a link with a queue, as this one'):
        plot.queue(result, "a-b")


def test_a_run_without_a_queue_is_named_beside_one_that_has_one(rateless: Result, rated: Result) -> None:
    figure = plot.queue([rated, rateless])
    assert len(figure.axes[0].lines) == 1 and "no queue" in caption(figure), caption(figure)


def test_the_command_refuses_the_picture_in_one_line(cwnd: Cli, rateless: Result, tmp_path: Path) -> None:
    package.run(rateless.scenario, folder=tmp_path / "out", pictures=False)
    refused(cwnd("plot", "out", "--kind", "queue", cwd=tmp_path), 'DIR: "out"', "no link has a queue")
    refused(cwnd("plot", "out", "--kind", "cdf", cwd=tmp_path), "queue_ms", "no link has a queue")


# A network of several links has one size of packets, which a caption names where it is not 1500 bytes.
@pytest.mark.parametrize(("size", "said"), [(None, False), ("1000B", True)])
def test_a_caption_of_several_links_names_the_size_of_packets_where_it_is_another(size: str | None, said: bool) -> None:
    flow = package.Flow("cubic", from_="n0", to="n2", rwnd=10)
    lot = package.parking_lot(flow, hops=2, rate="8Mbit/s", delay="5ms", duration="2s", packet_size=size)
    words = caption(plot.queue(package.run(lot)))
    assert ("packets of 1 kB" in words) == said and ("packets of" in words) == said, words


# The line of full capacity is where x + y = 10 Mbit/s; at a point without a rate the two flows may have more or less than that.
@pytest.mark.parametrize(
    ("rates", "measure", "has_line"), [("10Mbit/s", "throughput", True), ("10Mbit/s,none", "", False)]
)
def test_full_capacity_is_drawn_where_every_point_has_it(rates: str, measure: str, has_line: bool) -> None:
    axes = {"link.loss": ["random:0.001", "random:0.002"]}
    study = package.sweep(["cubic@rwnd=40", "reno@rwnd=40"], axes, rtt="20ms", duration="4s", rate=rates)
    figure = plot.fairness(study, measure=measure or None)
    texts = {text.get_text() for panel in figure.axes for text in panel.texts}
    assert "equal shares" in texts and ("full capacity" in texts) == has_line, texts
    assert figure.axes[0].get_xlabel() == "cubic: throughput (Mbit/s)"
