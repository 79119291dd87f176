# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run's summary as tables on the terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from cwnd._internal import drop_causes
from cwnd._internal.json_types import number, optional_number, total_of
from cwnd._internal.terminal import Grid, Printer
from cwnd.result.failures import failure_lines, receive_limit_lines
from cwnd.scenario.notation import count_of

if TYPE_CHECKING:
    from cwnd._internal.summary_types import FlowSummary, LinkSummary, TrafficSummary
    from cwnd._native import DropCause
    from cwnd.metrics.transfers import SizeSummary, TransfersSummary
    from cwnd.result.typed_summary import Summary

# More flows than a terminal has lines: a row for each group.
MOST_FLOWS = 50


def mbps(value: float) -> str:
    """A rate: five digits where it is large, two decimals where it is small."""
    return two_decimals(value) if value < 1000 else f"{value:.0f}"


def two_decimals(value: float) -> str:
    """A number with two decimals, or two significant digits where these would not show it."""
    return f"{value:.2f}" if value >= 0.1 or value == 0 else f"{value:.2g}"


def three_digits(value: float) -> str:
    """A number with three significant digits, and all digits of a larger whole part: 0.200, 1.50, 40.0, 163, 1234."""
    if not value:
        return "0"
    # Rounded first: 9.996 has the decimals of 10.0.
    rounded = float(f"{value:.3g}") if abs(value) < 1000 else value
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}"


def or_dash(form: Callable[[float], str], value: float | None) -> str:
    """A number in this form, or a dash where there is none."""
    return "-" if value is None else form(value)


def seconds(value: float | None) -> str:
    """A time in s, with more decimals the shorter it is."""
    if value is None:
        return "-"
    return f"{value:.{4 if value < 0.1 else 3 if value < 10 else 1}f}"


def percent(part: float) -> str:
    """A fraction in per cent, with two significant digits if it is small."""
    return "0 %" if part == 0 else f"{100 * part:.2g} %" if part < 0.1 else f"{100 * part:.1f} %"


def loss_fraction(link: LinkSummary) -> float:
    """The fraction of the packets offered to a link that it dropped."""
    dropped = sum(number(link, column) for column in drop_causes.columns_of(link))
    return dropped / (dropped + link["packets"]) if dropped else 0.0


def causes_of(links: Sequence[LinkSummary]) -> list[DropCause]:
    """The causes of drops that a report of these links has."""
    return drop_causes.reported(
        lambda column: any(column in link and number(link, column) for link in links), has_queue=has_queue(links)
    )


def has_queue(links: Sequence[LinkSummary]) -> bool:
    """Whether one of these links has a queue: a link without a rate has none."""
    return any(link["capacity_mbps"] is not None for link in links)


def counted(link: LinkSummary, cause: DropCause) -> str:
    """What a report calls drops at a link: without a rate it has no queue, and only its `delay_limit` drops packets."""
    is_limit = link["capacity_mbps"] is None and cause["column"] == "drops_queue"
    return "by the delay_limit" if is_limit else cause["counted"]


def links(summary: Summary) -> Grid:
    """A row per link."""
    rows = summary["links"]
    causes = causes_of(rows)
    marks = any(link.get("marks") for link in rows)
    delays = ("mean", "p50", "p95", "p99", "max") if has_queue(rows) else ()
    headings = (
        "Mbit/s",
        "used",
        "lost",
        *(["delay ms", *delays[1:]] if delays else []),
        *(cause["heading"] for cause in causes),
        *(["marked"] if marks else []),
    )

    def row(link: LinkSummary) -> list[str]:
        return [
            or_dash(mbps, link["capacity_mbps"]),
            or_dash("{:.1%}".format, link["utilization"]),
            percent(loss_fraction(link)),
            *(f"{number(link, f'queue_{name}_ms'):.1f}" if has_queue([link]) else "-" for name in delays),
            *(f"{number(link, cause['column']):.0f}" for cause in causes),
            *([str(link["marks"])] if marks else []),
        ]

    return Grid("link", headings, [(link["name"], row(link)) for link in rows])


ASKED = {"rate": "{}", "at most": "≤ {}", "everything": "the rest", "no mean": "no mean", "list": "a list"}


def traffic(summary: Summary) -> Grid:
    """A row per group of traffic and direction: the load that was asked for, offered and carried."""

    def row(group: TrafficSummary) -> list[str]:
        rate = group["asked_mbps"]
        asked = ASKED[group["asked"]].format(mbps(rate) if rate is not None else "")
        counts = (group["transfers"], group["finished"], group["datagrams"])
        return [
            group["senders"],
            group["direction"],
            asked,
            mbps(group["offered_mbps"]),
            mbps(group["carried_mbps"]),
            *map(str, counts),
        ]

    headings = ("senders", "direction", "asked Mbit/s", "offered", "carried", "started", "ended", "datagrams")
    return Grid("traffic", headings, [(group["name"], row(group)) for group in summary["traffic"]], texts=(0,))


