# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replaying a recorded trace of hook calls on one of our algorithms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cwnd._native import Replay

# The traces were recorded on kernels whose tick counter runs at this rate, unless said otherwise.
TICK_HZ = 250
ROWS_PER_BATCH = 50_000


class TraceError(ValueError):
    """A file that is no trace; the message is one line."""


def replay(path: str | Path, cc: str, tick_hz: int = TICK_HZ) -> dict[str, Any]:
    """Feeds every row of a trace to `cc` and counts where it does otherwise.

    The trace has the columns of `vectors/golden/README.md`. Returns `calls`, `differences`, the `first` difference
    in words (None without one), how often the state was `loaded` from the recorded private words (at the first row if it
    is not `init`, and where calls are missing from the record), and `state_differences`: rows after which the
    algorithm's inner state was not the recorded one (None if the algorithm does not read it).
    """
    run = Replay(cc, tick_hz)
    try:
        file = pq.ParquetFile(path)
        for batch in file.iter_batches(batch_size=ROWS_PER_BATCH):
            columns = [
                column.cast(pa.string()) if name == "hook" else pc.cast(column, pa.int64(), safe=False)
                for name, column in zip(batch.schema.names, batch.columns)
            ]
            run.feed(pa.RecordBatch.from_arrays(columns, names=batch.schema.names))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise TraceError(f'TRACE: "{path}" is not accepted; expected a recorded trace in Parquet: {error}') from None
    except ValueError as error:
        raise TraceError(f'TRACE: "{path}" is not accepted; {error}') from None
    return {
        "calls": run.calls,
        "differences": run.differences,
        "first": run.first,
        "loaded": run.loaded,
        "state_differences": run.state_differences,
    }
