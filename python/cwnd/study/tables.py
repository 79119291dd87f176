# SPDX-License-Identifier: MIT OR Apache-2.0
"""The tidy tables of a study: one row per number of a run, and one per number over the seeds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from cwnd.replicates.tables import Runs, mean_table, run_table
from cwnd.scenario.flow import Value
from cwnd.scenario.notation import notation
from cwnd.study.values import quantity_of

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.study.points import Points

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
    """The factors of each point, by column. Quantities of one unit also have a numeric column: `rtt` and `rtt_ms`."""
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
    """The label of each group of flows, by point and group, unique among all points: algorithm, settings that make it unique, varied settings."""
    return labels_with(points, told_apart(points))


def labels_with(points: Points, apart: Mapping[int, Mapping[str, str]]) -> dict[tuple[int, int], str]:
    """The same, with these settings added to the algorithm, by the number of the group."""
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
    """For each group of flows, by number: the constant settings that make its label unique."""
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


def tidy(points: Points, runs: Runs) -> pa.Table:
    """A row per run and number: factors, seed, of what, measure, value, unit, and why there is no value."""
    return run_table(runs, factor_columns(points), labels(points))


def over_seeds(points: Points, runs: Runs) -> pa.Table:
    """A row per point and number: mean or median over the seeds, the ends of its 95 % interval, and how many seeds have a value."""
    return mean_table(runs, factor_columns(points), labels(points))
