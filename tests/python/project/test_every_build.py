# SPDX-License-Identifier: MIT OR Apache-2.0
"""The installed package gives the bytes that are on record: with `CI=true` it is the wheel that people install."""

from __future__ import annotations

from pathlib import Path

import pytest

from cwnd import Scenario
from cwnd._native import Simulation

RECORD = Path(__file__).parents[3] / "crates/cwnd-sim/tests/every_build"


# The Rust tests compare the same record with their own build. Marked slow because CI runs the slow tests on the wheel.
@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_the_installed_package_gives_the_bytes_that_are_on_record(threads: int) -> None:
    simulation = Simulation(Scenario.from_toml((RECORD / "fig6.toml").read_text()), threads)
    while not simulation.step(1_000_000):
        pass
    on_record = (RECORD / "determinism.txt").read_text().splitlines()
    assert f"digest {simulation.digest()}" == on_record[-1]
    packets = [flow["packets_sent"] for flow in simulation.summary()["flows"]]
    assert packets == [int(line.split()[2]) for line in on_record[1:-1]]
