# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run's summary as a table on the terminal."""

from __future__ import annotations

import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cwnd._native import Scenario

# (heading, key, format), one column each.
COLUMNS = (
    ("RTT ms", "rtt_ms", "{:.0f}"),
    ("Mbit/s", "throughput_mbps", "{:.2f}"),
    ("goodput", "goodput_mbps", "{:.2f}"),
    ("share", "share", "{:.1%}"),
    ("mean cwnd", "cwnd_mean", "{:.1f}"),
    ("retransmits", "retransmits", "{:d}"),
    ("timeouts", "timeouts", "{:d}"),
)


def table(summary: dict[str, Any], scenario: Scenario) -> None:
    """Prints flows, link and cost."""
    console = Console(width=None if sys.stdout.isatty() else 110, highlight=False)
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    grid.add_column("flow", no_wrap=True)
    for heading, _, _ in COLUMNS:
        grid.add_column(heading, justify="right", no_wrap=True)
    for flow in summary["flows"]:
        grid.add_row(flow["name"], *(form.format(flow[key]) for _, key, form in COLUMNS))
    console.print(grid)
    link, perf = summary["link"], summary["perf"]
    begin, end = summary["measured_s"]
    console.print(
        f"{scenario.rate_mbps:g} Mbit/s, measured {begin:g} to {end:g} s: utilisation {link['utilization']:.1%}, "
        f"Jain index {summary['jain']:.3f}"
    )
    console.print(
        f"queueing delay {link['queue_mean_ms']:.1f} ms mean, {link['queue_max_ms']:.1f} ms at most; "
        f"dropped {link['drops_queue']} by the queue, {link['drops_loss']} by the loss process"
    )
    console.print(
        f"{perf['packets']:,} packets in {perf['cpu_s']:.2f} s of CPU ({perf['packets_per_s'] / 1e6:.1f} million a second)"
    )
