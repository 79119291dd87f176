# SPDX-License-Identifier: MIT OR Apache-2.0
"""The measures on simulated runs: equal to what the engine counts itself, and to what an algorithm's rule says."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

import cwnd
from cwnd import Flow, dumbbell
from cwnd import metrics as m
from cwnd.metrics.run import Settings, measures


def test_the_tables_say_what_the_summary_says() -> None:
    scenario = dumbbell(
        {"cubic": 2, "sack": 1},
        rate="20Mbit/s",
        rtt="20ms",
        buffer="0.2bdp",
        duration="20s",
        measure=("4s", "20s"),
        loss="random:0.001",
    )
    run = cwnd.run(scenario)
    span = {"packet_bytes": 1500, "begin_s": 4, "end_s": 20}
    got = [m.throughput(run.cwnd, flow, **span).value for flow in range(3)]  # type: ignore[arg-type]
    # A packet (0.00075 Mbit/s here) that leaves at the very instant of a sample.
    assert got == [pytest.approx(flow["throughput_mbps"], abs=0.002) for flow in run.summary["flows"]]
    assert m.jain([flow["throughput_mbps"] for flow in run.summary["flows"]]).value == pytest.approx(
        run.summary["jain"]
    )
    whole = m.utilisation(run.cwnd, capacity=m.Capacity.constant(20), **span).value  # type: ignore[arg-type]
    assert whole == pytest.approx(run.summary["link"]["utilization"], abs=2e-4)
    times, flows, _ = m.drops(run.events, 4, 20)
    link = run.summary["link"]
    assert len(times) == len(flows) == link["drops_queue"] + link["drops_loss"] > 0
    # The samples weigh time and take the packet in service (0.6 ms) as whole.
    delay = m.sampled_queueing_delay(run.queue, capacity=m.Capacity.constant(20), begin_s=4, end_s=20)["mean"].value
    assert delay is not None and link["queue_mean_ms"] - 0.6 <= delay <= link["queue_mean_ms"] + 1.2


@pytest.mark.parametrize(("cc", "kept"), [("reno", 0.5), ("cubic-2.2", 0.8), ("cubic", 0.7)])
def test_a_window_gives_up_what_its_algorithm_says(cc: str, kept: float) -> None:
    # RFC 6675 alone: the window falls at once, not in proportion to what is delivered.
    flow = Flow(cc, ack_every=1, recovery="sack")
    run = cwnd.run(dumbbell([flow], rate="10Mbit/s", rtt="40ms", duration="60s", measure=("10s", "60s"), per_ack=True))
    rounds = m.rounds(run.cwnd, run.events, 0, begin_s=10, end_s=60)
    # 33 packets of BDP and as many of queue: W is about 67, and reductions are of whole segments.
    reduction = m.largest_reduction(rounds.cwnd).value
    assert reduction == pytest.approx(1 - kept, abs=1 / 60)
    if cc == "reno":
        assert m.smoothness(rounds.cwnd).value == 2
        assert m.aggressiveness(rounds.cwnd, rounds.congested).value == 1  # RFC 5681: one segment per round trip
    assert rounds.congested.sum() >= 10


def test_round_trips_need_samples_as_close() -> None:
    run = cwnd.run(dumbbell({"reno": 1}, rate="10Mbit/s", rtt="20ms", buffer="0.1bdp", duration="5s"))
    with pytest.raises(m.UndefinedError, match=r"0\.1 s apart"):
        m.rounds(run.cwnd, run.events, 0, begin_s=1, end_s=5)


def test_runs_of_drops_are_counted_flow_by_flow() -> None:
    scenario = dumbbell(
        {"reno": 3}, rate="10Mbit/s", rtt="20ms", duration="5s", measure=("0s", "5s"), loss="at:500,501,502,700"
    )
    run = cwnd.run(scenario)
    _, flows, positions = m.drops(run.events, 0, 5)
    runs = [
        length for flow in range(3) for length in m.drop_runs([int(p) for f, p in zip(flows, positions) if f == flow])
    ]
    assert len(runs) > 3 and measures(run, [[0, 1, 2]]).link.drop_run.value == pytest.approx(sum(runs) / len(runs))


def test_a_late_flow_converges_and_its_time_is_found() -> None:
    flows = [Flow("cubic", start="0s"), Flow("cubic", start="20s")]
    run = cwnd.run(dumbbell(flows, rate="50Mbit/s", rtt="80ms", duration="200s"))
    convergence = measures(run, [[0, 1]], Settings(delta=0.2, interval_s=5, hold_s=30)).groups[0].convergence_s
    assert convergence.value is not None and 0 < convergence.value < 150, convergence
    # Held against the rates themselves: before that time some interval is unfair, then six are fair.
    rates = m.rates(run.cwnd, packet_bytes=1500, interval_s=5, begin_s=20, end_s=200)
    share = rates.mbps[0] / rates.mbps.sum(axis=0)
    first = round(convergence.value / 5)
    assert all(abs(2 * part - 1) <= 0.2 for part in share[first : first + 6])
    assert first == 0 or abs(2 * share[first - 1] - 1) > 0.2


def test_every_measure_of_a_run_has_a_value_or_says_why_not() -> None:
    run = cwnd.run(
        dumbbell({"cubic": 2, "sack": 1}, rate="20Mbit/s", rtt="20ms", duration="10s", measure=("2s", "10s"))
    )
    run_measures = measures(run, [[0, 1], [2]])
    assert run_measures.flows.jain.value == pytest.approx(run.summary["jain"])
    assert "fewer than two flows" in run_measures.groups[1].convergence_s.why
    assert "10 s" in run_measures.groups[0].convergence_s.why  # shorter than one interval of convergence
    assert 1 / 3 <= (run_measures.link.synchronisation.value or 0) <= 1
    quick = cwnd.run(dumbbell({"reno": 1}, rate="10Mbit/s", rtt="20ms", duration="2s", interval="0s"))
    assert "nothing was recorded" in measures(quick, [[0]]).flows.variation.why
    assert "nothing was recorded" in measures(quick, [[0]]).flows.loss_rate.why  # and not 1, or 0
    # What is counted at the link needs no samples.
    link, counted = measures(quick, [[0]]).link, quick.summary["link"]
    assert link.loss_rate.value == counted["drops_queue"] / (counted["drops_queue"] + counted["packets"])
    assert link.queue_p50_ms.value == counted["queue_p50_ms"] > 0


@pytest.mark.parametrize(("page", "examples"), [("measures", 18), ("curves", 5), ("replicates", 5)])
def test_the_pages_examples_are_true(page: str, examples: int) -> None:
    path = Path(__file__).resolve().parents[3] / "docs" / "reference" / f"{page}.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert failed == 0 and tried >= examples
