# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.qlog`: of a result, or of a folder."""

from __future__ import annotations

import os
from pathlib import Path

from cwnd._internal.input_errors import path_of, refused
from cwnd.load import load
from cwnd.qlog.file import FlowChoice, Progress, write_qlog
from cwnd.qlog.format import NEWEST
from cwnd.result.result import Result


def qlog(
    result: Result | str | os.PathLike[str],
    path: str | os.PathLike[str],
    *,
    flow: FlowChoice = None,
    mss: int | None = None,
    format: str = NEWEST,
    progress: Progress | None = None,
) -> Path:
    """Writes the record of a run as qlog, a JSON text sequence (`.sqlog`), from a `Result` or from the folder of a run or of a kernel trace.

    The table `cwnd` becomes updates of metrics, the table `events` becomes events. Both are read in pieces, so memory does not grow with the run.
    `flow` is a flow's name, its group's label or its number, or several of these; `None` selects all, and `group_id` distinguishes them. A kernel
    trace that does not record its segment size needs `mss` (bytes). `format` is `draft-14`, or `0.3`, which qvis reads. `progress` is called with
    the rows read so far and their total number.

    The file is written completely or not at all, and replaces an earlier qlog. Raises `ScenarioError` for an unknown flow or format, an invalid path
    and a result without samples, `NoResultError` for a folder without a result, `OSError` when writing fails.
    """
    return write_qlog(result_of(result), path, flow=flow, mss=mss, format=format, progress=progress)


def result_of(given: object) -> Result:
    """A result, or that of a folder."""
    if isinstance(given, Result):
        return given
    expected = "a cwnd.Result, or the folder of a run or of a kernel trace"
    if not isinstance(given, str | os.PathLike):
        raise refused("result", given, expected)
    loaded = load(path_of("folder", given))
    if isinstance(loaded, Result):
        return loaded
    seeds = "; each seed of replicates is such a folder" if type(loaded).__name__ == "Replicates" else ""
    raise refused("folder", str(path_of("folder", given)), f"the folder of a run or of a kernel trace{seeds}")
