# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study as a table on the terminal: a row per point and group of flows."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cwnd._internal.json_types import IntervalDocument
from cwnd._internal.terminal import Grid, Printer
from cwnd.metrics.names import without_unit
from cwnd.replicates.report import formatted, is_starred, star_line
from cwnd.study.results import Study, place

if TYPE_CHECKING:
    from cwnd.replicates.report import ColumnFormat

#: Of a group of flows, and of the first link.
GROUP: tuple[ColumnFormat, ...] = (
    ("Mbit/s", "throughput_mbps", 1, 2),
    ("share %", "share", 100, 1),
    ("loss %", "loss_rate", 100, 4),
    ("retransmits", "retransmits", 1, 0),
)
#: Only where a connection failed.
FAILED: ColumnFormat = ("failed", "failures", 1, 1)
LINK: tuple[ColumnFormat, ...] = (
    ("used %", "utilization", 100, 1),
    ("delay ms p50", "queue_p50_ms", 1, 2),
    ("p95", "queue_p95_ms", 1, 2),
)
#: Of each group of transfers.
TRANSFERS: tuple[ColumnFormat, ...] = (
    ("took s: mean", "completion_mean_s", 1, 4),
    ("p50", "completion_p50_s", 1, 4),
    ("p95", "completion_p95_s", 1, 4),
    ("p99", "completion_p99_s", 1, 4),
)
#: How many of them had ended before the measured interval, and how many there are.
BEFORE = ("ended_before", "started")
MOST_ROWS = 100
MOST_FAILED = 10
#: Lines that say what `*` is.
MOST_STARRED = 20


def interval(row: Mapping[str, object]) -> IntervalDocument:
    """A row of the means as an interval."""
    document = {str(row["centre"]): row["value"], **{key: row[key] for key in ("low", "high", "n")}}
    if row["undefined"]:
        document |= {"undefined": row["undefined"], "why": row["why"]}
    return cast("IntervalDocument", document)


def table(study: Study, printer: Printer | None = None) -> None:
    """Prints the results of the groups of flows, the first link and the transfers at each point."""
    import pyarrow as pa
    import pyarrow.compute as pc

    printer = printer or Printer()
    at: dict[tuple[object, ...], dict[str, IntervalDocument]] = {}
    links: dict[tuple[object, ...], dict[str, IntervalDocument]] = {}
    transfers: dict[tuple[object, ...], dict[str, IntervalDocument]] = {}
    first_link: dict[tuple[object, ...], object] = {}
    shown = study.factors
    measures = pa.array([*(measure for _, measure, *_ in (*GROUP, FAILED, *LINK, *TRANSFERS)), *BEFORE])
    # Of a large study only the rows that are needed become objects.
    for row in study.means.filter(pc.is_in(study.means["measure"], measures)).to_pylist():
        factors = tuple(row[name] for name in shown)
        if row["of"] == "group":
            at.setdefault((*factors, row["label"], row["name"]), {})[row["measure"]] = interval(row)
        elif row["of"] == "link" and first_link.setdefault(factors, row["name"]) == row["name"]:
            links.setdefault(factors, {})[row["measure"]] = interval(row)
        elif row["of"] == "transfers":
            transfers.setdefault((*factors, row["name"]), {})[row["measure"]] = interval(row)

    starred: list[str] = []

    def cells(
        factors: tuple[object, ...], name: object, found: dict[str, IntervalDocument], columns: Sequence[ColumnFormat]
    ) -> list[str]:
        kept = {measure: found[measure] for _, measure, *_ in columns if measure in found}
        starred.extend(star_lines(str(name), dict(zip(shown, factors, strict=True)), kept))
        # A flow without a stack has no connection that can fail.
        numbers = [
            formatted(found[measure], factor, digits) if measure in found else "-"
            for _, measure, factor, digits in columns
        ]
        return [*(str(value) for value in factors), *numbers]

    failed = any(found["failures"]["mean"] for found in at.values() if "failures" in found)
    of_groups = (*GROUP, FAILED) if failed else GROUP
    groups = [(str(key[-2]), cells(key[:-2], key[-2], found, of_groups)) for key, found in list(at.items())[:MOST_ROWS]]
    of_links = [
        (str(first_link[key]), cells(key, first_link[key], found, LINK))
        for key, found in list(links.items())[:MOST_ROWS]
    ]
    of_transfers = [
        (str(key[-1]), cells(key[:-1], key[-1], found, TRANSFERS)) for key, found in list(transfers.items())[:MOST_ROWS]
    ]
    tables = (("flows", of_groups, groups), ("link", LINK, of_links), ("transfers", TRANSFERS, of_transfers))
    for first, columns, rows in tables:
        if rows:
            headings = [*shown, *(heading for heading, *_ in columns)]
            printer.print(Grid(first, headings, rows, texts=range(len(shown)), keys=len(shown)))
    if len(at) > MOST_ROWS:
        printer.print(f"{len(at) - MOST_ROWS} more rows are in the table of means (-o DIR: means.csv)")
    print_starred(starred, printer)
    said = dict.fromkeys(str(key[-1]) for key, found in transfers.items() if found["ended_before"].get("mean"))
    if said:
        printer.print(
            f"{', '.join(said)}: some ended before the measured interval: rates exclude them, and fairness counts flows among them with rate 0 (--measure sets the interval)"
        )


