# SPDX-License-Identifier: MIT OR Apache-2.0
"""Thousands of flows in one run: what they take, and what is said of them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Cli

#: Prints the bytes of memory that the summary takes for each of 20 000 flows, beside the run itself.
SUMMARY = """
import cwnd
from cwnd._native import Simulation

def most():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

simulation = Simulation(cwnd.dumbbell("cubic:20000", rate="1Gbit/s", rtt="100ms", duration="1s"))
while not simulation.step(1_000_000):
    pass
before = most()
assert len(simulation.summary()["flows"]) == 20_000
print((most() - before) * 1024 / 20_000)
"""


def test_the_summary_takes_two_kilobytes_a_flow() -> None:
    """Up to four; with the documents of all flows at once it was eleven."""
    done = subprocess.run([sys.executable, "-c", SUMMARY], capture_output=True, text=True, check=True)
    print(done.stdout)
    assert float(done.stdout) < 4000


def test_more_than_fifty_flows_are_summed_up_by_group(cwnd: Cli) -> None:
    """Their rates and counts are sums, their windows means; of fifty each has a row."""
    options = ("--rate", "100Mbit/s", "--duration", "3s")
    printed = cwnd("compare", "cubic:40", "reno:11@rtt=80ms", *options).stdout
    flows = json.loads(cwnd("compare", "cubic:40", "reno:11@rtt=80ms", *options, "--json").stdout)["flows"]
    rows = {words[0]: words[1:] for line in printed.splitlines() if (words := line.split())}
    for label, count in (("cubic", 40), ("reno", 11)):
        members = [flow for flow in flows if flow["label"].startswith(label)]
        assert len(members) == count
        row = next(row for name, row in rows.items() if name.startswith(label))
        mbps = sum(flow["throughput_mbps"] for flow in members)
        window = sum(flow["cwnd_mean"] for flow in members) / count
        lost = sum(flow["retransmits"] for flow in members)
        assert float(row[-6]) == pytest.approx(mbps, abs=0.01)
        assert row[-8:] == [
            *(str(count), "80.0" if label == "reno" else "40.0", row[-6], row[-5], row[-4]),
            *(f"{window:.1f}", str(lost), str(sum(flow["timeouts"] for flow in members))),
        ]
    assert "51 flows: a row for each is in --json" in printed
    assert "cubic 40" in cwnd("compare", "cubic:40", "reno:10", *options).stdout
