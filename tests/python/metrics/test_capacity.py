# SPDX-License-Identifier: MIT OR Apache-2.0
"""What a link offered in the measured interval is the same number everywhere, however its rate is written."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import cwnd as package
from cwnd import Result, Scenario, metrics
from cwnd.plot.data import RunData
from cwnd.plot.draw import queue as draw_queue
from cwnd.plot.draw import throughput

# A packet of 1500 bytes a millisecond is 12 Mbit/s. A second of it, one of 24 Mbit/s, half of an outage, a second of 12: 42 Mbit in 3.5 s.
COUNTS = [1] * 1000 + [2] * 1000 + [0] * 500 + [1] * 1000
TRACE = "".join(f"{ms}\n" * count for ms, count in enumerate(COUNTS, 1))
#: From 0.5 to 2.75 s: 6 + 24 + 0 + 3 Mbit.
OFFERED_MBIT, FROM_S, TO_S = 33, 0.5, 2.75
RATES = {
    "steps": 'rate = [["0s", "12Mbit/s"], ["1s", "24Mbit/s"], ["2s", "0bit/s"], ["2500ms", "12Mbit/s"]]',
    "actions": 'rate = "12Mbit/s"',
    "trace": 'rate = { trace = "link.trace" }',
}
ACTIONS = "".join(
    f'[[action]]\nrate = {{ link = "link", at = "{at}", to = "{to}" }}\n'
    for at, to in (("1s", "24Mbit/s"), ("2s", "0bit/s"), ("2500ms", "12Mbit/s"))
)


def document(form: str) -> str:
    return (
        f'duration = "3500ms"\nmeasure = ["{FROM_S * 1000:.0f}ms", "{TO_S * 1000:.0f}ms"]\n'
        f'[link]\n{RATES[form]}\nrtt = "20ms"\nqueue = {{ kind = "droptail", limit = "40packets" }}\n'
        '[[flow]]\ncc = "cubic"\n[[flow]]\ncc = "reno"\n' + (ACTIONS if form == "actions" else "")
    )


def capacity_of(result: Result) -> metrics.Capacity:
    return metrics.Capacity.of(result.table("rates"))


@pytest.mark.slow
@pytest.mark.parametrize("form", RATES)
def test_the_same_capacity_is_the_same_number_everywhere(form: str, cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "link.trace").write_text(TRACE)
    (tmp_path / "link.toml").write_text(document(form))
    expected = OFFERED_MBIT / (TO_S - FROM_S)

    done = cwnd("run", "link.toml", "--json", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    link = json.loads(done.stdout)["link"]
    assert link["capacity_mbps"] == pytest.approx(expected, rel=1e-12)
    bits = link["utilization"] * OFFERED_MBIT * 1e6
    assert 0.97 * OFFERED_MBIT * 1e6 < bits <= OFFERED_MBIT * 1e6 + 12_000

    text = cwnd("run", "link.toml", cwd=tmp_path).stdout
    assert f"{expected:.2f} Mbit/s, measured 0.5 to 2.75 s: utilisation {link['utilization']:.1%}" in text

    result = package.run(Scenario.from_file(tmp_path / "link.toml"))
    assert result.summary["link"]["capacity_mbps"] == link["capacity_mbps"]
    assert result.measures.link.utilization.value == link["utilization"]
    flows = [flow["share"] for flow in result.summary["flows"]]
    throughputs = [flow["throughput_mbps"] for flow in result.summary["flows"]]
    assert flows == pytest.approx([mbps / expected for mbps in throughputs], rel=1e-12)

    for tables in (result, package.load(tmp_path / "out")):
        capacity = capacity_of(tables)
        assert capacity.mbit(FROM_S, TO_S) == pytest.approx(OFFERED_MBIT, rel=1e-9)
        assert capacity.mbit(2.0, 2.5) == pytest.approx(24e-3 if form == "trace" else 0, abs=1e-9)
        assert not capacity.is_constant
        # By the samples, which are no closer than their interval.
        measured = metrics.utilisation(
            tables.cwnd, capacity=capacity, packet_bytes=1500, begin_s=FROM_S, end_s=TO_S
        ).value
        assert measured == pytest.approx(link["utilization"], abs=0.01)
    stored = pq.ParquetFile(tmp_path / "out" / "links.parquet").read().to_pylist()[0]
    assert (stored["capacity_mbps"], stored["utilization"]) == (link["capacity_mbps"], link["utilization"])


def test_a_trace_longer_than_the_run_is_measured_by_what_it_offered(cwnd: Cli, tmp_path: Path) -> None:
    # 5 s of a packet each 2 ms, then 15 s of one each 10 ms: 6 Mbit/s at first, a mean of 2.4. And the other way round on the reverse path: 1.2 Mbit/s at first, a mean of 4.8.
    first = range(2, 5001, 2)
    (tmp_path / "up.trace").write_text("".join(f"{ms}\n" for ms in [*first, *range(5010, 20_001, 10)]))
    (tmp_path / "down.trace").write_text("".join(f"{ms}\n" for ms in [*range(10, 5001, 10), *range(5002, 20_001, 2)]))
    codel = 'queue = { kind = "codel", limit = "100packets" }'
    text = (
        'duration = "5s"\n[link]\nrate = { trace = "up.trace" }\nrtt = "40ms"\nqueue = { kind = "droptail", limit = "100packets" }\n'
        f'reverse = {{ rate = {{ trace = "down.trace" }}, {codel} }}\n[[flow]]\ncc = "cubic"\n[[flow]]\ncc = "cubic"\ndirection = "reverse"\n'
    )
    (tmp_path / "both.toml").write_text(text)
    done = cwnd("run", "both.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    forward, reverse = json.loads(done.stdout)["links"]
    # In the 5 s, without that at 5 s itself: 2499 and 499 packets.
    assert forward["capacity_mbps"] == pytest.approx(2499 * 12e-3 / 5) and 0.5 < forward["utilization"] <= 1
    assert reverse["capacity_mbps"] == pytest.approx(499 * 12e-3 / 5) and 0.5 < reverse["utilization"] <= 1.01


def test_the_rates_of_a_trace_are_those_of_its_milliseconds() -> None:
    scenario = Scenario.from_toml(
        'duration = "12ms"\n[link]\nrate = { trace = "t" }\nrtt = "2ms"\n[[flow]]\ncc = "cubic"\n',
        {"t": "1\n2\n2\n5\n"},
    )
    rates = package.run(scenario).table("rates")
    assert rates["time_s"].to_pylist() == pytest.approx(np.array([0, 1, 2, 3, 5, 7, 8, 10]) / 1e3)
    assert rates["rate_mbps"].to_pylist() == [0, 12, 24, 0, 12, 24, 0, 12]


def test_a_picture_has_a_traces_rate_as_means() -> None:
    # A packet each 2 ms in the first second, and each ms in the next: 6 and 12 Mbit/s.
    lines = [*range(2, 1001, 2), *range(1001, 2001)]
    scenario = Scenario.from_toml(document("trace"), {"link.trace": "".join(f"{ms}\n" for ms in lines)})
    run = RunData(package.run(scenario))
    # In 3.5 s 500 packets, 1000, 500 and 500: 2500 of 12 kbit, but that at the end.
    assert run.rates_of(run.capacity[0]) == pytest.approx((30 / 3.5,) * 2, rel=1e-3)
    assert "8.568 Mbit/s" in run.setup(200)
    assert [mark for mark in run.marks if mark.link] == []
    means = run.capacity[0].mean_mbps(np.array([0.0, 1.0, 2.0, 3.0]))
    assert means == pytest.approx([6, 12, 6], abs=0.05)
    figure, (rates, queue) = plt.subplots(2)
    throughput(run, rates)
    draw_queue(run, queue)
    (steps,) = (line for line in rates.lines if line.get_drawstyle() == "steps-post")
    assert max(steps.get_ydata()) <= 12.1 and len(steps.get_ydata()) < 100
    # The delay is that of the trace: a curve of its own.
    assert any("queueing delay (ms)" in axes.get_ylabel() and axes.lines for axes in figure.axes)


# One opportunity, 12 000 bits, at 0.5 s and five at 1 s, each in a millisecond of its own; five packets leave at 1 s.
def test_utilisation_counts_packets_that_leave_at_the_end_and_capacity_up_to_it() -> None:
    sampled = pa.table({"time_s": [0.0, 0.9, 1.0, 2.0], "flow": [0] * 4, "forwarded": [0, 0, 5, 5]})
    trace = metrics.Capacity(np.array([0.0, 0.5, 0.501, 1.0, 1.001]), np.array([0.0, 12.0, 0.0, 60.0, 0.0]))
    for begin_s, end_s, expected in ((0, 1, 5 / 1), (1, 2, 0 / 5), (0, 2, 5 / 6)):
        got = metrics.utilisation(sampled, capacity=trace, packet_bytes=1500, begin_s=begin_s, end_s=end_s)
        assert got.value == pytest.approx(expected), (begin_s, end_s)


def test_a_link_without_capacity_in_the_measured_interval_has_no_utilization() -> None:
    result = package.run(
        Scenario.from_toml(
            'duration = "6s"\nmeasure = ["3s", "4s"]\n[link]\nrate = [["0s", "10Mbit/s"], ["2s", "0bit/s"], ["5s", "10Mbit/s"]]\n'
            'rtt = "40ms"\n[[flow]]\ncc = "cubic"\n'
        )
    )
    measure = result.measures.link.utilization
    assert (measure.value, measure.why) == (None, "no capacity")
    assert result.summary["link"]["capacity_mbps"] == 0
