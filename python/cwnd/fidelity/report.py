# SPDX-License-Identifier: MIT OR Apache-2.0
"""Comparisons as tables on the terminal, and in Markdown for a page."""

from __future__ import annotations

import numpy as np

from cwnd._internal.terminal import Grid, Printer
from cwnd.fidelity.agreement import AgreementDocument
from cwnd.fidelity.runner import FidelityDocument


def shown(values: list[float | None]) -> str:
    """A mean, and the range of several runs; in how many, if not in all."""
    has = [value for value in values if value is not None]
    if len(has) < len(values):
        return f"{shown([*has])} in {len(has)} of {len(values)} runs" if has else "none"
    mean, low, high = float(np.mean(has)), min(has), max(has)
    return f"{mean:.4g}" if low == high else f"{mean:.4g} ({low:.4g} to {high:.4g})"


def verdict(number: AgreementDocument) -> str:
    """Why a number agrees, or that it does not."""
    if number["near"]:
        return "near"
    if number["agrees"]:
        return f"no significant difference (p {number['p']:.2f})"
    return "differs"


def rows(document: FidelityDocument) -> list[tuple[str, list[str]]]:
    """A row for each number: simulator, kernel, verdict."""
    return [
        (
            number["name"] + (f" ({number['unit']})" if number["unit"] else ""),
            [shown(number["simulated"]), shown(number["measured"]), verdict(number)],
        )
        for number in document["numbers"]
    ]


def total(documents: list[FidelityDocument]) -> str:
    """How many numbers agree."""
    agree = [number["agrees"] for document in documents for number in document["numbers"]]
    return f"{sum(agree)} of {len(agree)} numbers agree ({sum(agree) / max(1, len(agree)):.1%})"


def least(documents: list[FidelityDocument]) -> str:
    """The scenario with the smallest part of its numbers that agree, of several."""
    parts = [
        (sum(number["agrees"] for number in document["numbers"]), len(document["numbers"]), document["scenario"])
        for document in documents
    ]
    if len(parts) < 2 or all(agree == of for agree, of, _ in parts):
        return ""
    agree, of, name = min(parts, key=lambda part: part[0] / max(1, part[1]))
    return f"{name}: {agree} of {of}"


def table(documents: list[FidelityDocument], printer: Printer | None = None) -> None:
    """Prints a table for each scenario, and how many numbers agree."""
    printer = printer or Printer()
    for document in documents:
        agree = sum(number["agrees"] for number in document["numbers"])
        printer.print(
            f"{document['scenario']}: {agree} of {len(document['numbers'])} agree, runs in each lane: {document['runs']}"
        )
        printer.print(Grid("number", ["simulator", "Linux", "verdict"], rows(document), texts=(0, 1, 2)))
    printer.print(total(documents))
    if fewest := least(documents):
        printer.print(f"fewest in {fewest}")
    kernels = sorted({document["kernel"] for document in documents})
    late = max((document["late_p99_ms"] for document in documents), default=0.0)
    clocks = sorted({document["host_clock"] for document in documents})
    printer.print(f"Hosts have a clock of {', '.join(clocks)} in both lanes")
    printer.print(f"Linux {', '.join(kernels)}; 99 % of the packets were delivered at most {late:.2f} ms late")
