# SPDX-License-Identifier: MIT OR Apache-2.0
"""The document of replicates as tables on the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from cwnd._internal import drop_causes
from cwnd._internal.json_types import IntervalDocument
from cwnd._internal.terminal import Grid, Printer
from cwnd.metrics.rates import is_unfinished
from cwnd.metrics.run import NO_RATE
from cwnd.replicates.document import NO_SHARE, Intervals, ReplicatesDocument, TrafficOverRuns, interval_of, intervals_of
from cwnd.result.failures import MOST_NAMED
from cwnd.result.report import ASKED, ended_before, mbps

#: Heading, key, factor and decimals of a column.
ColumnFormat = tuple[str, str, float, int]
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
    *((cause["heading"], cause["column"], 1, 0) for cause in drop_causes.USUAL),
    ("run of drops", "drop_run", 1, 2),
    ("dispersion", "drop_dispersion", 1, 1),
)
DELAY = (
    ("delay ms", "queue_mean_ms", 1, 2),
    ("p50", "queue_p50_ms", 1, 2),
    ("p95", "queue_p95_ms", 1, 2),
    ("p99", "queue_p99_ms", 1, 2),
    ("max", "queue_max_ms", 1, 2),
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


def formatted(value: IntervalDocument, factor: float, digits: int) -> str:
    """`12.3 ± 0.4`, `[1.0 .. 2.0]` around a median, or a dash; `*` where some runs have no value.

    `digits` decimals, and no more than give the interval two significant digits.
    """
    centre = value.get("mean", value.get("median"))
    star = "*" if is_starred(value) else ""
    if centre is None:
        return f"-{star}"
    low, high = value["low"], value["high"]
    if low is None and high is None:
        return f"{centre * factor:.{digits}f}{star}"
    if low is None or high is None or "median" in value:
        ends = (f"{end * factor:.{digits}f}" if end is not None else "never" for end in (low, high))
        return f"{centre * factor:.{digits}f} [{' .. '.join(ends)}]{star}"
    half = (high - low) / 2 * factor
    if half <= 1e-9 * abs(centre * factor):
        return f"{centre * factor:.{digits}f}{star}"
    digits = min(digits, max(0, 1 - math.floor(math.log10(half))))
    return f"{centre * factor:.{digits}f} ± {half:.{digits}f}{star}"


def failed_runs(document: ReplicatesDocument) -> str | None:
    """In how many runs connections failed, and the first of them; `None` where none did."""
    failed = [run["failures"] for run in document["runs"] if run.get("failures")]
    if not failed:
        return None
    first = min((failure for each in failed for failure in each), key=lambda failure: failure["time_s"])
    return (
        f"in {len(failed)} of {len(document['seeds'])} runs connections ended before the run did, or never opened; the first, {first['flow']}, "
        f"{'ended' if first['has_opened'] else 'had not opened'} at {first['time_s']:.3f} s: {first['why']}"
    )


def table(document: ReplicatesDocument, printer: Printer | None = None) -> None:
    """Prints connections that failed, groups, links, traffic, transfers and measures."""
    printer = printer or Printer()
    runs = len(document["seeds"])
    if line := failed_runs(document):
        printer.print(line)
    groups, links = document["groups"], document["links"]
    if groups:
        printer.print(numbers("flows", COLUMNS, [(group["name"], group) for group in groups]))
        measured = [*((group["name"], group["measures"]) for group in groups), ("all", document["measures"])]
        printer.print(numbers("flows", GROUP, measured))
        if len(document["runs"][0]["flows"]) > 1:
            printer.print(numbers("flows", CONVERGED, measured))
    rows = [(link["name"], {**link, **link["measures"]}) for link in links]
    printer.print(numbers("link", LINK, rows))
    delays = DELAY if any(link["capacity_mbps"].get("mean") is not None for link in links) else DELAY[-1:]
    # Without a queue there is no delay, and losses may be too few to be synchronised.
    if delays is DELAY or any(interval_of(row, "synchronisation").get("mean") is not None for _, row in rows):
        printer.print(numbers("link", delays, rows))
    if document["traffic"]:
        printer.print(traffic(document["traffic"]))
    if document["transfers"]:
        times = [(f"{group['name']}, {group['direction']}", group["completion_s"]) for group in document["transfers"]]
        printer.print(numbers("transfers", TRANSFERS, times))
        by_size = [
            (f"{group['name']}, {group['direction']}, {each['size']}", each["completion_s"])
            for group in document["transfers"]
            if len(group["by_size"]) > 1
            for each in group["by_size"]
        ]
        if by_size:
            printer.print(numbers("transfers", TRANSFERS, by_size))
        for group in document["transfers"]:
            before, started = group["ended_before"].get("mean"), group["started"].get("mean")
            if before and started:
                printer.print(ended_before(group["name"], group["of"], before, started), soft_wrap=True)
    begin, end = document["measured_s"]
    printer.print(
        f"{runs} of {document['asked']} seeds ({document['seeds'][0]} to {document['seeds'][-1]}), each measured from {begin:g} to {end:g} s. "
        "Each value is the mean over the seeds of the group's sum (windows: of its mean), with its 95 % confidence interval. "
        "Counts cover the same interval (--json has the whole run). "
        + ("delay: waiting time in the queue; " if delays is DELAY else "")
        + drop_causes.legend(
            drop_causes.reported(
                lambda column: any(column in link and is_informative(interval_of(link, column)) for link in links),
                has_queue=delays is DELAY,
            )
        )
    )
    limited = [run["receive_limits"] for run in document["runs"] if run.get("receive_limits")]
    if limited:
        names = sorted({limit["flow"] for each in limited for limit in each})
        printer.print(
            f"in {len(limited)} of {runs} runs a receive window limited {', '.join(names[:MOST_NAMED])} (rwnd changes it)"
        )
    if groups and len(document["runs"][0]["flows"]) > 1:
        rule = document["convergence"]
        printer.print(
            "converged: the median time from the last start until every flow's share stays within "
            f"{100 * rule['delta']:.0f} % of fair for {rule['hold_s']:g} s, by means over {rule['interval_s']:g} s"
        )
    for reason in reasons(document):
        printer.print(reason, soft_wrap=True)
    if document["identical"]:
        printer.print(IDENTICAL_RUNS)


def numbers(first: str, columns: Sequence[ColumnFormat], rows: Sequence[tuple[str, Mapping[str, object]]]) -> Grid:
    """A table of these columns; those that are 0 or missing in every row are left out."""
    shown = [
        column for column in columns if any(is_informative(interval_of(values, column[1])) for _, values in rows)
    ] or columns[:1]
    cells = [
        (name, [formatted(interval_of(values, key), factor, digits) for _, key, factor, digits in shown])
        for name, values in rows
    ]
    return Grid(first, [heading for heading, *_ in shown], cells)


def is_informative(value: IntervalDocument) -> bool:
    """Whether a value is anything but 0 or missing."""
    return bool(value.get("mean", value.get("median")) or value.get("undefined"))


def traffic(groups: Sequence[TrafficOverRuns]) -> Grid:
    """A row per group of traffic and direction: the load that was asked for, offered and carried."""
    shown = [
        column for column in TRAFFIC if any(is_informative(interval_of(group, column[1])) for group in groups)
    ] or TRAFFIC[:1]
    rows = []
    for group in groups:
        rate = group["asked_mbps"]
        asked = ASKED[group["asked"]].format(mbps(rate) if rate is not None else "")
        rows.append(
            (
                f"{group['name']}, {group['direction']}",
                [
                    group["senders"],
                    asked,
                    *(formatted(interval_of(group, key), factor, digits) for _, key, factor, digits in shown),
                ],
            )
        )
    return Grid("traffic", ["senders", "asked Mbit/s", *(heading for heading, *_ in shown)], rows, texts=(0,))


#: The message if all of several runs are the same.
IDENTICAL_RUNS = "every run is the same: nothing in this scenario is random, and the intervals have no meaning"
# Reasons that need no line if they hold for every run: the numbers show them.
OBVIOUS = (
    NO_RATE,
    NO_SHARE,
    "nothing was dropped",
    "nothing was sent",
    "no packet arrived",
    "fewer than two flows",
    "there is no flow",
)


def is_obvious(measure: IntervalDocument) -> bool:
    """Whether a measure is undefined in every run for a reason that other numbers show."""
    return measure.get("mean", measure.get("median")) is None and measure["why"] in OBVIOUS


def is_starred(measure: IntervalDocument) -> bool:
    """Whether a line says why a measure is undefined in some runs, or in all."""
    return bool(measure.get("undefined")) and not is_obvious(measure)


def star_line(name: str, key: str, measure: IntervalDocument) -> str:
    """What `*` says: in how many runs a measure has no value, and why."""
    undefined = measure["undefined"]
    runs = measure["n"] + (0 if "median" in measure else undefined)
    # Without an interval the mean says nothing of the runs that it leaves out.
    if measure.get("mean") is not None and is_unfinished(measure["why"]):
        left = f"{undefined} of {runs} runs left out ({measure['why']})"
        return f"* {name}, {key}: {left}; the mean is of the other {measure['n']}"
    return f"* {name}, {key}: undefined in {undefined} of {runs} runs ({measure['why']})"


def reasons(document: ReplicatesDocument) -> list[str]:
    """A line for each measure that is undefined in some runs."""
    groups: list[tuple[str, Intervals]] = [
        (group["name"], intervals_of(group["measures"])) for group in document["groups"]
    ]
    lines = []
    links = [(link["name"], intervals_of(link["measures"])) for link in document["links"]]
    transfers = [
        (f"{group['name']}, {group['direction']}", intervals_of(group["completion_s"]))
        for group in document["transfers"]
    ]
    # Only these are in the table.
    by_size = [
        (f"{group['name']}, {group['direction']}, {each['size']}", intervals_of(each["completion_s"]))
        for group in document["transfers"]
        if len(group["by_size"]) > 1
        for each in group["by_size"]
    ]
    everyone = [("all", intervals_of(document["measures"]))] if document["groups"] else []
    for name, measures in [*groups, *everyone, *links, *transfers, *by_size]:
        for key, measure in measures.items():
            if is_starred(measure):
                lines.append(star_line(name, key, measure))
    return lines
