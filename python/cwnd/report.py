# SPDX-License-Identifier: MIT OR Apache-2.0
"""A run's summary as tables on the terminal."""

from __future__ import annotations

from typing import Any

from cwnd.terminal import Grid, Page

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


# A table of more flows takes minutes, and nobody reads it.
MOST_FLOWS = 1000
# What dropped the packets that a link's summary counts: a queue without room, RED before that, the loss process.
DROPS = ("drops_queue", "drops_early", "drops_loss")


def mbps(value: float) -> str:
    """A rate: five digits where it is large, two decimals where it is small."""
    return f"{value:.2f}" if value < 1000 else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """A time with three digits that mean something."""
    if value is None:
        return "-"
    return f"{value:.{4 if value < 0.1 else 3 if value < 10 else 1}f}"


def percent(part: float) -> str:
    """A part: two digits that mean something, however small it is."""
    return "0 %" if part == 0 else f"{100 * part:.2g} %" if part < 0.1 else f"{100 * part:.1f} %"


def lost(link: dict[str, Any]) -> float:
    """The part of what came to a link that it dropped."""
    dropped = sum(link[cause] for cause in DROPS)
    return dropped / (dropped + link["packets"]) if dropped else 0.0


def links(summary: dict[str, Any]) -> Grid:
    """A row per link."""
    headings = ("Mbit/s", "used", "lost", "delay ms", "p50", "p95", "p99", "most", "full", "early", "random")
    delays = ("mean", "p50", "p95", "p99", "max")

    def row(link: dict[str, Any]) -> list[str]:
        return [
            mbps(link["capacity_mbps"]),
            f"{link['utilization']:.1%}",
            percent(lost(link)),
            *(f"{link[f'queue_{name}_ms']:.1f}" for name in delays),
            *(f"{link[cause]:d}" for cause in DROPS),
        ]

    return Grid("link", headings, [(link["name"], row(link)) for link in summary["links"]])


ASKED = {"rate": "{}", "at most": "≤ {}", "everything": "what is left", "no mean": "no mean"}


def traffic(summary: dict[str, Any]) -> Grid:
    """A row per group of traffic and way: what was asked beside what came of it."""

    def row(one: dict[str, Any]) -> list[str]:
        rate = one["asked_mbps"]
        asked = ASKED[one["asked"]].format(mbps(rate) if rate is not None else "")
        counts = (one["transfers"], one["finished"], one["datagrams"])
        return [one["direction"], asked, mbps(one["offered_mbps"]), mbps(one["carried_mbps"]), *map(str, counts)]

    headings = ("way", "asked Mbit/s", "offered", "carried", "started", "ended", "datagrams")
    return Grid("traffic", headings, [(one["name"], row(one)) for one in summary["traffic"]])


def transfers(summary: dict[str, Any]) -> Grid:
    """A row per group of transfers with an end and way: how many, and how long they took."""

    def row(one: dict[str, Any]) -> list[str]:
        times = (one["completion_s"][name] for name in ("mean", "p50", "p95", "p99"))
        return [one["direction"], str(one["started"]), str(one["finished"]), *map(seconds, times)]

    headings = ("way", "started", "ended", "took s: mean", "p50", "p95", "p99")
    return Grid("transfers", headings, [(one["name"], row(one)) for one in summary["transfers"]])


def whole_run(summary: dict[str, Any]) -> str:
    """The counts of the tables are of the measured interval: those of the whole run, added up over flows and links."""

    def total(rows: str, *keys: str) -> int:
        return sum(row[f"{key}_run"] for row in summary[rows] for key in keys)

    flows = ", ".join(f"{total('flows', key)} {key}" for key in ("retransmits", "timeouts", "drops"))
    of_flows = [f"flows: {flows}"] if summary["flows"] else []
    return "in the whole run " + "; ".join([*of_flows, f"links, all traffic: {total('links', *DROPS)} drops"])


def table(summary: dict[str, Any], page: Page | None = None) -> None:
    """Prints flows, links, traffic, transfers and cost."""
    page = page or Page()
    if len(summary["flows"]) > MOST_FLOWS:
        page.print(f"{len(summary['flows']):,} flows: a row for each is in --json, and in the table flows of -o")
    elif summary["flows"]:
        rows = [(flow["name"], [form.format(flow[key]) for _, key, form in COLUMNS]) for flow in summary["flows"]]
        page.print(Grid("flow", [heading for heading, *_ in COLUMNS], rows))
    if len(summary["links"]) > 1:
        page.print(links(summary))
    if summary["traffic"]:
        page.print(traffic(summary))
    if summary["transfers"]:
        page.print(transfers(summary))
        page.print("took: from the first byte written to the last one received; connections open without a handshake")
        if any(one["finished"] < one["started"] for one in summary["transfers"]):
            page.print("-: some that started in the measured interval did not end; they took longer than all others")
    begin, end = summary["measured_s"]
    measured = f"measured {begin:g} to {end:g} s"
    fairness = f"Jain index {summary['jain']:.3f}" if summary["flows"] else ""
    if len(summary["links"]) > 1:
        page.print("; ".join(filter(None, (measured, fairness))))
        page.print(
            "delay: the wait in the queue; full, early, random: dropped for want of room, by RED before that, by the loss process"
        )
    else:
        link = summary["link"]
        used = f"utilisation {link['utilization']:.1%}"
        page.print(f"{mbps(link['capacity_mbps'])} Mbit/s, {measured}: {', '.join(filter(None, (used, fairness)))}")
        page.print(
            f"queueing delay {link['queue_mean_ms']:.1f} ms mean, {link['queue_p50_ms']:.1f} p50, "
            f"{link['queue_p95_ms']:.1f} p95, {link['queue_p99_ms']:.1f} p99, {link['queue_max_ms']:.1f} at most"
        )
        page.print(
            f"dropped {link['drops_queue']} by the full queue, {link['drops_early']} early by RED, {link['drops_loss']} by the loss process"
        )
    if summary["measured_s"] != [0, summary["duration_s"]]:
        page.print(whole_run(summary))
    perf = summary["perf"]
    page.print(
        f"{perf['packets']:,} packets in {perf['cpu_s']:.2f} s of CPU ({perf['packets_per_s'] / 1e6:.1f} million a second)"
    )
