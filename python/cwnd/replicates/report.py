# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study's document as tables on the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cwnd.report import ASKED, mbps
from cwnd.terminal import Grid, Page

#: Heading, key, factor and decimals of a column.
Column = tuple[str, str, float, int]
COLUMNS = (
    ("Mbit/s", "throughput_mbps", 1, 2),
    ("goodput", "goodput_mbps", 1, 2),
    ("share %", "share", 100, 1),
    ("mean cwnd", "cwnd_mean", 1, 1),
    ("retransmits", "retransmits", 1, 0),
    ("timeouts", "timeouts", 1, 1),
)
# Measures of a group, in two tables, and of a link, in two.
GROUP = (
    ("Jain", "jain", 1, 3),
    ("min/max", "min_max_ratio", 1, 3),
    ("variation", "variation", 1, 3),
    ("smoothness", "smoothness", 1, 2),
    ("loss %", "loss_rate", 100, 4),
)
CONVERGED = (("converged s", "convergence_s", 1, 1),)
LINK = (
    ("Mbit/s", "capacity_mbps", 1, 2),
    ("used %", "utilization", 100, 1),
    ("lost %", "loss_rate", 100, 4),
    ("full", "drops_queue", 1, 0),
    ("early", "drops_early", 1, 0),
    ("random", "drops_loss", 1, 0),
    ("run of drops", "drop_run", 1, 2),
    ("dispersion", "drop_dispersion", 1, 1),
)
DELAY = (
    ("delay ms", "queue_mean_ms", 1, 2),
    ("p50", "queue_p50_ms", 1, 2),
    ("p95", "queue_p95_ms", 1, 2),
    ("p99", "queue_p99_ms", 1, 2),
    ("most", "queue_max_ms", 1, 2),
    ("synchronised", "synchronisation", 1, 3),
)
TRAFFIC = (
    ("offered", "offered_mbps", 1, 2),
    ("carried", "carried_mbps", 1, 2),
    ("started", "transfers", 1, 0),
    ("ended", "finished", 1, 0),
    ("datagrams", "datagrams", 1, 0),
)
TRANSFERS = (("took s: mean", "mean", 1, 4), ("p50", "p50", 1, 4), ("p95", "p95", 1, 4), ("p99", "p99", 1, 4))


def said(one: dict[str, Any], factor: float, digits: int) -> str:
    """`12.3 ± 0.4`, `[1.0 .. 2.0]` around a median, or a dash; `*` where some runs have no value.

    `digits` decimals, and no more than the interval has two figures.
    """
    centre = one.get("mean", one.get("median"))
    star = "*" if one.get("undefined") else ""
    if centre is None:
        return f"-{star}"
    low, high = one["low"], one["high"]
    if low is None and high is None:
        return f"{centre * factor:.{digits}f}{star}"
    if "median" in one:
        ends = (f"{end * factor:.{digits}f}" if end is not None else "never" for end in (low, high))
        return f"{centre * factor:.{digits}f} [{' .. '.join(ends)}]{star}"
    half = (high - low) / 2 * factor
    if half <= 1e-9 * abs(centre * factor):
        return f"{centre * factor:.{digits}f}{star}"
    digits = min(digits, max(0, 1 - math.floor(math.log10(half))))
    return f"{centre * factor:.{digits}f} ± {half:.{digits}f}{star}"


