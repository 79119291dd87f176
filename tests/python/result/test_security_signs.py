# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of results that somebody else has written: a number that no result has below 0 is refused there, wherever it is."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from test_security_folders import folder as folder
from test_security_folders import seed as seed

import cwnd as package
from cwnd._internal.json_types import JsonObject
from cwnd._internal.summary_types import TABLES
from cwnd._native import record_schema
from cwnd.load import NoResultError
from cwnd.replicates.rows import has_numbers


def number_columns() -> list[tuple[str, str]]:
    """Tables of a run with their columns of numbers, from the schema."""
    return [
        (table["name"], column["name"])
        for table in record_schema()
        if "sim" in table["lanes"] and table["name"] in TABLES["sim"] and table["name"] != "inner"
        for column in table["columns"]
        if (column["type"] == "double" or column["type"].startswith("uint"))
        and (not column["only"] or "sim" in column["only"])
    ]


# A row of each table of the run, or of what its schema says, with -1 in one column.
@pytest.mark.parametrize(("name", "column"), number_columns())
def test_no_column_of_a_table_has_a_negative_number(name: str, column: str, folder: Path) -> None:
    result = package.load(folder)
    assert isinstance(result, package.Result)
    rows = pq.read_table(folder / f"{name}.parquet")
    if not rows.num_rows:
        zeros = {"string": "x", "list": [0]}
        row = {each.name: next((v for k, v in zeros.items() if k in str(each.type)), 0) for each in rows.schema}
        rows = pa.Table.from_pylist([row], schema=rows.schema)
        pq.write_table(rows, folder / f"{name}.parquet")
        assert result.table(name).num_rows == 1
    kind = pa.float64() if pa.types.is_floating(rows.schema.field(column).type) else pa.int64()
    values = pa.array([-1] + [0] * (rows.num_rows - 1), kind)
    pq.write_table(rows.set_column(rows.column_names.index(column), column, values), folder / f"{name}.parquet")
    with pytest.raises(NoResultError, match=rf"column {column} has -1.*from 0 on$"):
        result.table(name)


def numbers_in(value: object, where: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where a document has numbers."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers_in(inner, (*where, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield where


def with_minus_one(document: dict[str, Any], where: tuple[str | int, ...]) -> dict[str, Any]:
    """A copy with -1 there."""
    changed: Any = json.loads(json.dumps(document))
    outer = changed
    for key in where[:-1]:
        outer = outer[key]
    outer[where[-1]] = -1
    return changed  # type: ignore[no-any-return]


def called(where: tuple[str | int, ...]) -> str:
    """A place in summary.json, as a refusal calls it."""
    return "summary.json" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in where)


# Counts, times, rates, shares: every number of a run's summary.
def test_no_number_of_a_summary_is_negative(folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text())
    places = list(numbers_in(summary))
    assert {("flows", 0, "retransmits"), ("links", 0, "utilization"), ("links", 0, "queue_mean_ms")} <= set(places)
    for where in places:
        (folder / "summary.json").write_text(json.dumps(with_minus_one(summary, where)))
        with pytest.raises(NoResultError) as refusal:
            package.load(folder)
        assert f"{called(where)}: -1 is not accepted; expected a number, 0 or more" in str(refusal.value)


# The interval of few values near 0 begins below 0.
def test_of_replicates_only_the_lower_end_of_an_interval_is_negative(tmp_path: Path) -> None:
    package.replicate(package.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="1s"), 2, folder=tmp_path / "r")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    for where in numbers_in(summary):
        (tmp_path / "r" / "summary.json").write_text(json.dumps(with_minus_one(summary, where)))
        if where[-1] == "low":
            package.load(tmp_path / "r")
            continue
        with pytest.raises(NoResultError) as refusal:
            package.load(tmp_path / "r")
        assert f"{called(where)}: -1 is not accepted; expected a number, 0 or more" in str(refusal.value)


@pytest.mark.parametrize(
    ("table", "column"), [("runs", "value"), ("means", "value"), ("means", "high"), ("means", "n")]
)
def test_no_number_of_a_study_is_negative_but_the_lower_end_of_an_interval(
    table: str, column: str, tmp_path: Path
) -> None:
    package.sweep("cubic", {"rtt": ["20ms", "30ms"]}, rate="5Mbit/s", duration="1s", seeds=2, folder=tmp_path / "s")
    file = tmp_path / "s" / f"{table}.parquet"
    rows = pq.read_table(file)

    def write(name: str) -> None:
        values = pa.array([-1] * rows.num_rows, rows.schema.field(name).type)
        pq.write_table(rows.set_column(rows.column_names.index(name), name, values), file)

    if table == "means":
        write("low")
        package.load(tmp_path / "s")
    write(column)
    with pytest.raises(NoResultError, match=rf"column {column} has -1.*; expected numbers from 0 on"):
        package.load(tmp_path / "s")


# They are made anew then, as those of another program.
@pytest.mark.parametrize("change", [{"packets": -1}, {"rows": [["all", 0, "all flows", "jain", -1.0, "", ""]]}])
def test_kept_numbers_of_a_run_that_are_negative_are_not_taken(change: JsonObject) -> None:
    kept: JsonObject = {"packets": 1, "rows": [["all", 0, "all flows", "jain", 1.0, "", ""]]}
    assert has_numbers(kept) and not has_numbers({**kept, **change})
