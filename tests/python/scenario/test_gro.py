# SPDX-License-Identifier: MIT OR Apache-2.0
"""The key `gro` of a flow, from a scenario, from Python and from the command line."""

from __future__ import annotations

import json

import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd import Flow, dumbbell


def acks(flow: Flow) -> int:
    scenario = dumbbell([flow], rate="100Mbit/s", rtt="40ms", duration="4s", per_ack=True, interval="0s")
    return len(package.run(scenario).cwnd.to_pylist())


# 100 Mbit/s are 8.3 segments a millisecond: of 2 ms there are about two merged ones, and a time below the 120 µs of a segment merges nothing. One acknowledgement
# in two segments without it.
def test_a_flow_from_python_has_fewer_acknowledgements() -> None:
    without, short, long = (
        acks(Flow("cubic-linux")),
        acks(Flow("cubic-linux", gro="50us")),
        acks(Flow("cubic-linux", gro="2ms")),
    )
    assert abs(short / without - 1) < 0.01
    assert long < 0.45 * without


def test_the_command_line_takes_it(cwnd: Cli) -> None:
    link = ("--rate", "100Mbit/s", "--rtt", "40ms", "--duration", "2s", "--json")
    done = cwnd("compare", "cubic-linux@gro=2ms", "cubic-linux", *link)
    first, second = (flow["label"] for flow in json.loads(done.stdout)["flows"])
    assert (first, second) == ("cubic-linux gro=2ms", "cubic-linux")


@pytest.mark.parametrize("value", ["0us", "200ms", "50", "soon"])
def test_a_time_that_is_none_is_refused(cwnd: Cli, value: str) -> None:
    expected = "a time above 0 with its unit (ns, us, ms), at most 100ms, such as 50us"
    refused(cwnd("compare", f"cubic-linux@gro={value}"), "flow[0].gro", value, expected)
