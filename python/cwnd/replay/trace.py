# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replays a recorded trace of hook calls on an algorithm of cwnd."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from cwnd._internal.parquet_files import NoResultError, parquet_file
from cwnd._native import Replay, ScenarioError
from cwnd.replay.vectors import Outcome as VectorOutcome

# Rate of the recorded kernels' tick counter, unless the trace has another.
TICK_HZ = 250
ROWS_PER_BATCH = 50_000


class TraceError(ValueError):
    """The file is not a trace; the message is one line."""


class Outcome(VectorOutcome):
    """What a replay counted: see `replay`."""

    loaded: int
    state_differences: int | None
    states_compared: int
    pacing_compared: int


def replay(path: str | Path, cc: str, tick_hz: int = TICK_HZ, params: list[tuple[str, str]] | None = None) -> Outcome:
    """Feeds every row of a trace to `cc` and counts the calls with other results.

    The trace has the columns of `vectors/golden/README.md`, and optionally `connection` and `tick_hz`;
    each connection is replayed on its own instance, with `params` (name, value).
    Returns `calls`, `differences`, the `first` difference in words (None without one), how often the state was `loaded` from the
    recorded private words (at the first row if it is not `init`, and where calls are missing from the record), and
    `state_differences`: rows after which the algorithm's inner state was not that of the kernel's own module (None if there is
    none, or the algorithm does not read it).
    Window, threshold, progress and result are compared after every call; `pacing_compared` and `states_compared` count the calls
    after which pacing (rate and status) and the bytes of the state were compared too: all, in a trace of an algorithm of ours.
    """
    try:
        with parquet_file(Path(path)) as file:
            runs = replays(file.batches(ROWS_PER_BATCH), cc, tick_hz, params or [])
    except (NoResultError, pa.ArrowException) as error:
        raise TraceError(f'TRACE: "{path}" is not accepted; expected a recorded trace in Parquet: {error}') from None
    except ScenarioError:
        raise
    except ValueError as error:
        raise TraceError(f'TRACE: "{path}" is not accepted; {error}') from None
    return outcome_of(runs)


def replays(
    batches: Iterable[pa.RecordBatch], cc: str, tick_hz: int, params: list[tuple[str, str]]
) -> dict[int, Replay]:
    """Feeds the rows of a trace to `cc`, each connection's to its own instance; returns these by connection."""
    runs: dict[int, Replay] = {}
    for batch in batches:
        used_columns = {name: batch.column(name) for name in batch.schema.names if is_replayed(name)}
        columns = [column_of(name, column) for name, column in used_columns.items()]
        rows = pa.RecordBatch.from_arrays(columns, names=list(used_columns))
        for connection, part in by_connection(rows):
            if connection not in runs:
                runs[connection] = Replay(cc, recorded_hz(part) or tick_hz, params)
            runs[connection].feed(part)
    return runs


def is_replayed(column: str) -> bool:
    """Whether a replay reads this column: it takes neither the state before a call nor rate samples."""
    return column != "state_before" and not column.startswith("rs_")


def outcome_of(runs: dict[int, Replay]) -> Outcome:
    """What the replays of all connections counted together."""
    firsts = [
        run.first if len(runs) == 1 else f"connection {connection}, {run.first}"
        for connection, run in runs.items()
        if run.first is not None
    ]
    states = [run.state_differences for run in runs.values() if run.state_differences is not None]
    return {
        "calls": sum(run.calls for run in runs.values()),
        "differences": sum(run.differences for run in runs.values()),
        "first": firsts[0] if firsts else None,
        "loaded": sum(run.loaded for run in runs.values()),
        "state_differences": sum(states) if states else None,
        "states_compared": sum(run.states_compared for run in runs.values()),
        "pacing_compared": sum(run.pacing_compared for run in runs.values()),
    }


def column_of(name: str, column: pa.Array) -> pa.Array:
    """A column as the replay takes it: text, the state's bytes, or 64-bit integers."""
    if name == "hook":
        return column.cast(pa.string())
    return column if pa.types.is_fixed_size_binary(column.type) else pc.cast(column, pa.int64(), safe=False)


def what_is_compared(calls: int, pacing: int, states: int) -> str:
    """What was compared, in words."""
    parts = ["cwnd", "ssthresh", "cwnd_cnt", "result"]
    for part, count in (("pacing rate and status", pacing), ("all bytes of the state", states)):
        if count:
            parts.append(part if count == calls else f"{part} (after {count:,} calls)")
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def by_connection(rows: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """The rows of each connection, in their order; a trace without the column `connection` has one connection."""
    if "connection" not in rows.schema.names:
        yield 0, rows
        return
    column = rows.column("connection")
    for connection in pc.unique(column).to_pylist():
        yield connection, rows.filter(pc.equal(column, connection))


def recorded_hz(rows: pa.RecordBatch) -> int:
    """The rate of the tick counter if the trace has it; else 0."""
    if "tick_hz" not in rows.schema.names or not rows.num_rows:
        return 0
    return int(rows.column("tick_hz")[0].as_py())
