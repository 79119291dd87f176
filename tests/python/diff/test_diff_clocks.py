# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run in the simulator and one of a kernel with another clock: `cwnd diff` says so."""

from __future__ import annotations

import pytest

import cwnd as package
from cwnd.diff.clocks import clock_notes, clocks


def run(clock: str = "", lane: str = "sim", hz: str | None = None) -> package.Result:
    """A run in the simulator, or one that passes for a kernel's with a clock of `hz`."""
    scenario = package.Scenario.from_toml(
        f"duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '20ms'\n[[flow]]\ncc = 'reno-linux'\n{clock}"
    )
    result = package.run(scenario)
    if lane == "sim":
        return result
    settings = {} if hz is None else {"CONFIG_HZ": hz}
    summary = {**result.summary, "live": {"kernel": "6.18", "settings": settings}}
    return package.Result(scenario, summary, result._source, lane=lane)  # type: ignore[arg-type]


def test_recovery_linux_has_a_clock_of_250_hz() -> None:
    assert clocks(run()) == [250]
    assert clocks(run("host_clock = '100Hz'\n[[flow]]\ncc = 'sack'")) == [100, 1000]


def test_a_kernel_with_another_clock_is_named() -> None:
    line = "A's hosts have a clock of 250 Hz, B's of 1000 Hz: host_clock = \"1000Hz\" makes them comparable"
    assert list(clock_notes(run(), run(lane="live", hz="1000"))) == [line]
    assert package.diff(run(), run(lane="live", hz="1000")).notes == (line,)
    other = "A's hosts have a clock of 300 Hz, B's of 250 Hz: host_clock = \"300Hz\" makes them comparable"
    assert list(clock_notes(run(lane="live", hz="300"), run())) == [other]


@pytest.mark.parametrize(
    "b", [run(lane="live", hz="250"), run(lane="live"), run("host_clock = '100Hz'")], ids=["same", "unknown", "lane"]
)
def test_nothing_is_said_where_clocks_are_the_same_or_not_known_or_both_are_simulated(b: package.Result) -> None:
    assert clock_notes(run(), b) == ()