def transfers(summary: Summary) -> Grid:
    """A row per group of finite transfers and direction: how many, and their completion times."""

    def row(group: TransfersSummary) -> list[str]:
        times = (group["completion_s"][name] for name in ("mean", "p50", "p95", "p99"))
        return [group["direction"], str(group["started"]), str(group["finished"]), *map(seconds, times)]

    headings = ("direction", "started", "ended", "took s: mean", "p50", "p95", "p99")
    return Grid("transfers", headings, [(group["name"], row(group)) for group in summary["transfers"]])


def sizes(summary: Summary) -> Grid:
    """A row per group of finite transfers, direction and class of sizes, of groups that have several."""

    def row(direction: str, each: SizeSummary) -> list[str]:
        times = (each["completion_s"][name] for name in ("mean", "p50", "p95", "p99"))
        return [each["size"], direction, str(each["started"]), str(each["finished"]), *map(seconds, times)]

    headings = ("size", "direction", "started", "ended", "took s: mean", "p50", "p95", "p99")
    several = [group for group in summary["transfers"] if len(group["by_size"]) > 1]
    rows = [(group["name"], row(group["direction"], each)) for group in several for each in group["by_size"]]
    return Grid("transfers", headings, rows, texts=(0,), keys=1)


def ended_before(name: str, of: str, count: float, started: float) -> str:
    """Says that transfers ended before the measured interval, whose rates exclude them; `of`: flow or traffic."""
    which, them = ("", "it") if started == 1 else (f" {count:.4g} of {started:.4g}", "them")
    fairness = f", and fairness counts {them} with rate 0" if of == "flow" else ""
    return f"{name}:{which} ended before the measured interval: rates exclude {them}{fairness} (--measure sets the interval)"


def whole_run(summary: Summary) -> str:
    """The counts of the whole run, summed over flows and links; those of the tables are of the measured interval."""

    def total(rows: Sequence[Mapping[str, object]], *keys: str) -> int:
        return sum(int(number(row, f"{key}_run")) for row in rows for key in keys)

    kinds = ("retransmit", "timeout", "drop")
    flows = ", ".join(count_of(total(summary["flows"], f"{kind}s"), kind) for kind in kinds)
    of_flows = [f"flows: {flows}"] if summary["flows"] else []
    return "in the whole run, " + "; ".join(
        [
            *of_flows,
            f"links, all traffic: {count_of(total(summary['links'], *drop_causes.columns_of(next(iter(summary['links']), {}))), 'drop')}",
        ]
    )


def idle_flows(summary: Summary) -> str:
    """Says that flows sent nothing in the measured interval, where no line about transfers says it already."""
    idle = sum(not flow["packets_sent"] for flow in summary["flows"])
    told = sum(group["ended_before"] for group in summary["transfers"] if group["of"] == "flow")
    if idle <= told:
        return ""
    which = "1 flow" if idle == 1 else f"{idle:,} flows"
    return f"{which} of {len(summary['flows']):,} sent nothing in the measured interval: fairness counts {'it' if idle == 1 else 'them'} with rate 0"


def window(segments: float) -> str:
    """A window; a stack that does not show its own has 0 in the tables."""
    return f"{segments:.1f}" if segments else "-"


# (heading, key, format), one column each.
COLUMNS: tuple[tuple[str, str, Callable[[float], str]], ...] = (
    ("RTT ms", "rtt_ms", three_digits),
    ("Mbit/s", "throughput_mbps", two_decimals),
    ("goodput", "goodput_mbps", two_decimals),
    ("share", "share", "{:.1%}".format),
    ("mean cwnd", "cwnd_mean", window),
    ("retransmits", "retransmits", "{:.0f}".format),
    ("timeouts", "timeouts", "{:.0f}".format),
)


def without_window(summary: Summary) -> set[str]:
    """The names of flows that have no mean window: a flow that sent nothing has the window of its end, and one whose connection ended by a fault a mean over time without a connection."""
    silent = {flow["name"] for flow in summary["flows"] if not flow["packets_sent"]}
    return silent | {failure["flow"] for failure in summary.get("failures", ())}


def cells(flow: FlowSummary, ended: Collection[str]) -> list[str]:
    """A flow's row; `ended` are the names of flows without a mean window."""
    has_window = flow["name"] not in ended
    numbers = [optional_number(flow, key) if has_window or key != "cwnd_mean" else 0.0 for _, key, _ in COLUMNS]
    return [or_dash(form, value) for (*_, form), value in zip(COLUMNS, numbers, strict=True)]


