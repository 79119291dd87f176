# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study's document as tables on the terminal."""

from __future__ import annotations

import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from cwnd._native import Scenario

# Heading, key, factor and decimals of a column.
COLUMNS = (
    ("Mbit/s", "throughput_mbps", 1, 2),
    ("goodput", "goodput_mbps", 1, 2),
    ("share %", "share", 100, 1),
    ("mean cwnd", "cwnd_mean", 1, 1),
    ("retransmits", "retransmits", 1, 0),
    ("timeouts", "timeouts", 1, 1),
)
# Measures of a group and of the link: heading, key, factor, decimals.
GROUP = (
    ("Jain", "jain", 1, 3),
    ("min/max", "min_max_ratio", 1, 3),
    ("variation", "variation", 1, 3),
    ("smoothness", "smoothness", 1, 2),
    ("loss %", "loss_rate", 100, 4),
    ("converged s", "convergence_s", 1, 1),
)
LINK = (
    ("run of drops", "drop_run", 1, 2),
    ("dispersion", "drop_dispersion", 1, 1),
    ("synchronisation", "synchronisation", 1, 3),
    ("queue p50 ms", "queue_p50_ms", 1, 1),
    ("p95", "queue_p95_ms", 1, 1),
    ("p99", "queue_p99_ms", 1, 1),
)


def said(one: dict[str, Any], factor: float, digits: int) -> str:
    """`12.3 ± 0.4`, `[1.0 .. 2.0]` around a median, or a dash; `*` where some runs have no value."""
    centre = one.get("mean", one.get("median"))
    star = "*" if one.get("undefined") else ""
    if centre is None:
        return f"-{star}"
    text = f"{centre * factor:.{digits}f}"
    low, high = one["low"], one["high"]
    if low is None and high is None:
        return text + star
    if "median" in one:
        ends = (f"{end * factor:.{digits}f}" if end is not None else "never" for end in (low, high))
        return f"{text} [{' .. '.join(ends)}]{star}"
    return f"{text} ± {(high - low) / 2 * factor:.{digits}f}{star}"


def table(document: dict[str, Any], scenario: Scenario) -> None:
    """Prints groups, link and measures."""
    console = Console(width=None if sys.stdout.isatty() else 120, highlight=False, markup=False)
    everyone = {"name": "all", "measures": document["measures"]}
    console.print(grid(COLUMNS, [(group["name"], group) for group in document["groups"]]))
    rows = [(group["name"], group["measures"]) for group in [*document["groups"], everyone]]
    console.print(grid(GROUP, rows))
    console.print(grid(LINK, [("link", document["measures"])]))
    link = document["link"]
    begin, end = document["measured_s"]
    runs = len(document["seeds"])
    console.print(
        f"{scenario.rate_mbps:g} Mbit/s, measured {begin:g} to {end:g} s: utilisation {said(link['utilization'], 100, 1)} %, "
        f"queueing delay {said(link['queue_mean_ms'], 1, 1)} ms mean, "
        f"dropped {said(link['drops_queue'], 1, 0)} by the queue, {said(link['drops_loss'], 1, 0)} by the loss process",
        soft_wrap=True,
    )
    console.print(
        f"{runs} of {document['asked']} seeds ({document['seeds'][0]} to {document['seeds'][-1]}): means of sums over a group's "
        "flows (windows: of means) with 95 % confidence intervals; converged: the median",
        soft_wrap=True,
    )
    for reason in reasons(document):
        console.print(reason, soft_wrap=True)
    if document["identical"]:
        console.print("every run is the same: nothing in this scenario is random, and the intervals mean nothing")


def grid(columns: tuple[tuple[str, str, float, int], ...], rows: list[tuple[str, dict[str, Any]]]) -> Table:
    """A table of these columns."""
    made = Table(box=SIMPLE_HEAD, pad_edge=False)
    made.add_column("flows", no_wrap=True)
    for heading, *_ in columns:
        made.add_column(heading, justify="right", no_wrap=True)
    for name, values in rows:
        made.add_row(name, *(said(values[key], factor, digits) for _, key, factor, digits in columns))
    return made


def reasons(document: dict[str, Any]) -> list[str]:
    """What is not defined in some runs, one line each; that a single flow has no company needs no line."""
    groups = [(group["name"], group["measures"]) for group in document["groups"] if group["flows"] > 1]
    lines = []
    for name, found in [*groups, ("all", document["measures"])]:
        for key, one in found.items():
            if one.get("undefined"):
                lines.append(
                    f"* {name}, {key}: undefined in {one['undefined']} of {len(document['seeds'])} runs ({one['why']})"
                )
    return lines