def table(document: dict[str, Any], page: Page | None = None) -> None:
    """Prints groups, links, traffic, transfers and measures."""
    page = page or Page()
    columns, links = document["groups"], document["links"]
    if columns:
        everyone = {"name": "all", "measures": document["measures"]}
        page.print(numbers("flows", COLUMNS, [(group["name"], group) for group in columns]))
        page.print(numbers("flows", GROUP, [(group["name"], group["measures"]) for group in [*columns, everyone]]))
        if len(document["runs"][0]["flows"]) > 1:
            page.print(
                numbers("flows", CONVERGED, [(group["name"], group["measures"]) for group in [*columns, everyone]])
            )
    rows = [(link["name"], {**link, **link["measures"]}) for link in links]
    page.print(numbers("link", LINK, rows))
    page.print(numbers("link", DELAY, rows))
    if document["traffic"]:
        page.print(traffic(document["traffic"]))
    if document["transfers"]:
        rows = [(f"{one['name']}, {one['direction']}", one["completion_s"]) for one in document["transfers"]]
        page.print(numbers("transfers", TRANSFERS, rows))
    begin, end = document["measured_s"]
    runs = len(document["seeds"])
    page.print(
        f"{runs} of {document['asked']} seeds ({document['seeds'][0]} to {document['seeds'][-1]}), each measured {begin:g} to {end:g} s: "
        "means, of sums over a group's flows (windows: of means), with 95 % confidence intervals. "
        "counts are of that interval too (--json has those of the whole run). delay: the wait in the queue; full, early, random: "
        "dropped for want of room, by RED before that, by the loss process",
    )
    if columns and len(document["runs"][0]["flows"]) > 1:
        rule = document["convergence"]
        page.print(
            "converged: the median time from the last start until every flow's share comes within "
            f"{100 * rule['delta']:.0f} % of fair for {rule['hold_s']:g} s, by means over {rule['interval_s']:g} s"
        )
    for reason in reasons(document):
        page.print(reason, soft_wrap=True)
    if document["identical"]:
        page.print("every run is the same: nothing in this scenario is random, and the intervals mean nothing")


def numbers(first: str, columns: Sequence[Column], rows: Sequence[tuple[str, dict[str, Any]]]) -> Grid:
    """A table of these columns; those that are 0 or missing in every row are left out."""
    shown = [column for column in columns if any(tells(values[column[1]]) for _, values in rows)] or columns[:1]
    cells = [(name, [said(values[key], factor, digits) for _, key, factor, digits in shown]) for name, values in rows]
    return Grid(first, [heading for heading, *_ in shown], cells)


def tells(one: dict[str, Any]) -> bool:
    """Whether there is anything but 0 to say."""
    return bool(one.get("mean", one.get("median")) or one.get("undefined"))


def traffic(groups: Sequence[dict[str, Any]]) -> Grid:
    """A row per group of traffic and way: what was asked beside what came of it."""
    shown = [column for column in TRAFFIC if any(tells(one[column[1]]) for one in groups)] or TRAFFIC[:1]
    rows = []
    for one in groups:
        rate = one["asked_mbps"]
        asked = ASKED[one["asked"]].format(mbps(rate) if rate is not None else "")
        rows.append(
            (f"{one['name']}, {one['direction']}", [asked, *(said(one[key], *rest) for _, key, *rest in shown)])
        )
    return Grid("traffic", ["asked Mbit/s", *(heading for heading, *_ in shown)], rows)


# What needs no line where it holds for every run: the numbers beside it say so.
OBVIOUS = ("nothing was dropped", "nothing was sent", "no packet came", "fewer than two flows", "there is no flow")


def reasons(document: dict[str, Any]) -> list[str]:
    """What is not defined in some runs, one line each; that a single flow has no company needs no line."""
    groups = [(group["name"], group["measures"]) for group in document["groups"] if group["flows"] > 1]
    lines = []
    links = [(link["name"], link["measures"]) for link in document["links"]]
    transfers = [(f"{one['name']}, {one['direction']}", one["completion_s"]) for one in document["transfers"]]
    everyone = [("all", document["measures"])] if document["groups"] else []
    for name, found in [*groups, *everyone, *links, *transfers]:
        for key, one in found.items():
            if one.get("undefined") and not (one["undefined"] == len(document["seeds"]) and one["why"] in OBVIOUS):
                lines.append(
                    f"* {name}, {key}: undefined in {one['undefined']} of {len(document['seeds'])} runs ({one['why']})"
                )
    return lines
