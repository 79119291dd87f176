# SPDX-License-Identifier: MIT OR Apache-2.0
"""Repeats connections of the kernel on the simulator's sender, and compares the calls of their hooks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from cwnd import _native
from cwnd._internal.input_errors import path_of
from cwnd._internal.json_files import read_json
from cwnd._internal.parquet_files import NoResultError, parquet_file
from cwnd.replay.trace import TraceError, column_of, is_replayed

if TYPE_CHECKING:
    from cwnd._native import TransportOutcome

# The sets of the algorithms that can be traced so.
SETS = ("cubic-linux", "reno-linux")
# Of each table: columns by which the rows of a connection are chosen. The replay names any other one that it lacks.
COLUMNS = {"hooks": ("connection", "hook"), "packets": ("connection", "kind", "payload")}
# Columns of text; every other one is taken as 64-bit integers.
TEXT = ("hook", "kind")


def replay_transport(folder: str | Path) -> TransportOutcome:
    """Repeats the connections of a trace that `cwnd kernel trace --transport -o` or `cwnd linux trace` wrote.

    The simulator's sender with `recovery = "linux"` receives each acknowledgement at its recorded time. The record also decides what is sent
    when, and when timers expire. Returns:

    `connections`; `events` (acknowledgements, transmissions, timers); `calls` of the kernel's hooks;
    `divergent` (events whose calls differ in order, arguments or results);
    `out_of_step` (events before which the two sides had different views of the outstanding segments);
    `windows` (events before which the window or the slow start threshold, as the event before had left them, differed);
    `gaps` (connections with data missing from the record); `no_sack` (connections without selective acknowledgements);
    `not_compared` (the later events of those two kinds of connections, which `events` excludes);
    `closing` (events of closing connections, which neither includes);
    `complete` (whether any events, and at least 99 % of those before closing, were compared);
    `explained` (arguments that the simulator cannot have: what, why, and the number of events in which they differ);
    `retransmissions` and `timers` (how many, and how many of them the sender would not have had);
    `kinds` and `states` (for each `kind`: the number of `events`, how many were `fresh`, which means that both sides agreed before, and the `first`, in words);
    and `first`, the first divergence of all.

    Raises `TraceError` (a `ValueError`) for a folder without such a trace, `ScenarioError` for an invalid path.
    """
    folder = path_of("folder", folder)
    replay = _native.TransportReplay(set_of(folder))
    hooks, packets = (read(folder, name) for name in COLUMNS)
    beginnings = pc.filter(hooks["connection"], pc.equal(hooks["hook"], "init"))
    for connection in pc.unique(beginnings).to_pylist():
        try:
            rows = [part(table, connection) for table in (hooks, packets)]
            has_data = pc.any(pc.and_(pc.equal(rows[1]["kind"], "sent"), pc.greater(rows[1]["payload"], 0))).as_py()
            if not has_data:
                continue
            replay.feed(*rows)
        except ValueError as error:
            raise TraceError(f'TRACE: "{folder}" is not accepted; connection {connection}: {error}') from None
    outcome = replay.outcome()
    if not outcome["connections"]:
        raise TraceError(f'TRACE: "{folder}" is not accepted; expected a connection that sent data')
    return outcome


def set_of(folder: Path) -> str:
    """The parameter set that was traced."""
    try:
        manifest = read_json(folder / "manifest.json")
        name = manifest["set"]
    except (OSError, ValueError, KeyError, TypeError):
        raise TraceError(
            f'TRACE: "{folder}" is not accepted; expected the folder of a cwnd kernel trace --transport'
        ) from None
    if not isinstance(name, str) or name not in SETS:
        raise TraceError(
            f'TRACE: "{folder}" is not accepted; expected one of {", ".join(SETS)} as set in manifest.json, got {json.dumps(name)}'
        )
    return name


def read(folder: Path, name: str) -> pa.Table:
    """A table of the trace."""
    file = folder / f"{name}.parquet"
    if not file.is_file():
        raise TraceError(
            f'TRACE: "{folder}" is not accepted; expected the folder of a cwnd kernel trace --transport; {file.name} is missing'
        )
    try:
        with parquet_file(file) as opened:
            table = opened.read()
    except NoResultError as error:
        raise TraceError(f'TRACE: "{file}" is not accepted; expected a table in Parquet: {error}') from None
    for column in COLUMNS[name]:
        if column not in table.column_names:
            raise TraceError(f'TRACE: "{file}" is not accepted; column {column}: missing; expected the table {name}')
    table = table.select([column for column in table.column_names if is_replayed(column)])
    for column in table.column_names:
        if table[column].null_count:
            raise TraceError(f'TRACE: "{file}" is not accepted; column {column}: null; expected a value in every row')
    return table


def part(table: pa.Table, connection: int) -> pa.RecordBatch:
    """The rows of a connection, in one piece."""
    number = pa.scalar(connection, table["connection"].type)
    rows = table.filter(pc.equal(table["connection"], number)).combine_chunks()
    names = [name for name in table.column_names if not name.startswith("state_")]
    columns = [
        pa.concat_arrays(rows[name].chunks) if rows.num_rows else pa.array([], rows[name].type) for name in names
    ]
    taken = [
        column.cast(pa.string()) if name in TEXT else column_of(name, column) for name, column in zip(names, columns)
    ]
    return pa.RecordBatch.from_arrays(taken, names=names)
