# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures and captions of links without a rate: they name no queue and no capacity that is not there."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

import cwnd as package
from cwnd import Study, plot
from cwnd.plot.run import RunData


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
