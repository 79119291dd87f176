# SPDX-License-Identifier: MIT OR Apache-2.0
"""What runs a study: threads of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from cwnd._internal.input_errors import refused
from cwnd.replicates.executor import Watch
from cwnd.result.lanes import SIM
from cwnd.study.runner import Executors, on_threads


def check_dask(dask: object, lane: str, jobs: object) -> None:
    """Refuses what does not go with a cluster."""
    if dask is None:
        return
    if lane != SIM:
        raise refused("dask", dask, f"lane {SIM} with it: lane {lane} runs on this machine")
    if jobs is not None:
        raise refused("jobs", jobs, "no jobs with dask: each worker has its own number of threads")


def engine(
    dask: object,
    threads: int,
    shown: Callable[[dict[int, float]], AbstractContextManager[Watch | None]],
    tell: Callable[[str], None],
) -> AbstractContextManager[Executors]:
    """Executors over the cluster that `dask` leads to (`dask_engine.on_dask`), or over so many threads."""
    if dask is None:
        return nullcontext(on_threads(threads, shown))
    from cwnd.study.dask_engine import on_dask

    return on_dask(dask, shown, tell)
