# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results in a notebook: what `repr` says, a small picture, and the tables that the command line prints, cut to a few rows."""

from __future__ import annotations

import base64
import io
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING

from rich.console import Console

from cwnd._internal.terminal import Grid, Printer
from cwnd._native import ScenarioError
from cwnd.diff import report as difference_report
from cwnd.diff.results import Difference
from cwnd.fidelity import report as fidelity_report
from cwnd.fidelity.runner import Fidelity
from cwnd.kernel.result import KernelTrace
from cwnd.replicates.api import Replicates
from cwnd.replicates.report import COLUMNS, DELAY, LINK, numbers
from cwnd.result import report
from cwnd.result.result import Result
from cwnd.result.store import why_not_drawn
from cwnd.study import report as study_report
from cwnd.study.results import Study

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Rows of a table that are shown.
MOST_ROWS = 12
#: Pixels of a picture to an inch; screens of twice the resolution get twice as many.
PIXELS = 96
STYLE = "border-collapse:collapse;font-size:90%;margin:0.4em 0"
CELL = "padding:0.1em 0.7em;text-align:"


class HtmlPrinter(Printer):
    """Collects what is printed as HTML."""

    def __init__(self) -> None:
        super().__init__(Console(file=io.StringIO()))
        self.parts: list[str] = []

    def print(self, content: str | Grid, *, soft_wrap: bool = False) -> None:
        """Adds a table, or a paragraph."""
        self.parts.append(grid(content) if isinstance(content, Grid) else paragraph(content))


def paragraph(text: str) -> str:
    return f'<p style="margin:0.2em 0">{escape(text.strip())}</p>'


def grid(table: Grid) -> str:
    """A table, and how many of its rows are left out."""

    def row(tag: str, first: str, others: list[str], style: str = "") -> str:
        aligned = ["left", *("left" if column in table.texts else "right" for column in range(len(others)))]
        cells = zip(aligned, [first, *others], strict=True)
        inner = "".join(f'<{tag} style="{CELL}{side}">{escape(cell)}</{tag}>' for side, cell in cells)
        return f"<tr{style}>{inner}</tr>"

    body = "".join(
        row("td", name, values, ' style="opacity:0.6"' if number in table.dim else "")
        for number, (name, values) in enumerate(table.rows[:MOST_ROWS])
    )
    head = row("th", table.first, table.headings)
    left = len(table.rows) - MOST_ROWS
    more = paragraph(f"and {left:,} more rows") if left > 0 else ""
    return f'<table style="{STYLE}"><thead>{head}</thead><tbody>{body}</tbody></table>{more}'


def image(figure: Figure, words: str) -> str:
    """A figure within the page; `words` are its alternative text."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=2 * PIXELS)
    data = base64.b64encode(file.getvalue()).decode()
    width = round(figure.get_figwidth() * PIXELS)
    return f'<img alt="{escape(words)}" width="{width}" style="max-width:100%" src="data:image/png;base64,{data}">'


def whole(thing: object, *parts: str) -> str:
    """The parts below what `repr` says."""
    return f"<div>{paragraph(repr(thing))}{''.join(parts)}</div>"


@singledispatch
def html_of(thing: object) -> str | None:
    """The HTML of a result; `None` for what has only its text."""
    return None


@html_of.register
def _(result: Result) -> str | None:
    from cwnd.plot.small import of_run

    if isinstance(result, KernelTrace):
        return None
    printer = HtmlPrinter()
    why = why_not_drawn(result)
    if why is None:
        printer.parts.append(image(of_run(result), "windows and queue over time"))
    else:
        printer.print(f"no picture: {why}")
    report.table(result.summary, printer)
    return whole(result, *printer.parts)


@html_of.register
def _(replicates: Replicates) -> str | None:
    from cwnd.plot.small import of_intervals

    document, printer = replicates.document, HtmlPrinter()
    if document is None:
        return None
    groups, links = document["groups"], document["links"]
    if groups:
        throughputs = [(group["name"], group["throughput_mbps"]) for group in groups[:MOST_ROWS]]
        picture = of_intervals(throughputs, "throughput (Mbit/s)")
        printer.parts.append(image(picture, "mean throughput of each group of flows with its 95 % interval"))
        printer.print(numbers("flows", COLUMNS, [(group["name"], group) for group in groups]))
    rows = [(link["name"], {**link, **link["measures"]}) for link in links]
    printer.print(numbers("link", LINK, rows))
    printer.print(numbers("link", DELAY, rows))
    printer.print("means over the seeds with 95 % confidence intervals")
    return whole(replicates, *printer.parts)


@html_of.register
def _(study: Study) -> str | None:
    from cwnd.plot import response

    printer = HtmlPrinter()
    try:
        printer.parts.append(image(response(study), "throughput of each group of flows over what was varied"))
    except ScenarioError as error:
        printer.print(f"no picture: {error}")
    study_report.table(study, printer)
    if study.failed:
        printer.print(f"failed: {len(study.failed)}; the first: {study.failed[0]['why']}")
    return whole(study, *printer.parts)


@html_of.register
def _(fidelity: Fidelity) -> str | None:
    printer = HtmlPrinter()
    fidelity_report.table([fidelity.document()], printer)
    return whole(fidelity, *printer.parts)


@html_of.register
def _(difference: Difference) -> str | None:
    printer = HtmlPrinter()
    difference_report.table(difference, each=False, everything=False, printer=printer)
    return whole(difference, *printer.parts)
