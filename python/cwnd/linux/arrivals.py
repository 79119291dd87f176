# SPDX-License-Identifier: MIT OR Apache-2.0
"""Arrivals at a queue: a table with the columns `time_ns` (or `time_s`), `bytes`, and `flow`, `ecn`, `dscp`, `from`, `to`, which may be absent.

`time_ns` does not decrease. `bytes` is the size with the header of IP, 28 to 64 000. `flow` numbers the ports, 0 to 60 000; `from` and `to` number the hosts, 0 to
65 535. `ecn` is a codepoint: `not-ect`, `ect0`, `ect1`, `ce`, or its number, 0 to 3; `dscp` is 0 to 63. What is absent is 0.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cwnd._internal.input_errors import missing, refused, refused_path, unfit

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Codepoints by their numbers (RFC 3168 §5): ECT(1) is 1.
CODEPOINTS = ("not-ect", "ect1", "ect0", "ce")
#: The columns, with the least and the largest value.
COLUMNS = {
    "time_ns": (0, 10**15),
    "flow": (0, 60_000),
    "bytes": (28, 64_000),
    "ecn": (0, 3),
    "dscp": (0, 63),
    "from": (0, 65_535),
    "to": (0, 65_535),
}
#: The largest number of packets: each takes 32 bytes here, and as many in the library.
MOST = 10**8
#: Columns that a bench adds; its file is one of arrivals again.
OF_FATES, OTHERS = ("fate", "at_ns", "marked"), "beside_"
#: File of the packets of a run's senders.
CAPTURE = "senders.pcapng"


def arrivals_of(given: pa.Table | str | os.PathLike[str]) -> pa.Table:
    """The arrivals of a table, of a file (.csv, .parquet) or of the folder of a run, checked. Raises `ScenarioError`."""
    if isinstance(given, pa.Table):
        return checked(given)
    try:
        path = Path(given)
    except TypeError:
        raise refused("arrivals", given, "a table of pyarrow, a file (.csv, .parquet) or the folder of a run") from None
    if path.is_dir():
        return of_run(path)
    return checked(read(path))


def read(path: Path) -> pa.Table:
    """The table of a file."""
    import pyarrow.csv
    import pyarrow.parquet

    try:
        if path.suffix == ".csv":
            return pyarrow.csv.read_csv(path)
        if path.suffix == ".parquet":
            return pyarrow.parquet.read_table(path)
    except FileNotFoundError:
        raise refused_path("arrivals", path, "a file that exists") from None
    except (pa.ArrowException, OSError) as error:
        why = " ".join(str(error).split())[:120]
        raise refused_path("arrivals", path, f"a table that can be read ({why})") from None
    raise refused_path("arrivals", path, "a file .csv or .parquet, or the folder of a run")


def checked(table: pa.Table) -> pa.Table:
    """The columns of arrivals, in their order and of one type; those that are absent are 0."""
    names = table.column_names
    for name in (*COLUMNS, "time_s"):
        if names.count(name) > 1:
            raise unfit(f"arrivals.{name}", f"one column of this name; there are {names.count(name)}")
    for name in names:
        if name not in (*COLUMNS, "time_s", *OF_FATES) and not name.startswith(OTHERS):
            raise refused("arrivals", name, "columns of arrivals", (*COLUMNS, "time_s"))
    if "time_ns" not in names and "time_s" not in names:
        raise missing("arrivals.time_ns", "a column with the times of the arrivals, or time_s")
    if "bytes" not in names:
        raise missing("arrivals.bytes", "a column with the sizes of the packets")
    if not 0 < table.num_rows <= MOST:
        raise unfit("arrivals", f"1 to {MOST} packets; these are {table.num_rows}")
    columns = {name: of_column(table, name) for name in COLUMNS}
    for name, (least, most) in COLUMNS.items():
        low, high = int(columns[name].min()), int(columns[name].max())
        if low < least or high > most:
            raise refused(f"arrivals.{name}", low if low < least else high, f"{least} to {most}")
    if (np.diff(columns["time_ns"]) < 0).any():
        row = int(np.flatnonzero(np.diff(columns["time_ns"]) < 0)[0]) + 1
        raise refused(
            "arrivals.time_ns", int(columns["time_ns"][row]), f"times that do not decrease; row {row} (from 0) does"
        )
    return pa.table(columns)


def of_column(table: pa.Table, name: str) -> NDArray[np.int64]:
    """The whole numbers of a column."""
    if name == "time_ns" and name not in table.column_names:
        seconds: NDArray[np.float64] = numbers(table["time_s"], "time_s", pa.float64()).astype(np.float64)
        least, most = COLUMNS["time_ns"]
        if seconds.min() < least or seconds.max() * 1e9 > most:
            worst = seconds.min() if seconds.min() < least else seconds.max()
            raise refused("arrivals.time_s", float(worst), f"{least} to {most // 10**9}")
        return np.rint(seconds * 1e9).astype(np.int64)
    if name not in table.column_names:
        return np.zeros(table.num_rows, np.int64)
    column = table[name]
    if name == "ecn" and not pa.types.is_integer(column.type):
        found = pc.index_in(column.cast(pa.string()), pa.array(CODEPOINTS))
        if found.null_count:
            value = column.filter(pc.is_null(found))[0].as_py()
            raise refused("arrivals.ecn", value, "a codepoint", CODEPOINTS)
        column = found
    return numbers(column, name, pa.int64())


def numbers(column: pa.ChunkedArray, name: str, kind: pa.DataType) -> NDArray[np.int64]:
    """The numbers of a column, none of them missing."""
    try:
        cast = column.cast(kind)
    except pa.ArrowException:
        expected = "whole numbers" if kind == pa.int64() else "numbers"
        raise unfit(f"arrivals.{name}", f"{expected}; it has {column.type}") from None
    values: NDArray[np.int64] = cast.to_numpy()
    if cast.null_count or not np.isfinite(values).all():
        raise unfit(f"arrivals.{name}", "a number in every row")
    return values


def of_run(folder: Path) -> pa.Table:
    """The data packets that the senders of a run sent. These are the arrivals at the first link of their path if no access link is before it."""
    path = folder / CAPTURE
    if not path.is_file():
        raise refused_path(
            "arrivals", folder, f"the folder of a run that has recorded packets (record.packets): {CAPTURE}"
        )
    from cwnd._internal.captures import is_whole, sent

    capture = path.read_bytes()
    if not is_whole(capture):
        raise refused_path("arrivals", path, "a capture that is whole")
    times, flows, sizes, classes = sent(capture)
    return checked(
        pa.table({"time_ns": times, "flow": flows, "bytes": sizes, "ecn": classes & 3, "dscp": classes >> 2})
    )
