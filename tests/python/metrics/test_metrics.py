# SPDX-License-Identifier: MIT OR Apache-2.0
"""The measures: computed by hand, and what must hold whatever the rates."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cwnd import metrics as m
from cwnd.metrics import Measure, Rates, UndefinedError, curve, trace

RATES = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=20).filter(lambda x: max(x) > 1e-3)
SEQUENCES = st.lists(st.floats(1e-3, 1e6), min_size=2, max_size=40)


def table(**columns: list[object]) -> pa.Table:
    return pa.table(columns)


def value(measure: Measure) -> float:
    assert measure.value is not None, measure.why
    return measure.value


def test_a_measure_has_a_finite_value_or_a_reason() -> None:
    for wrong in (
        lambda: Measure(math.nan),
        lambda: Measure(math.inf),
        lambda: Measure(None),
        lambda: Measure(1.0, "s", "but"),
    ):
        with pytest.raises(ValueError):
            wrong()
    assert (
        str(Measure(2.5, "ms")) == "2.5 ms"
        and str(Measure(None, "s", "it never ended")) == "undefined (it never ended)"
    )
    assert Measure(None, "s", "why").document() == {"value": None, "unit": "s", "why": "why"}


# A flow of 1500-byte packets, sampled every second: 0, 1000, 3000, 3000 packets.
CWND = table(
    time_s=[0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0], flow=[0, 1] * 4, forwarded=[0, 0, 1000, 500, 3000, 500, 3000, 2500]
)


def test_throughput_is_wire_bits_over_time() -> None:
    # 3000 × 12 000 bits in 3 s; in the second second 2000 of them; half of the second second: half of these.
    for begin, end, expected in ((0, 3, 12.0), (1, 2, 24.0), (1, 1.5, 24.0), (2, 3, 0.0)):
        assert value(m.throughput(CWND, 0, packet_bytes=1500, begin_s=begin, end_s=end)) == pytest.approx(expected)
    assert "no time" in m.throughput(CWND, 0, packet_bytes=1500, begin_s=1, end_s=1).why
    assert "flow 7" in m.throughput(CWND, 7, packet_bytes=1500, begin_s=0, end_s=1).why


def test_goodput_counts_payload_and_needs_its_column() -> None:
    assert "delivered" in m.goodput(CWND, 0, payload_bytes=1448, begin_s=0, end_s=3).why
    with_it = CWND.append_column("delivered", CWND["forwarded"])
    # 3000 × 1448 × 8 / 3 s.
    assert value(m.goodput(with_it, 0, payload_bytes=1448, begin_s=0, end_s=3)) == pytest.approx(11.584)


def test_utilisation_is_all_flows_over_the_capacity() -> None:
    # (3000 + 2500) × 12 000 bits in 3 s are 22 Mbit/s.
    assert value(
        m.utilisation(CWND, capacity=m.Capacity.constant(44), packet_bytes=1500, begin_s=0, end_s=3)
    ) == pytest.approx(0.5)
    assert (
        "no capacity"
        in m.utilisation(CWND, capacity=m.Capacity.constant(44), packet_bytes=1500, begin_s=3, end_s=3).why
    )


def test_rates_refuse_what_the_samples_do_not_tell() -> None:
    got = m.rates(CWND, packet_bytes=1500, interval_s=1, begin_s=0, end_s=9)
    assert got.flows == (0, 1) and got.mbps.tolist() == [[12, 24, 0], [6, 0, 24]]
    # A rest shorter than an interval is left out.
    assert m.rates(CWND, packet_bytes=1500, interval_s=2, begin_s=0, end_s=3).mbps.tolist() == [[18], [3]]
    with pytest.raises(UndefinedError, match="1 s apart"):
        m.rates(CWND, packet_bytes=1500, interval_s=0.5, begin_s=0, end_s=3)
    with pytest.raises(UndefinedError, match="less than"):
        m.rates(CWND, packet_bytes=1500, interval_s=1, begin_s=2.5, end_s=3)
    with pytest.raises(UndefinedError, match="nothing"):
        m.rates(CWND.slice(0, 0), packet_bytes=1500, interval_s=1, begin_s=0, end_s=3)


def test_completion_times_know_of_transfers_that_did_not_end() -> None:
    ended = table(start_s=[float(n) for n in range(100)], end_s=[n + (n + 1) / 100 for n in range(100)])
    times = m.completion_time(ended)  # they took 0.01, 0.02 … 1.00 s
    assert [round(value(times[key]), 9) for key in ("mean", "p50", "p95", "p99")] == [0.505, 0.5, 0.95, 0.99]
    # The last three did not end: no mean, and no 99th percentile.
    times = m.completion_time(table(start_s=[0.0] * 100, end_s=[*map(float, range(1, 98)), None, None, None]))
    assert "3 of 100" in times["mean"].why and "99%" in times["p99"].why
    assert value(times["p95"]) == 95
    assert "no transfer" in m.completion_time(table(start_s=[], end_s=[]))["mean"].why


def test_queueing_delay_weighs_packets() -> None:
    # 90 packets waited 0 ms, 8 of them 10 ms, 2 of them 50 ms: mean (80 + 100)/100.
    histogram = table(wait_ms=[50.0, 0.0, 10.0], packets=[2, 90, 8])
    one_by_one = table(wait_ms=[0.0] * 90 + [10.0] * 8 + [50.0] * 2)
    for waits in (histogram, one_by_one):
        delays = {key: value(measure) for key, measure in m.queueing_delay(waits).items()}
        assert delays == {"mean": pytest.approx(1.8), "p50": 0, "p95": 10, "p99": 50}
    assert "no packet" in m.queueing_delay(table(wait_ms=[], packets=[]))["mean"].why


def test_queueing_delay_is_estimated_from_samples() -> None:
    # 12 500 bytes at 10 Mbit/s take 10 ms; samples before 1 s do not count.
    queue = table(time_s=[0.5, 1.0, 1.5, 2.0], bytes=[999_999, 0, 12_500, 777])
    delays = m.sampled_queueing_delay(queue, capacity=m.Capacity.constant(10), begin_s=1, end_s=2)
    assert value(delays["mean"]) == pytest.approx(5) and value(delays["p99"]) == pytest.approx(10)
    assert m.sampled_queueing_delay(queue, capacity=m.Capacity.constant(10), begin_s=7, end_s=8)["p50"].value is None


def test_quantiles_are_observed_values() -> None:
    assert [m.quantile([3, 1, 2, 4], part) for part in (0.25, 0.26, 0.5, 0.75, 1)] == [1, 2, 2, 3, 4]
    assert m.quantile(list(range(1, 101)), 0.07) == 7  # 0.07 × 100 is 7.000000000000001 here
    assert m.quantile([1, math.inf], 1) == math.inf
    with pytest.raises(ValueError, match="not a number"):
        m.quantile([math.nan], 0.5)


@given(RATES, st.floats(0.01, 1))
def test_a_quantile_covers_its_part_and_no_smaller_value_does(values: list[float], part: float) -> None:
    percentile = m.quantile(values, part)
    assert percentile in values
    assert sum(each <= percentile for each in values) >= part * len(values) * (1 - 1e-9)
    assert sum(each < percentile for each in values) < part * len(values)


def test_loss_rate_and_loss_events() -> None:
    assert value(m.loss_rate(1, 99)) == 0.01
    assert m.loss_rate(0, 0).value is None and value(m.loss_rate(0, 5)) == 0
    # Within 0.1 s of the first: one event. 0.0, 0.05, 0.1 | 0.15, 0.2 | 1.0
    assert value(m.loss_event_rate([0.0, 0.05, 0.1, 0.15, 0.2, 1.0], 300, rtt_s=0.1)) == pytest.approx(0.01)
    assert m.loss_event_rate([], 0, rtt_s=0.1).value is None


def test_runs_of_drops() -> None:
    assert m.drop_runs([4, 5, 6, 9, 11, 12, 4]) == [3, 1, 2, 1]
    assert value(m.mean_drop_run([3, 1, 2, 1])) == 1.75
    assert "nothing" in m.mean_drop_run(m.drop_runs([])).why


def test_dispersion_tells_bursts_from_clockwork() -> None:
    # Windows of 1 s from 0 to 4 s with 4, 0, 0, 0 drops: mean 1, variance (9 + 1 + 1 + 1)/3 = 4.
    assert value(m.index_of_dispersion([0.1, 0.2, 0.3, 0.4], window_s=1, begin_s=0, end_s=4)) == 4
    assert value(m.index_of_dispersion([0.5, 1.5, 2.5, 3.5], window_s=1, begin_s=0, end_s=4)) == 0
    # A drop at the end of the last window is outside of it.
    assert value(m.index_of_dispersion([0.0, 4.0], window_s=1, begin_s=0, end_s=4)) == 1
    assert "nothing" in m.index_of_dispersion([], window_s=1, begin_s=0, end_s=4).why
    assert "two windows" in m.index_of_dispersion([0.5], window_s=3, begin_s=0, end_s=4).why


def test_dispersion_of_a_poisson_process_is_1() -> None:
    seed = 5
    times = np.sort(np.random.default_rng(seed).uniform(0, 10_000, 50_000))
    # The index of 10 000 windows is 1 within three standard errors of √(2/9999) = 0.014.
    assert value(m.index_of_dispersion(times, window_s=1, begin_s=0, end_s=10_000)) == pytest.approx(1, abs=0.043)


def test_synchronisation_is_the_share_that_reduces_together() -> None:
    # 1.00 and 1.05 are one event; 2.00 is flow 0 alone; flow 2 never reduces: (2/3 + 1/3)/2.
    reduced = {0: [1.0, 2.0], 1: [1.05], 2: []}
    assert m.congestion_events(reduced, 0.1) == [(1.0, {0, 1}), (2.0, {0})]
    assert value(m.synchronisation(reduced, window_s=0.1)) == pytest.approx(0.5)
    assert value(m.pairwise_synchronisation(reduced, 0, 1, window_s=0.1)) == 0.5
    assert value(m.pairwise_synchronisation(reduced, 0, 2, window_s=0.1)) == 0
    # With windows of 1 s all three reductions are one event.
    assert value(m.pairwise_synchronisation(reduced, 0, 1, window_s=1.0)) == 1
    assert "neither" in m.pairwise_synchronisation({0: [], 1: [], 2: [1.0]}, 0, 1, window_s=0.1).why
    assert "two flows" in m.synchronisation({0: [1.0]}, window_s=0.1).why
    assert "no flow" in m.synchronisation({0: [], 1: []}, window_s=0.1).why


@given(st.lists(st.lists(st.floats(0, 100), max_size=8).map(sorted), min_size=2, max_size=6), st.floats(0.01, 10))
def test_synchronisation_lies_between_one_flow_and_all(times: list[list[float]], window: float) -> None:
    measured = m.synchronisation(dict(enumerate(times)), window_s=window)
    if any(times):
        assert 1 / len(times) <= value(measured) + 1e-12 <= 1 + 2e-12
    together = m.synchronisation({flow: [1.0, 50.0] for flow in range(len(times))}, window_s=window)
    assert value(together) == 1


def test_jain_and_the_ratio_by_hand() -> None:
    # (1 + 2 + 3)² / (3 × 14) = 36/42.
    assert value(m.jain([1, 2, 3])) == pytest.approx(6 / 7)
    assert value(m.jain([5, 5, 0, 0])) == 0.5 and value(m.jain([1e-300, 1e-300])) == 1
    assert value(m.min_max_ratio([1, 2, 4])) == 0.25
    for formula in (m.jain, m.min_max_ratio):
        assert "no flow" in formula([]).why and "nothing" in formula([0, 0]).why
        with pytest.raises(ValueError, match="negative"):
            formula([1, -1])


@given(RATES, st.floats(1e-3, 1e3), st.randoms())
def test_jain_lies_between_1_over_n_and_1_and_knows_no_unit_and_no_order(
    values: list[float], factor: float, random: object
) -> None:
    index, ratio = value(m.jain(values)), value(m.min_max_ratio(values))
    assert 1 / len(values) <= index + 1e-12 <= 1 + 2e-12
    shuffled = [each * factor for each in values]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert value(m.jain(shuffled)) == pytest.approx(index, rel=1e-9)
    assert value(m.min_max_ratio(shuffled)) == pytest.approx(ratio, rel=1e-9)
    # For a given ratio r of the extremes, the least index is 4r/(1 + r)²: half of the flows at either extreme.
    assert index >= 4 * ratio / (1 + ratio) ** 2 * (1 - 1e-9)


@given(SEQUENCES)
def test_jain_is_1_over_1_plus_the_squared_variation(values: list[float]) -> None:
    n, variation = len(values), value(m.coefficient_of_variation(values))
    assert value(m.jain(values)) == pytest.approx(1 / (1 + variation**2 * (n - 1) / n), rel=1e-6)


def two(*shares: float, interval: float = 1.0, begin: float = 0.0) -> Rates:
    """Two flows of 10 Mbit/s together; the shares of the first, interval by interval."""
    return Rates(begin, interval, (0, 1), np.array([[10 * s for s in shares], [10 - 10 * s for s in shares]]))


def test_convergence_is_the_first_time_that_lasts() -> None:
    # δ = 0.1: shares from 0.45 to 0.55. Interval 2 only passes by; from 4 s on it holds for 3 s.
    shares = two(1.0, 0.8, 0.5, 0.7, 0.55, 0.45, 0.5, 0.9)
    assert value(m.convergence_time(shares, delta=0.1, hold_s=3, since_s=0)) == 4
    assert value(m.convergence_time(shares, delta=0.1, hold_s=3, since_s=1)) == 3
    assert value(m.convergence_time(shares, delta=0.1, hold_s=1, since_s=0)) == 2
    assert "never stayed" in m.convergence_time(shares, delta=0.1, hold_s=4, since_s=0).why
    # Fair to the end, but not long enough.
    assert "record ends" in m.convergence_time(two(0.9, 0.5, 0.5), delta=0.1, hold_s=3, since_s=0).why
    # An idle link is not fair.
    idle = Rates(0, 1, (0, 1), np.array([[0.0, 5], [0, 5]]))
    assert value(m.convergence_time(idle, delta=0.1, hold_s=1, since_s=0)) == 1
    assert "two flows" in m.convergence_time(Rates(0, 1, (0,), np.ones((1, 3))), delta=0.1, hold_s=1, since_s=0).why
    # Three flows: (1 ± 0.3)/3 of 30 Mbit/s is 7 to 13.
    three = Rates(0, 1, (0, 1, 2), np.array([[20.0, 13, 13], [5, 7, 6], [5, 10, 11]]))
    assert value(m.convergence_time(three, delta=0.3, hold_s=1, since_s=0)) == 1
    assert m.convergence_time(three, delta=0.3, hold_s=2, since_s=0).value is None


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.floats(0.05, 0.9), st.integers(1, 5))
def test_a_longer_hold_or_a_smaller_delta_never_converges_sooner(shares: list[float], delta: float, hold: int) -> None:
    def time(delta: float, hold: int) -> float:
        measured = m.convergence_time(two(*shares), delta=delta, hold_s=hold, since_s=0).value
        return math.inf if measured is None else measured

    assert time(delta, hold) <= time(delta, hold + 1)
    assert time(delta, hold) <= time(delta / 2, hold)


def test_variation_by_hand() -> None:
    # Mean 2, sample variance ((1)² + 0 + 1²)/2 = 1.
    assert value(m.coefficient_of_variation([1, 2, 3])) == pytest.approx(0.5)
    assert value(m.coefficient_of_variation([7, 7])) == 0
    assert "at least 2" in m.coefficient_of_variation([1]).why and "nothing" in m.coefficient_of_variation([0, 0]).why


def test_smoothness_and_the_largest_reduction_by_hand() -> None:
    aimd = [10, 11, 12, 6, 7]  # windows of standard TCP
    assert value(m.smoothness(aimd)) == 2 and value(m.largest_reduction(aimd)) == 0.5
    assert value(m.smoothness([10, 13, 12])) == 1.3 and value(m.largest_reduction([10, 13, 13])) == 0
    assert "0" in m.smoothness([1, 0]).why and "nothing" in m.smoothness([0, 0]).why
    assert value(m.smoothness([0, 0, 2, 2][2:])) == 1 and value(m.largest_reduction([4, 0])) == 1


@given(SEQUENCES, st.floats(1e-3, 1e3))
def test_what_compares_rates_knows_no_unit(values: list[float], factor: float) -> None:
    scaled = [each * factor for each in values]
    for formula in (m.smoothness, m.largest_reduction, m.coefficient_of_variation):
        assert value(formula(scaled)) == pytest.approx(value(formula(values)), rel=1e-6, abs=1e-9)
    assert value(m.smoothness(values)) >= 1 and 0 <= value(m.largest_reduction(values)) < 1
    assert value(m.largest_reduction(values)) <= 1 - 1 / value(m.smoothness(values)) + 1e-12
    assert value(m.smoothness(values[::-1])) == pytest.approx(value(m.smoothness(values)))


def test_responsiveness_is_the_round_trips_to_half() -> None:
    assert value(m.responsiveness([100, 50, 25])) == 1
    # TCP(1/8) keeps 7/8 at each loss: 0.875⁵ = 0.513, 0.875⁶ = 0.449.
    assert value(m.responsiveness([100 * 0.875**k for k in range(10)])) == 6
    assert "did not halve within 2" in m.responsiveness([100, 90, 80]).why
    assert "before" in m.responsiveness([0, 1]).why


def test_aggressiveness_looks_at_round_trips_without_congestion() -> None:
    windows, congested = [10, 11, 12, 6, 30, 31], [False, False, True, True, False, False]
    assert value(m.aggressiveness(windows, congested)) == 1
    assert value(m.aggressiveness(windows, congested, rtt_s=0.1)) == pytest.approx(10)  # packets/s per round trip
    assert value(m.aggressiveness([5, 4, 3], [False] * 3)) == 0
    assert "no two" in m.aggressiveness([1, 2, 3], [True, False, True]).why
    with pytest.raises(ValueError, match="marks"):
        m.aggressiveness([1, 2], [True])


# 10 Mbit/s until 1 s, an outage until 3 s, 20 Mbit/s from then on, none from 10 s on.
STEPS = m.Capacity(np.array([0.0, 1.0, 3.0, 10.0]), np.array([10.0, 0.0, 20.0, 0.0]))


def test_a_links_capacity_is_the_integral_of_its_rate() -> None:
    assert (STEPS.mbit(0, 1), STEPS.mbit(0.5, 4), STEPS.mbit(1, 3), STEPS.mbit(9, 99)) == (10, 25, 0, 20)
    assert not STEPS.is_constant and m.Capacity.constant(5).is_constant and m.Capacity.constant(5).mbit(2, 4) == 10
    rows = table(link=[0, 1, 1], time_s=[0.0, 0.0, 2.0], rate_mbps=[7.0, 4.0, 8.0])
    assert m.Capacity.of(rows, 1).mbit(1, 3) == 12
    with pytest.raises(m.UndefinedError, match="link 2"):
        m.Capacity.of(rows, 2)


def test_a_backlog_waits_for_what_the_link_can_send() -> None:
    # At 0.5 s 3 Mbit go in 0.3 s; 5 Mbit are done just as the outage begins; of 6 one waits for its end and takes 0.05 s more. Within the
    # outage nothing waits for nothing; 2 Mbit from 2 s on are sent at 3.1 s. What is left at 10 s stays.
    at = np.array([0.5, 0.5, 0.5, 2.0, 2.0, 9.9])
    mbit = np.array([3.0, 5.0, 6.0, 0.0, 2.0, 3.0])
    assert STEPS.wait_s(at, mbit).tolist() == pytest.approx([0.3, 0.5, 2.55, 0.0, 1.1, math.inf])
    queue = table(time_s=[0.5, 9.9], bytes=[375_000, 375_000])
    delays = m.sampled_queueing_delay(queue, capacity=STEPS, begin_s=0, end_s=10)
    assert value(delays["p50"]) == pytest.approx(300)
    assert "never sends" in delays["mean"].why and "never sends" in delays["p95"].why


def test_transfers_are_told_apart_by_who_started_them_and_which_way_they_went() -> None:
    rows = table(
        group=[None, None, 0, 0, 0, 0, 1],
        number=[0, 3, 0, 1, 1, 2, 0],
        start_s=[0.0, 1.0, 1.0, 2.0, 3.0, 9.0, 1.0],
        end_s=[1.0, 5.0, 1.5, None, 3.25, 9.5, None],
        bytes=[10, 10, 10, 10, 10, 10, None],
        direction=["forward", "forward", "forward", "forward", "reverse", "forward", "forward"],
    )
    flows = [("cubic", range(2)), ("sack", range(2, 4))]
    groups = m.transfers_by_group(rows, begin_s=0.5, end_s=9, flows=flows, traffic=["web", "long"])
    # Flow 0 started before the interval, and is a transfer of its own; one of the web's started at its end; the long one has no size.
    assert [(group.name, group.direction, group.started, group.finished, group.ended_before) for group in groups] == [
        ("cubic", "forward", 1, 1, 0),
        ("sack", "forward", 1, 1, 0),
        ("web", "forward", 2, 1, 0),
        ("web", "reverse", 1, 1, 0),
    ]
    assert value(groups[1].completion["mean"]) == 4 and value(groups[2].completion["p50"]) == 0.5
    assert "1 of 2" in groups[2].completion["mean"].why and value(groups[3].completion["p99"]) == 0.25
    (early, *_) = m.transfers_by_group(rows, begin_s=1, end_s=9, flows=flows, traffic=["web", "long"])
    assert (early.name, early.ended_before, value(early.completion["mean"])) == ("cubic", 1, 1)
    (*_, listed, _) = m.transfers_by_group(rows, begin_s=1.6, end_s=9, flows=flows, traffic=["web", "long"], lists=[0])
    assert (listed.name, listed.started, listed.finished, listed.ended_before) == ("web", 3, 2, 1)
    document = groups[2].document()
    assert document["completion_s"]["mean"] is None and "did not end" in document["why"]
    assert m.transfers_by_group(rows.slice(0, 0), begin_s=0, end_s=9, flows=flows, traffic=["web"]) == []


def test_what_is_read_off_one_curve() -> None:
    times, values = np.array([1.0, 2.0, 3.0, 4.0]), np.array([10.0, 30.0, 20.0, 40.0])
    # From each record on until the next; before the first one as at it.
    assert curve.last_at(times, values, np.array([0.0, 1.0, 1.9, 2.0, 9.0])).tolist() == [10, 10, 10, 30, 40]
    assert curve.reached(times, values, 20) == 2 and curve.reached(times, values, 20, since_s=2) == 3
    assert curve.reached(times, values, 30, since_s=2) == 4 and curve.reached(times, values, 41) == math.inf
    assert curve.rising([1, 2, 5]) and curve.rising(()) and not curve.rising([1, 1]) and not curve.rising([1, 3, 2])


def test_a_rate_has_come_to_stay_with_the_end_of_its_first_interval() -> None:
    # Half-second means from 10 s on. 9 Mbit/s: once for one interval, then from the fourth on, which ends at 10 + 4 × 0.5 s.
    rates = Rates(10, 0.5, (3, 4), np.array([[1.0, 9, 2, 9, 9.5, 9], [9, 9, 9, 9, 9, 9]]))
    assert curve.filled(rates, 9, hold_s=1.5) == 12 and curve.filled(rates, 9, hold_s=0.5) == 11
    assert curve.filled(rates, 9, hold_s=2) == math.inf and curve.filled(rates, 10, hold_s=0.5) == math.inf
    with pytest.raises(ValueError, match="multiple"):
        curve.filled(rates, 9, hold_s=0.7)


def test_growth_is_taken_on_lines_between_samples() -> None:
    # 2 per second up to 2 s, 4 after: from 1 to 3 s from 2 to 8.
    assert trace.growth([0, 2, 4], [0, 4, 12], 1, 2) == 3 and trace.growth([0, 2, 4], [0, 4, 12], 2, 2) == 4


def test_the_power_that_a_curve_goes_with() -> None:
    assert trace.exponent([1, 2, 4], [3, 12, 48]) == pytest.approx(2)
    assert trace.exponent({10: 5, 1000: 0.5}.keys(), [5, 0.5]) == pytest.approx(-0.5)


def test_where_a_curve_falls_to_a_level_and_stays_below_one() -> None:
    # On logarithms 2 is halfway from 4 to 1, and 10 from 1 to 100. The order in which points are given does not matter.
    assert trace.falls_to([100, 1], [1, 4], 2) == pytest.approx(10)
    assert trace.falls_to([1, 10, 100], [4, 2, 1], 2) == pytest.approx(10)
    assert trace.falls_to([1, 10, 100], [4, 3, 5], 2) == math.inf and trace.falls_to([1, 10], [2, 1], 2) == 1
    assert trace.stays_below([1, 2, 3, 4], [1, 5, 2, 1], 2) == 3  # 1 is below too, but 2 is not
    assert trace.stays_below([1, 2], [0, 0], 2) == 1 and trace.stays_below([1, 2], [0, 3], 2) == math.inf


def test_a_window_beside_the_reductions_of_its_flow() -> None:
    events = table(
        kind=["state"] * 7, flow=[0] * 7, time_s=[0.5, 0.6, 1.0, 1.2, 1.9, 2.0, 2.2], value=[3, 0, 3, 0, 1, 3, 0]
    )
    assert {flow: times.tolist() for flow, times in trace.recovered(events).items()} == {0: [0.6, 1.2, 2.2]}
    assert trace.mean_epoch([0.5, 1.0, 2.0]) == 0.75 and trace.mean_epoch([1.0]) == math.inf
    # 100 packets until the reduction at 2 s, 50 after it, and 25 more per second: 79 at 3.26 s. Looked at from 2.3 to 4.2 s: 20 times, 10 after.
    cwnd = table(flow=[0] * 4, time_s=[0.0, 2.0, 2.1, 4.1], cwnd=[100, 100, 50, 100])
    assert trace.near_last_maximum(cwnd, events, 0, part=0.79, begin_s=0.7, end_s=4.25) == 0.5
    assert trace.near_last_maximum(cwnd, events, 0, part=0.79, begin_s=1.5, end_s=4.25) == 0  # one reduction only
