# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs over threads. The native module releases the interpreter's lock, so threads are as fast as processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from typing import Generic, TypeVar

from cwnd._native import Scenario, Simulation
from cwnd.result import Result, run

T = TypeVar("T")
#: Called repeatedly by the thread that simulates a seed.
Watch = Callable[[int, Simulation], None]
#: Raises `StoppedError` if the run is to be given up.
StopCheck = Callable[[], None]
#: Reduces a finished run to its document; calls its last argument repeatedly.
Finish = Callable[[int, Result, StopCheck], T]


class StoppedError(Exception):
    """The run was given up because the program is to end."""


class TaskOutcomes(Generic[T]):
    """The results of the tasks that are done, by number, and whether Ctrl-C ended the work before all were done."""

    def __init__(self, done: Mapping[int, T], *, stopped: bool) -> None:
        self.done = dict(done)
        self.stopped = stopped


def run_all(
    scenarios: Mapping[int, Scenario], jobs: int, finish: Finish[T], watch: Watch | None = None
) -> TaskOutcomes[T]:
    """Simulates the scenarios, given by seed, on `jobs` threads; Ctrl-C and exceptions as in `run_on_threads`."""

    def run_seed(seed: int, scenario: Scenario, check: StopCheck) -> T:
        def between(simulation: Simulation) -> None:
            check()
            if watch is not None:
                watch(seed, simulation)

        return finish(seed, run(scenario, between), check)

    return run_on_threads({seed: partial(run_seed, seed, scenario) for seed, scenario in scenarios.items()}, jobs)


def run_on_threads(tasks: Mapping[int, Callable[[StopCheck], T]], jobs: int) -> TaskOutcomes[T]:
    """Runs the tasks, in their order, on `jobs` threads. Each calls its argument repeatedly, which may raise `StoppedError`.

    Ctrl-C gives up the tasks in progress within hundredths of a second and keeps the results of the finished ones. If a task raises,
    the others are given up and the exception is raised.
    """
    stop = threading.Event()

    def check() -> None:
        if stop.is_set():
            raise StoppedError

    def run_task(task: Callable[[StopCheck], T]) -> T:
        check()
        try:
            return task(check)
        except BaseException:
            # Set here, in the task's thread: before the main thread sees the exception, this one would begin the next task.
            stop.set()
            raise

    futures: dict[int, Future[T]] = {}
    stopped = False
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="cwnd")
    try:
        for number, task in tasks.items():
            futures[number] = pool.submit(run_task, task)
        for future in as_completed(futures.values()):
            # A task that was given up may complete before the task that raised.
            if not given_up(future):
                future.result()
    except KeyboardInterrupt:
        stopped = True
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    ended = {number: future for number, future in futures.items() if future.done() and not future.cancelled()}
    return TaskOutcomes(
        {number: future.result() for number, future in ended.items() if not given_up(future)}, stopped=stopped
    )


def given_up(future: Future[T]) -> bool:
    """Whether the run was given up; any other exception of it is raised."""
    return isinstance(future.exception(), StoppedError)
