# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tidy tables of runs: a row per number of a run, and a row per number over the seeds. Replicates are one point, a study has many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from cwnd.metrics.confidence_intervals import median_interval
from cwnd.metrics.rates import NONE_STARTED
from cwnd.replicates.document import TIMES
from cwnd.replicates.left_out import mean_of_others, reason_of
from cwnd.replicates.rows import STARTED_TRANSFERS, Row, RunNumbers

if TYPE_CHECKING:
    import pyarrow as pa

#: The numbers of each run, by the point's number and the seed.
Runs = Mapping[tuple[int, int], RunNumbers]
SUBJECT = [("of", "string"), ("name", "string"), ("label", "string"), ("measure", "string")]


def schema(factors: Mapping[str, Sequence[object]], others: Iterable[tuple[str, str]]) -> pa.Schema:
    """The columns: factors, then others, by name and type."""
    import pyarrow as pa

    fields = [pa.field(name, pa.array(values).type if values else pa.string()) for name, values in factors.items()]
    return pa.schema([*fields, *(pa.field(name, pa.type_for_alias(kind)) for name, kind in others)])


def run_table(runs: Runs, factors: Mapping[str, list[object]], named: Mapping[tuple[int, int], str]) -> pa.Table:
    """A row per run and number: factors, seed, of what, measure, value, unit, and why there is no value.

    `factors` are columns with a value per point, `named` what groups of flows are called, by point and number.
    """
    import pyarrow as pa

    others = [("seed", "uint64"), *SUBJECT, ("value", "float64"), ("unit", "string"), ("why", "string")]
    columns: dict[str, list[object]] = {name: [] for name in (*factors, *(name for name, _ in others))}
    for (point, seed), numbers in sorted(runs.items()):
        rows = [Row(*row) for row in numbers["rows"]]  # type: ignore[arg-type]
        for name, values in factors.items():
            columns[name] += [values[point]] * len(rows)
        columns["seed"] += [seed] * len(rows)
        for row in rows:
            columns["of"].append(row.of)
            columns["name"].append(row.name)
            columns["label"].append(label_of(named, point, row))
            columns["measure"].append(row.measure)
            columns["value"].append(None if row.value is None else float(row.value))
            columns["unit"].append(row.unit)
            columns["why"].append(row.why)
    return pa.table(columns, schema=schema(factors, others))


def mean_table(runs: Runs, factors: Mapping[str, list[object]], named: Mapping[tuple[int, int], str]) -> pa.Table:
    """A row per point and number: mean or median over the seeds, the ends of its 95 % interval, and how many seeds have a value.

    `factors` and `named` are as for `run_table`.
    """
    import pyarrow as pa

    others = [
        *SUBJECT,
        ("centre", "string"),
        ("value", "float64"),
        ("low", "float64"),
        ("high", "float64"),
        ("n", "int64"),
        ("undefined", "int64"),
        ("unit", "string"),
        ("why", "string"),
    ]
    columns: dict[str, list[object]] = {name: [] for name in (*factors, *(name for name, _ in others))}
    for point, rows in by_number(runs).items():
        for row, values, undefined, why in rows:
            centre = "median" if row.measure in TIMES and values else "mean"
            if centre == "median":
                interval = median_interval([*values, *([math.inf] * undefined)])
            else:
                interval = mean_of_others(values, why)
            for name, levels in factors.items():
                columns[name].append(levels[point])
            columns["of"].append(row.of)
            columns["name"].append(row.name)
            columns["label"].append(label_of(named, point, row))
            columns["measure"].append(row.measure)
            columns["centre"].append(centre)
            columns["value"].append(interval.centre)
            columns["low"].append(interval.low)
            columns["high"].append(interval.high)
            columns["n"].append(interval.n)
            columns["undefined"].append(undefined)
            columns["unit"].append(row.unit)
            columns["why"].append(why or interval.why)
    return pa.table(columns, schema=schema(factors, others))


def label_of(named: Mapping[tuple[int, int], str], point: int, row: Row) -> str:
    """What a row's subject is called."""
    return named.get((point, row.place), row.name) if row.of == "group" else row.name


#: A number of a point over its seeds: its row in the first run, the values, how many runs have none, and why (`reason_of`).
Series = tuple[Row, list[float], int, str]


def by_number(runs: Runs) -> dict[int, list[Series]]:
    """The numbers of each point over its seeds. A group of transfers that never started in a run has no row there, nor has a class of sizes:
    its counts are 0, and its times have no value.
    """
    found: dict[int, dict[tuple[object, ...], tuple[Row, list[float], list[str]]]] = {}
    done = Counter(point for point, _ in runs)
    for (point, _), numbers in sorted(runs.items()):
        of_point = found.setdefault(point, {})
        for cells in numbers["rows"]:
            row = Row(*cells)  # type: ignore[arg-type]
            _, values, reasons = of_point.setdefault((row.of, row.place, row.name, row.measure), (row, [], []))
            if row.value is None:
                reasons.append(row.why)
            else:
                values.append(row.value)
    for point, of_point in found.items():
        for row, values, reasons in of_point.values():
            missing = done[point] - len(values) - len(reasons)
            if row.of == "traffic" or row.measure in STARTED_TRANSFERS:
                values += [0.0] * missing
            elif row.of == "transfers":
                reasons += [NONE_STARTED] * missing
    return {
        point: [(row, values, len(reasons), reason_of(reasons)) for row, values, reasons in rows.values()]
        for point, rows in sorted(found.items())
    }
