# SPDX-License-Identifier: MIT OR Apache-2.0
"""Comparisons as tables on the terminal, and in Markdown for a page."""

from __future__ import annotations

import numpy as np

from cwnd._internal.terminal import Grid, Printer
from cwnd.fidelity.documents import FidelityDocument, causes, empty, exact, other_recoveries, summary
from cwnd.fidelity.equivalence import NumberDocument
from cwnd.fidelity.numbers import titled
from cwnd.fidelity.packets import PacketsDocument

PACKET_COLUMNS = ("packets", "agree", "µs", "in order", "windows: mean", "max")
NUMBER_COLUMNS = ("simulator", "Linux", "ratio (90 %)", "verdict")


def shown(values: list[float | None]) -> str:
    """A mean, and the range of several runs; in how many, if not in all."""
    has = [value for value in values if value is not None]
    if len(has) < len(values):
        return f"{shown([*has])} in {len(has)} of {len(values)} runs" if has else "none"
    mean, low, high = float(np.mean(has)), min(has), max(has)
    return f"{mean:.4g}" if low == high else f"{mean:.4g} ({low:.4g} to {high:.4g})"


def ratio(number: NumberDocument) -> str:
    """The ratio with its interval."""
    centre, low, high = number["ratio"], number["low"], number["high"]
    shown_centre = "" if centre is None else f"{centre:.3f}"
    if low is None or low == high:
        return shown_centre
    return f"{shown_centre} ({low:.3f} to {'∞' if high is None else f'{high:.3f}'})".strip()


def number_rows(document: FidelityDocument) -> list[tuple[str, list[str]]]:
    """A row for each number: simulator, Linux, ratio, verdict."""
    return [
        (
            titled(number),
            [shown(number["simulated"]), shown(number["measured"]), ratio(number), number["verdict"]],
        )
        for number in document["numbers"]
    ]


def first_difference(packets: PacketsDocument) -> str:
    """The first difference in words; empty where there is none."""
    first = packets["first"]
    if first is None:
        return ""
    flow = f"{first['host']} of {first['flow']}"
    return f"{first['what']}, {flow}, packet {first['packet']}: {first['simulated']}; Linux: {first['measured']}"


def packet_row(packets: PacketsDocument) -> list[str]:
    """How many packets, how many before the first difference and how far apart their times are at most, how many before a difference of the
    order, and the distances of the windows."""
    return [
        str(packets["measured"]),
        "all" if packets["first"] is None else str(packets["agree"]),
        f"{packets['largest_time_us']:.1f}",
        "all" if packets["same_order"] == packets["measured"] else str(packets["same_order"]),
        f"{packets['window_mean']:.3g}",
        f"{packets['window_largest']:.3g}",
    ]


def table(documents: list[FidelityDocument], printer: Printer | None = None) -> None:
    """Prints a table of the deterministic scenarios, one for each random scenario, and a summary."""
    printer = printer or Printer()
    if of_packets := exact(documents):
        rows = [(name, packet_row(packets)) for name, packets in of_packets]
        printer.print(Grid("packet by packet", PACKET_COLUMNS, rows))
        for name, packets in of_packets:
            if packets["first"] is not None:
                printer.paragraph(f"{name}: {first_difference(packets)}")
    for document in documents:
        if document["numbers"]:
            printer.print(f"{document['scenario']}, pairs of runs: {document['runs']}")
            printer.print(Grid("number", NUMBER_COLUMNS, number_rows(document), texts=(0, 1, 2, 3)))
    printer.print(summary(documents))
    for name in empty(documents):
        printer.paragraph(f"{name}: nothing to compare: no flow sent a packet, and no number is there in both lanes")
    for line in other_recoveries(documents):
        printer.paragraph(line)
    for cause, scenarios in causes([each for each in documents if not each["other_recovery"]]).items():
        printer.paragraph(f"{', '.join(scenarios)}: {cause or 'no cause is recorded'}")
    for lane, kernel, hz in sorted({(each["lane"], each["kernel"], each["hz"]) for each in documents}):
        late = max(each["late_ms"] for each in documents if each["lane"] == lane)
        printer.print(
            f"lane {lane}: Linux {kernel}, hosts with a clock of {hz} Hz in both lanes; {lateness(lane, late)}"
        )


def lateness(lane: str, late_ms: float) -> str:
    """How late packets were delivered, in words."""
    if lane == "live":
        return f"99 % of the packets were delivered at most {late_ms:.2f} ms late"
    return f"packets were delivered at most {late_ms * 1e3:.1f} µs late"
