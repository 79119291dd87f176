# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads untrusted Parquet files: their contents are counted before and during reading.

Some hundred bytes can say that they hold a billion rows, a list of a billion numbers in a row, or a long text in each of many rows. What a
file says of itself bounds numbers and lists. It says not how often a text is repeated: texts are read as dictionaries, which have each
text once, and what they are without them is known before they are made.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

#: Bytes of a value in memory, about: a number with its validity, or a reference to a text.
VALUE_BYTES = 8
#: Bytes of the longest text: a name, a reason, a factor's value as JSON.
MOST_TEXT_BYTES = 1 << 20
#: An encoding in which each text says only how it differs from the one before. No table of cwnd has it, and no dictionary bounds it.
UNBOUNDED = "DELTA_BYTE_ARRAY"


class NoResultError(ValueError):
    """The folder does not hold a result that can be read; the message is one line and says why."""


def memory_bytes() -> int:
    """The memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 34


class ParquetTable:
    """An open file of Parquet."""

    def __init__(self, file: pq.ParquetFile, schema: pa.Schema, refuse: Callable[[str], NoResultError]) -> None:
        """`schema` has the columns as they were written, most texts without a dictionary."""
        self._file = file
        self._refuse = refuse
        self.rows = int(file.metadata.num_rows)
        self.schema = schema

    def batches(self, rows: int = 65_536) -> Iterator[pa.RecordBatch]:
        """The table in pieces of so many rows; what is read so far is never more than the memory of this machine."""
        import pyarrow as pa

        for column in self.schema:
            if not is_bounded(column.type):
                expected = "numbers, texts, bytes or lists of numbers"
                raise self._refuse(f"column {column.name}: {column.type}; expected {expected}")
        limit, size = memory_bytes(), 0
        for batch in self._file.iter_batches(batch_size=rows):
            size += sum(map(self._bytes_of, batch.schema.names, batch.columns))
            if size > limit:
                raise self._refuse(f"its {self.rows:,} rows need more memory than this machine has")
            columns = [column.cast(kind) for column, kind in zip(batch.columns, self.schema.types, strict=True)]
            whole = pa.RecordBatch.from_arrays(columns, schema=self.schema)
            whole.validate(full=True)  # that texts are UTF-8, which nothing else looks at
            yield whole

    def read(self) -> pa.Table:
        """The whole table."""
        import pyarrow as pa

        return pa.Table.from_batches(self.batches(), self.schema)

    def _bytes_of(self, name: str, column: pa.Array) -> int:
        """What a column takes in memory, a dictionary's texts as often as they are in it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not pa.types.is_dictionary(column.type):
            return int(column.nbytes)
        lengths = pc.binary_length(column.dictionary).cast(pa.int64())
        longest = pc.max(lengths).as_py() or 0
        if longest > MOST_TEXT_BYTES:
            raise self._refuse(f"column {name}: a text of {longest:,} bytes; expected at most {MOST_TEXT_BYTES:,}")
        return VALUE_BYTES * len(column) + int(pc.sum(lengths.take(column.indices)).as_py() or 0)


def is_bounded(kind: pa.DataType) -> bool:
    """Whether what a column has in memory follows from what its file says of it, or from its dictionary."""
    import pyarrow as pa

    types = pa.types
    if types.is_list(kind):
        return is_number(kind.value_type)
    if types.is_dictionary(kind):
        return bool(types.is_string(kind.value_type))
    return bool(
        is_number(kind)
        or types.is_null(kind)
        or types.is_string(kind)
        or types.is_binary(kind)
        or types.is_fixed_size_binary(kind)
    )


def is_number(kind: pa.DataType) -> bool:
    """Whether a type is one of numbers or flags."""
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def leaves_of(file: pq.ParquetFile) -> list[pq.ColumnSchema]:
    """The columns of a file; of a list, that of its elements."""
    return [file.schema.column(place) for place in range(len(file.schema))]


def chunks_of(about: pq.FileMetaData) -> Iterator[pq.ColumnChunkMetaData]:
    """The pieces of all columns, group of rows by group of rows."""
    for group in range(about.num_row_groups):
        for column in range(about.num_columns):
            yield about.row_group(group).column(column)


def least_bytes(file: pq.ParquetFile) -> int:
    """The memory that the table needs according to the file's metadata, without repeated texts."""
    leaves, about = leaves_of(file), file.metadata
    widths = [leaf.length if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" else 0 for leaf in leaves]
    chunks = (
        max(chunk.num_values * max(VALUE_BYTES, widths[place % len(widths)]), chunk.total_uncompressed_size)
        for place, chunk in enumerate(chunks_of(about))
    )
    return max(int(about.num_rows * max(1, about.num_columns) * VALUE_BYTES), int(sum(chunks)))


@contextmanager
def parquet_file(path: Path) -> Iterator[ParquetTable]:
    """A file of Parquet, for the body to read; `NoResultError` of one line for whatever is wrong with it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    def refuse(why: str) -> NoResultError:
        return NoResultError(
            f'{path.name}: "{path}" is not accepted; expected a table in Parquet: {" ".join(why.split())}'
        )

    # A pipe would be waited for.
    if not path.is_file():
        raise refuse("no such file" if not path.exists() else "not a regular file")
    try:
        with pq.ParquetFile(path, memory_map=False) as file:
            if least_bytes(file) > memory_bytes():
                raise refuse(f"{file.metadata.num_rows:,} rows need more memory than this machine has")
            if any(UNBOUNDED in chunk.encodings for chunk in chunks_of(file.metadata)):
                raise refuse(f"the encoding {UNBOUNDED}")
            schema = file.schema_arrow
            texts = [leaf.path for leaf in leaves_of(file) if leaf.physical_type == "BYTE_ARRAY"]
        with pq.ParquetFile(path, memory_map=False, read_dictionary=texts) as file:
            yield ParquetTable(file, schema, refuse)
    except pa.ArrowException as error:
        raise refuse(str(error)) from None
    except (OSError, UnicodeDecodeError, OverflowError, MemoryError) as error:
        raise refuse(getattr(error, "strerror", None) or str(error)) from None
