# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where a result's tables come from: a simulation, a folder, or memory."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from cwnd._internal.escapes import cell
from cwnd._internal.json_files import MOST
from cwnd._internal.parquet_files import NoResultError as NoResultError
from cwnd._internal.parquet_files import parquet_file
from cwnd._internal.summary_types import TABLES
from cwnd._native import record_schema
from cwnd.result.lanes import SIM, Engine

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_BATCH = 100_000
#: Linux's names of the states of loss recovery, by number: the values of an event `state`.
STATES = ("open", "disorder", "cwr", "recovery", "loss")


class LaneError(ValueError, KeyError):
    """A result lacks what was asked for, because its lane does not have it or it was not recorded; the message is one line."""

    def __str__(self) -> str:
        return ValueError.__str__(self)


def no_table(name: str, lane: str, names: Sequence[str]) -> LaneError:
    """The error for a table that is not among `names`, those of a result of a lane."""
    others = [other for other, tables in TABLES.items() if name in tables and other != lane]
    if others:
        hint = f'; lane {" or ".join(others)} has "{name}"'
    elif name == "inner":
        hint = "; record.inner in a scenario records it"
    elif name in TABLES[lane]:
        hint = "; it was not recorded"
    else:
        hint = ""
    return LaneError(
        f'table: "{name}" is not accepted; expected one of {", ".join(names)}, which this result of lane {lane} has{hint}'
    )


def for_spreadsheets(table: pa.Table) -> pa.Table:
    """The table with an apostrophe before each text that a spreadsheet would take for a formula: labels are anyone's."""
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        if pa.types.is_string(field.type):
            column = pa.chunked_array([pa.array(map(cell, table[place].to_pylist()), pa.string())])
            table = table.set_column(place, field, column)
    return table


class TableSource(Protocol):
    """Where a result's tables come from."""

    def has(self, name: str) -> bool:
        """Whether it has a table of this name, with rows or without."""

    def rows(self, name: str) -> int:
        """Rows of a table."""

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        """A table in pieces; at least one."""


class EngineTables:
    """The tables of a run that is in memory."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def has(self, name: str) -> bool:
        return name in TABLES[self._engine.LANE]

    def rows(self, name: str) -> int:
        return self._engine.rows(name)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for start in range(0, max(1, self.rows(name)), ROWS_PER_BATCH):
            yield pa.record_batch(self._engine.table(name, start, ROWS_PER_BATCH))


class MemoryTables:
    """Tables in memory."""

    def __init__(self, tables: dict[str, pa.Table]) -> None:
        self._tables = tables

    def has(self, name: str) -> bool:
        return name in self._tables

    def rows(self, name: str) -> int:
        return int(self._tables[name].num_rows) if name in self._tables else 0

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        table = self._tables[name]
        empty = [pa.array([], kind) for kind in table.schema.types]
        yield from table.to_batches() or [pa.RecordBatch.from_arrays(empty, schema=table.schema)]


def read_table(path: Path, columns: Mapping[str, bool], signed: Container[str] = ()) -> pa.Table:
    """A table with at least these columns, of texts or of numbers (true) that only in those of `signed` may be negative; `NoResultError` for any other file."""
    import pyarrow as pa
    import pyarrow.compute as pc

    with parquet_file(path) as file:
        table = file.read()
    for name, is_number in columns.items():
        if table.column_names.count(name) != 1:
            raise NoResultError(f'{path.name}: "{path}" is not accepted; column {name}: expected once')
        kind = table.schema.field(name).type
        fits = pa.types.is_integer(kind) or pa.types.is_floating(kind) if is_number else pa.types.is_string(kind)
        if not (fits or pa.types.is_null(kind)):
            raise NoResultError(
                f'{path.name}: "{path}" is not accepted; column {name}: expected {"numbers" if is_number else "texts"}'
            )
        least = pc.min(table[name]).as_py() if is_number and name not in signed else None
        if least is not None and least < 0:
            raise NoResultError(
                f'{path.name}: "{path}" is not accepted; column {name} has {least}; expected numbers from 0 on'
            )
    return table


class StoredColumn(NamedTuple):
    """What a column of a table's file is."""

    kind: str
    nullable: bool


@cache
def columns_of(name: str, lane: str) -> dict[str, StoredColumn]:
    """The columns of a table, with their types as its schema names them; empty for a table that the schema does not have."""
    for table in record_schema():
        if table["name"] == name and lane in table["lanes"]:
            return {
                column["name"]: StoredColumn(column["type"], column["nullable"])
                for column in table["columns"]
                if column["only"] is None or lane in column["only"]
            }
    return {}


def is_type(kind: pa.DataType, expected: str) -> bool:
    """Whether a column is of the kind that its table's schema says: whole numbers, numbers, texts, lists of whole numbers, bytes."""
    import pyarrow as pa

    if expected.startswith("uint"):
        return bool(pa.types.is_integer(kind))
    if expected == "double":
        return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))
    if expected in ("string", "dictionary"):
        return bool(pa.types.is_string(kind) or (pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)))
    if expected.startswith("list"):
        return bool(pa.types.is_list(kind) and pa.types.is_integer(kind.value_type))
    return str(kind) == expected


