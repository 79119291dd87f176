# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd diff` does."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from cwnd._internal.input_errors import refused
from cwnd._internal.messages import note
from cwnd._internal.temporary_files import replacing
from cwnd.cli.diff_options import DiffOptions
from cwnd.cli.entry import fail
from cwnd.diff.api import diff
from cwnd.diff.conditions import Condition, judged
from cwnd.diff.report import conditions, table, unpaired
from cwnd.diff.results import Difference
from cwnd.load import NoResultError
from cwnd.result.tables import for_spreadsheets

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".csv", ".parquet", ".json")


def invoke(given: DiffOptions) -> None:
    """Compares, prints, writes, and ends with 1 if a condition is met."""
    if len(given.folders) > 2:
        fail(f'B: "{given.folders[2]}" is not accepted; expected two folders, A and B')
    if given.out is not None and given.out.suffix not in SUFFIXES:
        fail(f'-o: "{given.out}" is not accepted; expected a file that ends in {", ".join(SUFFIXES)}')
    if given.strict and not given.fail_if:
        fail("--strict: not accepted without --fail-if")
    difference = compared(given)
    # Before anything is printed: a condition that cannot be read is refused.
    wanted = [Condition.of(text, difference) for text in given.fail_if or []]
    placed = given.each and difference.points > 1
    found = judged(wanted, difference.at_points if placed else difference.over_points, difference)
    if given.out is not None:
        write(difference.table, given.out)
    if given.as_json:
        outcomes = [
            {
                "condition": each.condition.text,
                "of": each.effect.name,
                "outcome": each.outcome,
                **dict(each.effect.place),
            }
            for each in found
        ]
        rows = documents(difference.table)
        print(
            json.dumps(
                {
                    "a": difference.a,
                    "b": difference.b,
                    "level": difference.level,
                    "effects": rows,
                    "conditions": outcomes,
                }
            )
        )
    else:
        table(difference, each=given.each, everything=given.measures is not None)
    unpaired(difference)
    conditions(found)
    if given.out is not None:
        note(f"written to {given.out}")
    if any(each.outcome == "met" or (given.strict and each.outcome == "undecided") for each in found):
        raise typer.Exit(1)


def compared(given: DiffOptions) -> Difference:
    """The difference that is asked for."""
    where: dict[str, object] = {}
    for text in given.where or []:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            fail(f'--where: "{text}" is not accepted; expected KEY=VALUE, such as rtt=40ms')
        if key in where:
            raise refused("--where", key, "each key once")
        where[key] = value
    names = None if given.measures in (None, "all") else [str(given.measures)]
    first, *others = given.folders
    if not others and given.between is None:
        fail(
            "B: missing; expected a second folder, or --between KEY=VALUE,VALUE for two values of a factor of one study"
        )
    try:
        return diff(
            first,
            others[0] if others else None,
            between=given.between,
            where=where,
            measures=names,
            paired=not given.unpaired,
            level=part_of("--level", given.level),
            margin=None if given.margin is None else part_of("--margin", given.margin),
            method="bootstrap" if given.bootstrap else "t",
        )
    except NoResultError as error:
        fail(str(error))


def part_of(option: str, text: str) -> float:
    """A part, given in per cent."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*%\s*", text)
    if match is None or not 0 < float(match[1]) < 100:
        raise refused(option, text, "a part in per cent, such as 95% or 2%")
    return float(match[1]) / 100


def documents(effects: pa.Table) -> list[dict[str, object]]:
    """The rows for JSON, which has no infinite numbers: they are null there, and `verdict` says what is decided."""
    return [
        {key: None if isinstance(value, float) and math.isinf(value) else value for key, value in row.items()}
        for row in effects.to_pylist()
    ]


def write(effects: pa.Table, path: Path) -> None:
    """Writes the table of effects, whole or not at all."""
    import pyarrow.parquet as pq
    from pyarrow import csv

    with replacing(path) as part:
        if path.suffix == ".csv":
            csv.write_csv(for_spreadsheets(effects), part)
        elif path.suffix == ".parquet":
            pq.write_table(effects, part)
        else:
            part.write_text(json.dumps(documents(effects), indent=1) + "\n")
