# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tidy tables of a study: one row per number of a run, and one per number over the seeds."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cwnd.flow_and_link import Value
from cwnd.metrics.statistics import mean_interval, median_interval
from cwnd.notation import notation
from cwnd.replicates.document import TIMES
from cwnd.replicates.rows import Row, RunNumbers
from cwnd.study.values import quantity_of

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.study.points import Points

#: The numbers of each run, by the point's number and the seed.
Runs = Mapping[tuple[int, int], RunNumbers]
#: How units are called in names of columns, as in those of the summary.
UNIT_NAMES = {"bit/s": "bps", "kbit/s": "kbps", "Mbit/s": "mbps", "Gbit/s": "gbps", "%": "percent"}


def cell(value: Value) -> str | int | float | bool:
    """A factor's value in a table: tables and lists as JSON."""
    return value if isinstance(value, str | int | float | bool) else json.dumps(value)


def number_of(text: Value) -> Value:
    """The number that a text is, if it is one."""
    quantity = quantity_of(text)
    if quantity is None or quantity[1]:
        return text
    return int(quantity[0]) if quantity[0].is_integer() and "." not in str(text) else quantity[0]


def factor_columns(points: Points) -> dict[str, list[object]]:
    """The factors of each point, by column. Quantities of one unit have their number beside: `rtt` and `rtt_ms`."""
    columns: dict[str, list[object]] = {}
    for name in points.names.values():
        values = [number_of(point.factors[name]) for point in points.points]
        if len({type(value) for value in values} - {int, float}) and len({type(value) for value in values}) > 1:
            values = [str(cell(value)) for value in values]
        columns[name] = [cell(value) for value in values]
        quantities = [quantity_of(value) if isinstance(value, str) else None for value in values]
        units = {quantity[1] if quantity else "" for quantity in quantities}
        if len(units) == 1 and (unit := units.pop()):
            columns[f"{name}_{UNIT_NAMES.get(unit, unit)}"] = [quantity[0] for quantity in quantities if quantity]
    return columns


def number_columns(columns: Sequence[str], factors: Sequence[str]) -> dict[str, str]:
    """The columns of a table that are the numbers of the factor before them (`rtt_ms` of `rtt`), with this factor."""
    pairs = itertools.pairwise(columns)
    return {
        after: name
        for name, after in pairs
        if name in factors and after not in factors and after.startswith(f"{name}_")
    }


def labels(points: Points) -> dict[tuple[int, int], str]:
    """What a group of flows of a point is called among those of all points, by point and group: algorithm, what tells it from other groups that would be called the same, and what is varied of it."""
    return labels_with(points, told_apart(points))


def labels_with(points: Points, apart: Mapping[int, Mapping[str, str]]) -> dict[tuple[int, int], str]:
    """The same, with these settings beside the algorithm, by the number of the group."""
    found = {}
    varied = points.varied()
    for point in points.points:
        for index, group in enumerate(point.scenario.groups if point.scenario else []):
            own = varied.get(index, {})
            settings = [
                f"{key}={notation(point.factors[name])}"
                for name, key in own.items()
                if key not in ("cc", "label", "count")
            ]
            # An algorithm that is an axis may have settings with it.
            named = next((notation(point.factors[name]) for name, key in own.items() if key == "cc"), group.cc)
            beside = apart.get(index, {}).values()
            found[point.number, index] = " ".join([named, *beside, *settings]) if own else group.name
    return found


def told_apart(points: Points) -> dict[int, dict[str, str]]:
    """By the number of a group of flows, those of its settings that are the same at all points and without which it would be called as a different group is."""
    tables = cast("Sequence[Mapping[str, Value]]", points.base.document.get("flow", []))
    found: dict[int, dict[str, str]] = {}
    plain = labels_with(points, {})
    varied = points.varied()
    for point in points.points:
        groups = enumerate(point.scenario.groups if point.scenario else [])
        called: dict[str, dict[str, int]] = {}
        for index, group in groups:
            called.setdefault(plain[point.number, index], {}).setdefault(group.name, index)
        for places in called.values():
            # Groups of one name have the same settings.
            for index, other in itertools.permutations(places.values(), 2):
                left_out = ("cc", "count", *varied.get(index, {}).values())
                for key, value in tables[index].items():
                    if key not in left_out and value != tables[other].get(key):
                        words = notation(value)
                        # As in the labels of a run.
                        found.setdefault(index, {})[key] = words if key in ("label", "stack") else f"{key}={words}"
    return found


def schema(factors: Mapping[str, Sequence[object]], others: Iterable[tuple[str, str]]) -> pa.Schema:
    """The columns: factors, then others, by name and type."""
    import pyarrow as pa

    fields = [pa.field(name, pa.array(values).type if values else pa.string()) for name, values in factors.items()]
    return pa.schema([*fields, *(pa.field(name, pa.type_for_alias(kind)) for name, kind in others)])


SUBJECT = [("of", "string"), ("name", "string"), ("label", "string"), ("measure", "string")]


def tidy(points: Points, runs: Runs) -> pa.Table:
    """A row per run and number: factors, seed, of what, measure, value, unit, and why there is no value."""
    return run_table(runs, factor_columns(points), labels(points))


def run_table(runs: Runs, factors: Mapping[str, list[object]], named: Mapping[tuple[int, int], str]) -> pa.Table:
    """The same, with these columns of factors, and these names of groups of flows by point and number."""
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


def label_of(named: Mapping[tuple[int, int], str], point: int, row: Row) -> str:
    return named.get((point, row.place), row.name) if row.of == "group" else row.name


def over_seeds(points: Points, runs: Runs) -> pa.Table:
    """A row per point and number: mean or median over the seeds, the ends of its 95 % interval, and how many seeds have a value."""
    return mean_table(runs, factor_columns(points), labels(points))


def mean_table(runs: Runs, factors: Mapping[str, list[object]], named: Mapping[tuple[int, int], str]) -> pa.Table:
    """The same, with these columns of factors, and these names of groups of flows by point and number."""
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
                interval = mean_interval(values)
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


#: A number of a point over its seeds: its row in the first run, the values, how many runs have none, and why the first of them has none.
Series = tuple[Row, list[float], int, str]


def by_number(runs: Runs) -> dict[int, list[Series]]:
    """The numbers of each point over its seeds. A group of transfers that never started in a run has no row there."""
    found: dict[int, dict[tuple[object, ...], tuple[Row, list[float], list[str]]]] = {}
    for (point, _), numbers in sorted(runs.items()):
        of_point = found.setdefault(point, {})
        for cells in numbers["rows"]:
            row = Row(*cells)  # type: ignore[arg-type]
            _, values, reasons = of_point.setdefault((row.of, row.place, row.name, row.measure), (row, [], []))
            if row.value is None:
                reasons.append(row.why)
            else:
                values.append(row.value)
    return {
        point: [(row, values, len(reasons), reasons[0] if reasons else "") for row, values, reasons in rows.values()]
        for point, rows in sorted(found.items())
    }
