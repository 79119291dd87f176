# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `--until` costs: intervals that are looked at before they are taken."""

from __future__ import annotations

import random

import cwnd
from cwnd.metrics.confidence_intervals import mean_interval
from cwnd.replicates.rows import Row
from cwnd.study.precision import Precision


def covered(draw: random.Random, other: float | None, first: int) -> float:
    """In which part of 600 studies with `--until 5%` the interval has the true mean: values of 1 ± 10 %, and, where there is one, one value in
    five of another kind, that times these.
    """
    until, row = Precision.of("5%"), Row("group", 0, "cubic", "throughput_mbps", 1.0, "Mbit/s", "")
    truth = 1.0 if other is None else 0.8 + 0.2 * other
    spread = 0.1 if other is None else 0.01
    inside = 0
    for _ in range(600):
        values: list[float] = []
        wanted = first
        while len(values) < wanted:
            kind = other if other is not None and draw.random() < 0.2 else 1.0
            values.append(kind * draw.gauss(1, spread))
            if len(values) == wanted:
                wanted = until.seeds([(row, values, 0, "")], wanted, 1000)
        found = mean_interval(values)
        inside += (found.low or 0) <= truth <= (found.high or 0)
    return inside / 600


# What docs/guide/studies.md says of the price of looking; 600 studies know a part of 0.65 to a standard error of 0.02. By hand: five values
# are of one kind in 0.8⁵ = 33 % of the cases, and their interval is narrow and wrong: at most 0.67 · 0.95 = 64 % are left.
def test_an_interval_that_is_looked_at_has_the_mean_less_often() -> None:
    draw = random.Random(5)
    assert 0.90 <= covered(draw, None, 5) <= 0.97
    for other in (0.3, 0.5, 0.8):
        assert 0.57 <= covered(draw, other, 5) <= 0.72, other
    assert covered(draw, 0.5, 10) > 0.76


def test_seeds_are_added_where_an_interval_is_wide_and_nowhere_else() -> None:
    until = Precision.of("2%")
    wide = (Row("group", 0, "cubic", "throughput_mbps", 10.0, "Mbit/s", ""), [10.0, 12.0], 0, "")
    narrow = (wide[0], [10.0, 10.0001], 0, "")
    assert until.seeds([wide], 2, 100) == 4 and until.seeds([wide], 2, 3) == 3
    assert until.seeds([narrow], 2, 100) == 2
    # Values of the seeds whose transfers ended say nothing of the others, however close they are; without a value there is no mean.
    times = Precision.of("2% of completion_mean_s")
    row = Row("transfers", 0, "mix", "completion_mean_s", 1.0, "s", "")
    left_out = [(row, [1.0, 1.0001], 1, "1 of 3 transfers did not end")]
    assert times.seeds(left_out, 3, 100) == 6 and times.seeds(left_out, 3, 4) == 4
    assert times.seeds([(row, [1.0], 2, "transfers did not end")], 3, 100) == 6
    assert times.seeds([(row, [1.0, 1.0001], 1, "no transfer started")], 3, 100) == 3
    assert times.seeds([(row, [], 3, "transfers did not end")], 3, 100) == 3
    study = cwnd.sweep(
        ["cubic", "reno"], rate="20Mbit/s", duration="4s", rtt=["10ms", "40ms"], until="10%", most_seeds=40
    )
    rows = [row for row in study.means.to_pylist() if row["of"] == "group" and row["measure"] == "throughput_mbps"]
    for row in rows:
        assert (row["high"] - row["low"]) / 2 <= 0.1 * row["value"] or row["n"] == 40
    assert len({row["n"] for row in rows}) > 1, "points need different numbers of seeds"
