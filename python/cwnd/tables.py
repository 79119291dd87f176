# SPDX-License-Identifier: MIT OR Apache-2.0
"""Where a result's tables come from: a simulation, a folder, or memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from cwnd.lanes import Engine
from cwnd.summary_types import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

ROWS_PER_BATCH = 100_000


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
        hint = "; a scenario with record.inner makes it"
    elif name in TABLES[lane]:
        hint = "; it was not recorded"
    else:
        hint = ""
    return LaneError(
        f'table: "{name}" is not accepted; expected one of {", ".join(names)}, which this result of lane {lane} has{hint}'
    )


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


class FolderTables:
    """The tables of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has(self, name: str) -> bool:
        return (self._folder / f"{name}.parquet").exists()

    def rows(self, name: str) -> int:
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self._folder / f"{name}.parquet").num_rows)

    def batches(self, name: str) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with pq.ParquetFile(self._folder / f"{name}.parquet") as file:
            if not file.metadata.num_rows:
                yield pa.RecordBatch.from_pylist([], schema=file.schema_arrow)
                return
            yield from file.iter_batches()