#: Tables with a row for each of what a column numbers, in order.
NUMBERED = {"flows": "flow", "links": "link"}
#: Columns that a trace may lack: it has as many words of private state as its algorithm has, and only lane linux records rate samples.
OPTIONAL = re.compile(r"priv\d\d_|state_|rs_")


class FolderTables:
    """The tables of a folder. A file that is none of them is a `NoResultError` of one line."""

    def __init__(self, folder: Path, lane: str = SIM, counts: Mapping[str, int] | None = None) -> None:
        """Of a folder that may be anyone's, `counts` says how many there are of what columns number, such as `flow` and `link`: its values are checked."""
        self._folder = folder
        self._lane = lane
        self._counts = counts

    def has(self, name: str) -> bool:
        return (self._folder / f"{name}.parquet").exists()

    def rows(self, name: str) -> int:
        with parquet_file(self._folder / f"{name}.parquet") as file:
            return file.rows

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        with parquet_file(self._folder / f"{name}.parquet") as file:
            self._check(name, file.schema)
            rows = 0
            for batch in file.batches():
                if self._counts is not None:
                    self._check_values(name, batch, rows, self._counts)
                rows += batch.num_rows
                yield batch
            if rows != file.rows:
                raise self._refusal(name, f"{file.rows} rows", f"the {rows} that it has")
            count = (self._counts or {}).get(NUMBERED.get(name, ""))
            if count not in (None, rows):
                raise self._refusal(name, f"{rows} rows", f"the {count} of the summary")
            if not rows:
                yield pa.RecordBatch.from_pylist([], schema=file.schema)

    def _refusal(self, name: str, found: str, expected: str) -> NoResultError:
        return NoResultError(f'{name}.parquet: "{self._folder}" is not accepted; {found}; expected {expected}')

    def _check(self, name: str, schema: pa.Schema) -> None:
        """Refuses columns of another type than the table's, one that is there twice, and a table without one of its columns."""
        expected = columns_of(name, self._lane)
        for column in schema:
            known = expected.get(column.name)
            if schema.names.count(column.name) > 1 or (known is not None and not is_type(column.type, known.kind)):
                kind = known.kind if known else "it once"
                raise self._refusal(name, f"column {column.name}: {column.type}", kind)
        lacking = [column for column in expected if column not in schema.names and not OPTIONAL.match(column)]
        if lacking and self._counts is not None:
            raise self._refusal(name, f"no column {', '.join(lacking)}", f"the columns {', '.join(expected)}")

    def _check_values(self, name: str, batch: pa.RecordBatch, row: int, counts: Mapping[str, int]) -> None:
        """Refuses what no run has: gaps, numbers that are none, negative or beyond their type, a flow or link beyond the last, a state without a name.

        `row` is the number of the first row.
        """
        import pyarrow.compute as pc

        for column, known in columns_of(name, self._lane).items():
            if column not in batch.schema.names:
                continue
            values = batch.column(column)
            if values.null_count and not known.nullable:
                raise self._refusal(name, f"column {column} has gaps", "none")
            if known.kind.startswith("list"):
                values, count = values.flatten(), counts.get("link")
                if values.null_count:
                    raise self._refusal(name, f"column {column} has gaps", "none")
            else:
                count = counts.get(column)
            if (found := strange_number(values, known.kind, count)) is not None:
                raise self._refusal(name, f"column {column} has {found[0]}", found[1])
        number = NUMBERED.get(name)
        if number in counts and batch.column(number).to_pylist() != list(range(row, row + batch.num_rows)):
            raise self._refusal(name, f"column {number} has gaps or another order", "0, 1, 2 and so on")
        if name == "events" and batch.num_rows:
            kinds = batch.column("kind")
            for kind in pc.unique(kinds):
                if kind.as_py() == "state":
                    most = pc.max(pc.filter(batch.column("value"), pc.equal(kinds, kind))).as_py()
                    if most is not None and most >= len(STATES):
                        raise self._refusal(name, f"state {most}", f"less than {len(STATES)}")


def strange_number(values: pa.Array, kind: str, count: int | None) -> tuple[object, str] | None:
    """A number that no column of this kind has, and what is expected; `count` is how many there are of what it numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    # No value of Python is handed to pyarrow: to convert it pyarrow imports pandas where it is installed.
    if kind == "double":
        floats = values.cast(pa.float64(), safe=False)
        ends = pc.min_max(floats).as_py()
        odd = [end for end in ends.values() if end is not None and abs(end) > MOST]
        if pc.any(pc.is_nan(floats)).as_py():
            odd = [float("nan")]
        if odd:
            return odd[0], f"numbers of up to {MOST:g}"
        # Times, delays, rates and shares: no table has a number below 0.
        return (ends["min"], "numbers from 0 on") if ends["min"] is not None and ends["min"] < 0 else None
    if "uint" not in kind:
        return None
    ends = pc.min_max(values).as_py()
    if ends["min"] is None:
        return None
    bits = 32 if "32" in kind else 64
    if ends["min"] < 0 or ends["max"] >= 1 << bits:
        return next(
            end for end in ends.values() if not 0 <= end < 1 << bits
        ), f"whole numbers of {bits} bits, from 0 on"
    return (ends["max"], f"less than {count}") if count is not None and ends["max"] >= count else None