def groups(flows: Sequence[FlowSummary], ended: Collection[str]) -> Grid:
    """A row per label: sums, and means of round trip times and windows; `ended` are the names of flows without a mean window."""
    of: dict[str, list[FlowSummary]] = {}
    for flow in flows:
        of.setdefault(flow["label"], []).append(flow)

    def cell(members: list[FlowSummary], key: str, form: Callable[[float], str]) -> str:
        if key == "cwnd_mean":
            members = [flow for flow in members if flow["name"] not in ended]
        total = total_of(optional_number(flow, key) for flow in members)
        if total is not None and key in ("rtt_ms", "cwnd_mean"):
            total /= max(1, len(members))
        return or_dash(form, total)

    rows = [
        (label, [f"{len(members):,}", *(cell(members, key, form) for _, key, form in COLUMNS)])
        for label, members in of.items()
    ]
    return Grid("group", ["flows", *(heading for heading, *_ in COLUMNS)], rows)


def table(summary: Summary, printer: Printer | None = None) -> None:
    """Prints connections that failed, flows, links, traffic, transfers and cost."""
    printer = printer or Printer()
    for line in failure_lines(summary.get("failures", ())):
        printer.print(line)
    if len(summary["flows"]) > MOST_FLOWS:
        printer.print(groups(summary["flows"], without_window(summary)))
        printer.print(f"{len(summary['flows']):,} flows: a row for each is in --json, and in the table flows of -o")
    elif summary["flows"]:
        ended = without_window(summary)
        rows = [(flow["name"], cells(flow, ended)) for flow in summary["flows"]]
        printer.print(Grid("flow", [heading for heading, *_ in COLUMNS], rows))
    if len(summary["links"]) > 1:
        printer.print(links(summary))
    if summary["traffic"]:
        printer.print(traffic(summary))
    if summary["transfers"]:
        printer.print(transfers(summary))
        if any(len(group["by_size"]) > 1 for group in summary["transfers"]):
            printer.print(sizes(summary))
        printer.print("took: time from the start (before any handshake) to the last byte received")
        if any(group["finished"] < group["started"] for group in summary["transfers"]):
            printer.print("-: some did not end within the run and count as longer than all others")
        for group in summary["transfers"]:
            if group["ended_before"]:
                printer.print(ended_before(group["name"], group["of"], group["ended_before"], group["started"]))
    if idle := idle_flows(summary):
        printer.print(idle)
    begin, end = summary["measured_s"]
    measured = f"measured {begin:g} to {end:g} s"
    fairness = f"Jain index {summary['jain']:.3f}" if summary["flows"] else ""
    if len(summary["links"]) > 1:
        printer.print("; ".join(filter(None, (measured, fairness))))
        of_delay = "delay: waiting time in the queue; " if has_queue(summary["links"]) else ""
        printer.print(f"{of_delay}{drop_causes.legend(causes_of(summary['links']))}")
    else:
        link = summary["link"]
        used = "" if link["utilization"] is None else f"utilisation {link['utilization']:.1%}"
        capacity = "no rate" if link["capacity_mbps"] is None else f"{mbps(link['capacity_mbps'])} Mbit/s"
        found = ", ".join(filter(None, (used, fairness)))
        printer.print(f"{capacity}, {measured}{f': {found}' if found else ''}")
        if has_queue([link]):
            printer.print(
                f"queueing delay {link['queue_mean_ms']:.1f} ms mean, {link['queue_p50_ms']:.1f} p50, "
                f"{link['queue_p95_ms']:.1f} p95, {link['queue_p99_ms']:.1f} p99, max {link['queue_max_ms']:.1f}"
            )
        dropped = (f"{number(link, cause['column']):.0f} {counted(link, cause)}" for cause in causes_of([link]))
        marked = f"; {link['marks']} marked (ECN)" if link.get("marks") else ""
        printer.print(f"dropped {', '.join(dropped)}{marked}")
    if summary["measured_s"] != [0, summary["duration_s"]]:
        printer.print(whole_run(summary))
    for line in receive_limit_lines(summary):
        printer.print(line)
    perf, live, virtual = summary["perf"], summary.get("live"), summary.get("linux")
    if virtual is not None:
        printer.print(
            f"Linux {virtual['kernel']} in virtual time, {virtual['hz']} Hz; {perf['packets']:,} packets in {perf['cpu_s']:.2f} s of CPU"
        )
        return
    if live is not None:
        printer.print(
            f"Linux {live['kernel']}; packets were delivered late by {live['late_p50_ms']:.2f} ms p50, "
            f"{live['late_p99_ms']:.2f} p99, {live['late_p999_ms']:.2f} p99.9, max {live['late_worst_ms']:.1f}"
        )
        if live.get("pauses"):
            printer.print(
                f"the machine was stopped {live['pauses']} time{'' if live['pauses'] == 1 else 's'}, {live['paused_ms']:.1f} ms in total, "
                f"{live['longest_pause_ms']:.1f} ms for the longest"
            )
        printer.print(f"{perf['packets']:,} packets; the emulator took {perf['cpu_s']:.2f} s of CPU")
        return
    on = f" on {perf['threads']} threads" if "threads" in perf else ""
    printer.print(
        f"{perf['packets']:,} packets in {perf['cpu_s']:.2f} s of CPU{on} ({perf['packets_per_s'] / 1e6:.1f} million a second)"
    )