def star_lines(name: str, factors: Mapping[str, object], measures: Mapping[str, IntervalDocument]) -> list[str]:
    """What the `*` of a row of a table say."""
    at = f"{name}, {place(factors)}" if factors else name
    return [star_line(at, measure, value) for measure, value in measures.items() if is_starred(value)]


def print_starred(lines: Sequence[str], printer: Printer) -> None:
    """Prints what `*` says, as many lines as can be read."""
    for line in lines[:MOST_STARRED]:
        printer.print(line, soft_wrap=True)
    if len(lines) > MOST_STARRED:
        printer.print(f"* {len(lines) - MOST_STARRED} more are in the table of means (-o DIR: means.csv)")


#: Of what a measure can be, in the order of the tables, and the heading of the first column.
SUBJECTS = {"group": "flows", "all": "flows", "link": "link", "traffic": "traffic", "transfers": "transfers"}


def table_of(study: Study, measures: Sequence[str], printer: Printer | None = None) -> list[str]:
    """Prints these measures at each point, a table for what has them: groups of flows, all flows, the first link, traffic, transfers.

    Returns those that no run has.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    printer = printer or Printer()
    factors = study.factors
    #: By subject: a row per point and name.
    found: dict[str, dict[tuple[object, ...], dict[str, IntervalDocument]]] = {of: {} for of in SUBJECTS}
    units: dict[str, str] = {}
    first_link: dict[tuple[object, ...], object] = {}
    for row in study.means.filter(pc.is_in(study.means["measure"], pa.array(measures))).to_pylist():
        point = tuple(row[name] for name in factors)
        if row["of"] == "link" and first_link.setdefault(point, row["name"]) != row["name"]:
            continue
        found[row["of"]].setdefault((*point, row["label"], row["name"]), {})[row["measure"]] = interval(row)
        units[row["measure"]] = row["unit"]
    starred: list[str] = []
    for of, first in SUBJECTS.items():
        having = [name for name in measures if any(name in cells for cells in found[of].values())]
        for key, cells in list(found[of].items())[:MOST_ROWS]:
            kept = {name: cells[name] for name in having if name in cells}
            starred.extend(star_lines(str(key[-1]), dict(zip(factors, key[:-2], strict=True)), kept))
        rows = [
            (str(key[-1]), [*map(str, key[:-2]), *(cell(cells[name]) if name in cells else "-" for name in having)])
            for key, cells in list(found[of].items())[:MOST_ROWS]
        ]
        if rows:
            headings = [*factors, *(heading(name, units[name]) for name in having)]
            printer.print(Grid(first, headings, rows, texts=range(len(factors)), keys=len(factors)))
        if len(found[of]) > MOST_ROWS:
            printer.print(f"{len(found[of]) - MOST_ROWS} more rows are in the table of means (-o DIR: means.csv)")
    print_starred(starred, printer)
    return [name for name in measures if name not in units]


def heading(measure: str, unit: str) -> str:
    """A measure by the name of the tables, with its unit where the name does not say it."""
    return f"{measure} ({unit})" if unit and without_unit(measure) == measure else measure


def cell(value: IntervalDocument) -> str:
    """A number with four significant digits, and its interval."""
    centre = value.get("mean", value.get("median"))
    digits = 3 - math.floor(math.log10(abs(centre))) if centre else 0
    return formatted(value, 1, min(max(digits, 0), 8))


def failures(study: Study) -> None:
    """Prints which runs failed, and why."""
    for failed in study.failed[:MOST_FAILED]:
        seed = "" if failed["seed"] is None else f", seed {failed['seed']}"
        print(f"failed: {place(failed['factors'])}{seed}: {failed['why']}", file=sys.stderr)
    if len(study.failed) > MOST_FAILED:
        print(f"failed: {len(study.failed) - MOST_FAILED} more (-o DIR: failed.json)", file=sys.stderr)
