# SPDX-License-Identifier: MIT OR Apache-2.0
"""Small runs whose outcome is known beforehand, by the whole of the pipeline: scenario, engine, tables, measures, replicates."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import cwnd
from cwnd import Scenario
from cwnd import metrics as m
from cwnd.metrics.run import measures


def scenario(text: str, *, duration: str = "20s", measure: tuple[str, str] | None = None) -> Scenario:
    """A scenario of this duration, measured whole if nothing else is said."""
    first, last = measure or ("0s", duration)
    return Scenario.from_toml(f'duration = "{duration}"\nmeasure = ["{first}", "{last}"]\n{text}')


# 12 Mbit/s send a packet of 1500 bytes in 1 ms.
LINK = '[link]\nrate = "12Mbit/s"\nrtt = "40ms"\nqueue = { kind = "droptail", limit = "1000packets" }\n'
# Transfers of one packet, a Poisson process of 500 a second.
POISSON = '[[traffic]]\nmodel = "mix"\ncc = "reno"\nrecovery = "sack-prr"\nsize = "1packets"\narrivals = { kind = "exponential", mean = "2ms" }\n'


def waits_at_most(t: float, load: float) -> float:
    """P(W ≤ t) of M/D/1, t in service times: (1 − ρ) Σ (ρ(k − t))^k / k! · e^(ρ(t − k)), k from 0 to ⌊t⌋ (Erlang 1909)."""
    terms = ((load * (k - t)) ** k / math.factorial(k) * math.exp(load * (t - k)) for k in range(int(t) + 1))
    return (1 - load) * math.fsum(terms)


def test_an_m_d_1_queue_has_pollaczek_and_khinchins_wait_within_its_confidence_interval() -> None:
    study = cwnd.replicate(scenario(LINK + POISSON, duration="201s", measure=("1s", "200s")), 12, 2)
    document = study.document
    assert document is not None and document["groups"] == [] and not document["identical"]
    link, (traffic,), (transfers,) = document["link"], document["traffic"], document["transfers"]

    def holds(interval: dict[str, float], value: float, within: float = 0.0) -> bool:
        return interval["low"] - within <= value <= interval["high"] + within

    # ρ = 0.5 and S = 1 ms: W = ρ S / (2 (1 − ρ)) = 0.5 ms. Half of the packets do not wait.
    assert holds(link["queue_mean_ms"], 0.5) and link["queue_mean_ms"]["high"] - link["queue_mean_ms"]["low"] < 0.02
    assert holds(link["utilization"], 0.5)
    for part, key in ((0.95, "queue_p95_ms"), (0.99, "queue_p99_ms")):
        low, high = 0.0, 10.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if waits_at_most(middle, 0.5) < part else (low, middle)
        # A bin of the histogram is 1/128 of the wait to either side.
        assert holds(link["measures"][key], high, high / 128), (key, high, link["measures"][key])
    assert link["measures"]["loss_rate"]["mean"] == 0
    # 500 packets a second are 6 Mbit/s, asked, offered and carried.
    assert (traffic["asked"], traffic["asked_mbps"]) == ("rate", pytest.approx(6))
    assert holds(traffic["offered_mbps"], 6) and holds(traffic["carried_mbps"], 6)
    # A transfer takes its wait, its packet's 1 ms and half of the round trip: 21.5 ms.
    assert transfers["started"]["mean"] == transfers["finished"]["mean"] == pytest.approx(500 * 199, rel=0.01)
    assert holds(transfers["completion_s"]["mean"], 0.0215)
    assert transfers["completion_s"]["mean"]["mean"] == pytest.approx(
        0.021 + link["queue_mean_ms"]["mean"] / 1e3, abs=2e-6
    )


# One way is 50 ms. Ten packets leave at once and are at the receiver from 51 to 60 ms; after every second one an acknowledgement is
# sent, so that they are back at 102, 104, ... 110 ms. In slow start each of them releases four packets: 20, 4 every 2 ms, which the
# link sends from 102 to 122 ms without a gap. The last of 30 is there at 172 ms. The first ten alone take 60 ms.
@pytest.mark.parametrize(("packets", "takes_s"), [(1, 0.051), (10, 0.060), (30, 0.172)])
def test_a_transfer_on_an_empty_link_takes_what_arithmetic_says(packets: int, takes_s: float) -> None:
    link = LINK.replace("40ms", "100ms")
    flow = f'[[flow]]\ncc = "reno"\nrecovery = "sack-prr"\nstart = "1s"\nsize = "{packets}packets"\n'
    session = f'[[traffic]]\nmodel = "sessions"\nsessions = 1\npages = 1\ncc = "reno"\nrecovery = "sack-prr"\nsize = "{packets}packets"\ngap = "1s"\n'
    for text, of in ((flow, "flow"), (session, "traffic")):
        run = cwnd.run(scenario(link + text))
        (row,) = run.transfers.to_pylist()
        assert (row["group"], row["bytes"], row["rtt_ms"]) == (None if of == "flow" else 0, packets * 1448, 100)
        assert row["start_s"] == 1 and row["end_s"] - row["start_s"] == pytest.approx(takes_s, abs=1e-9)
        (transfers,) = run.summary["transfers"]
        assert (transfers["of"], transfers["started"], transfers["finished"], transfers["direction"]) == (
            of,
            1,
            1,
            "forward",
        )
        assert transfers["completion_s"]["mean"] == transfers["completion_s"]["p99"] == pytest.approx(takes_s, abs=1e-9)
        assert m.completion_time(run.transfers)["p50"].value == pytest.approx(takes_s, abs=1e-9)


def test_a_transfer_that_does_not_end_is_later_than_all_that_do() -> None:
    # 1448 · 8 · 2000 bits of payload take 2 s and more: of two transfers only the one at 1 s ends.
    flows = "".join(f'[[flow]]\ncc = "reno"\nstart = "{at}s"\nsize = "2000packets"\n' for at in (1, 19))
    run = cwnd.run(scenario(LINK + flows))
    assert [row["end_s"] is None for row in run.transfers.to_pylist()] == [False, True]
    first, second = run.summary["transfers"]
    assert (first["name"], first["finished"]) == ("reno start=1s", 1)
    assert (second["name"], second["finished"]) == ("reno start=19s", 0)
    assert second["completion_s"] == dict.fromkeys(("mean", "p50", "p95", "p99")) and "did not end" in second["why"]


def test_goodput_from_the_table_is_the_links_rate_without_headers() -> None:
    run = cwnd.run(scenario(LINK + '[[flow]]\ncc = "reno"\nrwnd = 100\n'))  # 41 packets of BDP: the link is always busy
    goodput = m.goodput(run.cwnd, 0, payload_bytes=1448, begin_s=5, end_s=15).value
    packet = 1448 * 8 / 1e6 / 10
    assert goodput == pytest.approx(12 * 1448 / 1500, abs=packet)
    series = m.rates(run.cwnd, packet_bytes=1448, interval_s=1, begin_s=5, end_s=15, of="delivered")
    assert series.mbps[0] == pytest.approx(np.full(10, 12 * 1448 / 1500), abs=10 * packet)
    again = cwnd.run(scenario(LINK + '[[flow]]\ncc = "reno"\nrwnd = 100\n', measure=("5s", "15s")))
    assert again.summary["flows"][0]["goodput_mbps"] == pytest.approx(goodput, abs=packet)


def test_a_link_whose_rate_steps_is_full_at_each_of_its_rates() -> None:
    link = LINK.replace('"12Mbit/s"', '[["0s", "12Mbit/s"], ["8s", "0bit/s"], ["10s", "6Mbit/s"]]')
    flow = '[[flow]]\ncc = "reno"\nrwnd = 400\nmin_rto = "5s"\n'
    action = '[[action]]\nrate = { at = "15s", to = "24Mbit/s" }\n'
    run = cwnd.run(scenario(link + flow + action, measure=("2s", "20s")))
    capacity = m.Capacity.of(run.rates)
    assert (capacity.times_s.tolist(), capacity.mbps.tolist()) == ([0, 8, 10, 15], [12, 0, 6, 24])
    # 6 s of 12, 5 s of 6, 5 s of 24 Mbit/s.
    assert capacity.mbit(2, 20) == pytest.approx(72 + 30 + 120)
    assert run.summary["link"]["capacity_mbps"] == pytest.approx(222 / 18)
    assert run.summary["link"]["utilization"] == pytest.approx(1, abs=0.002)
    span = {"packet_bytes": 1500, "begin_s": 2, "end_s": 20}
    assert m.utilisation(run.cwnd, capacity=capacity, **span).value == pytest.approx(  # type: ignore[arg-type]
        run.summary["link"]["utilization"], abs=2e-4
    )
    for begin, end, mbps in ((3, 8, 12), (10, 15, 6), (16, 20, 24)):
        throughput = m.throughput(run.cwnd, 0, packet_bytes=1500, begin_s=begin, end_s=end).value
        assert throughput == pytest.approx(mbps, abs=0.02)
    # Before the outage 360 packets and more wait, whose last goes at 6 Mbit/s.
    assert 2000 < run.summary["link"]["queue_max_ms"] < 2000 + 2 * 400
    assert "no capacity" in m.utilisation(run.cwnd, capacity=capacity, packet_bytes=1500, begin_s=8.5, end_s=9).why


def test_a_trace_of_even_opportunities_is_a_link_of_their_rate(tmp_path: Path) -> None:
    (tmp_path / "even.trace").write_text("1\n")  # an opportunity of 1500 bytes every millisecond: 12 Mbit/s
    link = LINK.replace('"12Mbit/s"', f'{{ trace = "{tmp_path}/even.trace" }}')
    run = cwnd.run(scenario(link + '[[flow]]\ncc = "reno"\nrwnd = 100\n', measure=("2s", "20s")))
    # In the first millisecond there is none that can be used.
    assert m.Capacity.of(run.rates).mbps.tolist() == [0, 12]
    assert run.summary["link"]["utilization"] == pytest.approx(1, abs=1e-3)
    plain = cwnd.run(scenario(LINK + '[[flow]]\ncc = "reno"\nrwnd = 100\n', measure=("2s", "20s")))
    # 41 packets are in the pipe, 59 in the queue: each packet waits for 58 before it, and one is being sent.
    assert plain.summary["link"]["queue_mean_ms"] == pytest.approx(run.summary["link"]["queue_mean_ms"], abs=1)


def test_each_of_two_links_in_a_row_has_its_own_losses_and_waits() -> None:
    # 12 Mbit/s into 10: a sixth is dropped; what is left, 10 Mbit/s, is half of the next link and never waits.
    text = """
        [[link]]
        name = "first"
        from = "a"
        to = "b"
        rate = "10Mbit/s"
        queue = { kind = "droptail", limit = "20packets" }
        [[link]]
        name = "second"
        from = "b"
        to = "c"
        rate = "20Mbit/s"
        delay = "5ms"
        queue = { kind = "droptail", limit = "20packets" }
        [[traffic]]
        model = "udp"
        rate = "12Mbit/s"
        from = "a"
        to = "c"
    """
    run = cwnd.run(scenario(text, measure=("2s", "20s")))
    first, second = run.summary["links"]
    assert run.summary["link"] == first and [first["name"], second["name"]] == ["first", "second"]
    links = measures(run, []).links
    assert links[0].loss_rate.value == pytest.approx(1 / 6, abs=1e-3) and links[1].loss_rate.value == 0
    assert links[0].utilization.value == pytest.approx(1, abs=1e-3)
    assert links[1].utilization.value == pytest.approx(1 / 2, abs=1e-3)
    # A full queue of 20: who comes waits for 19 to 20 packets of 1.2 ms, the last part of the one being sent included.
    assert 19 * 1.2 <= (links[0].queue_p50_ms.value or 0) <= 20 * 1.2 + 1.2 and first["queue_max_ms"] <= 21 * 1.2
    assert links[1].queue_p99_ms.value == second["queue_max_ms"] == 0
    (traffic,) = run.summary["traffic"]
    assert traffic["offered_mbps"] == pytest.approx(12, abs=0.01) and traffic["carried_mbps"] == pytest.approx(
        10, abs=0.01
    )
    queue = run.queue.to_pylist()
    assert {row["link"] for row in queue} == {0, 1} and len(queue) == 2 * 201
    assert run.links["from"].to_pylist() == ["a", "b"] and run.links["to"].to_pylist() == ["b", "c"]
    delay = m.sampled_queueing_delay(run.queue, capacity=m.Capacity.of(run.rates, 1), begin_s=2, end_s=20, link=1)
    assert (delay["mean"].value or 0) <= 0.6  # a packet being sent at most


def test_acknowledgements_wait_behind_data_that_goes_their_way() -> None:
    # 2 Mbit/s back, on which a sender keeps 30 packets: they go round in 180 ms, of which 40 are propagation and 6 their own
    # sending. The rest, 134 ms, is their wait, and that of acknowledgements behind them; bursts of these take up to 5 ms of it.
    link = LINK + 'reverse = { rate = "2Mbit/s", queue = { kind = "droptail", limit = "50packets" } }\n'
    forward = '[[flow]]\ncc = "reno"\nrwnd = 20\n'
    back = '[[flow]]\ncc = "reno"\nrwnd = 30\ndirection = "reverse"\n'
    alone, both = (cwnd.run(scenario(link + text, measure=("5s", "20s"))) for text in (forward, forward + back))
    assert both.flows["path"].to_pylist() == [[0], [1]] and both.flows["back"].to_pylist() == [[1], [0]]
    run_measures = measures(both, [[0], [1]])
    wait_ms = run_measures.links[1].queue_mean_ms.value
    assert wait_ms == pytest.approx(134, abs=5)
    # 20 packets per round trip: 41 ms and the last one's wait for up to 19 others at 1 ms alone, with the wait behind data beside it.
    slow, fast = (run.summary["flows"][0]["throughput_mbps"] for run in (both, alone))
    assert 20 * 12 / (41 + 19 + wait_ms) < slow < 20 * 12 / (41 + wait_ms) and 20 * 12 / 60 < fast < 20 * 12 / 41
    # The two share no data's link, so each link's synchronisation has nobody to compare.
    assert all("fewer than two flows" in link.synchronisation.why for link in run_measures.links)


def test_jitter_is_in_the_round_trips() -> None:
    # One packet at a time: 40 ms, 1 ms of sending, and 0 to 6 ms of jitter, 3 on average.
    link = LINK + 'jitter = "6ms"\n'
    run = cwnd.run(scenario(link + '[[flow]]\ncc = "reno"\nrwnd = 1\nack_every = 1\n', duration="100s"))
    srtt = run.cwnd["srtt_ms"].to_numpy()[100:]
    # Means of about 8 draws each with deviation 6/√12; 2 300 draws in all: 3 · 1.73/√2300 = 0.11.
    assert srtt.mean() == pytest.approx(44, abs=0.11) and srtt.min() >= 41 and srtt.max() <= 47


def test_the_summarys_percentiles_are_the_histograms() -> None:
    scenario_ = cwnd.dumbbell({"cubic": 2, "sack": 1}, rate="20Mbit/s", rtt="20ms", duration="10s")
    run = cwnd.run(scenario_)
    link = run.summary["link"]
    delays = m.queueing_delay(run.waits, 0)
    for name in ("p50", "p95", "p99"):
        assert link[f"queue_{name}_ms"] == delays[name].value == run.links[f"queue_{name}_ms"].to_pylist()[0]
    assert delays["mean"].value == pytest.approx(link["queue_mean_ms"], rel=1 / 128)
    assert sum(run.waits["packets"].to_pylist()) == link["packets"]
    assert max(run.waits["wait_ms"].to_pylist()) <= link["queue_max_ms"]
    assert link["packets"] * 1500 * 8 / 1e6 / 10 / 20 == pytest.approx(link["utilization"])
