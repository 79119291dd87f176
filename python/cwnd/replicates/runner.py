# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs over threads. The native module simulates without the interpreter's lock, so threads are as good as processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from functools import partial
from typing import Generic, TypeVar

from cwnd._native import Scenario, Simulation
from cwnd.result import Result, run

T = TypeVar("T")
#: Called now and then by a thread that works on a seed.
Watch = Callable[[int, Simulation], None]
#: Raises `StoppedError` when the program is to end.
Check = Callable[[], None]
#: Makes of a finished run what is kept of it; calls its last argument now and then.
Finish = Callable[[int, Result, Check], T]


class StoppedError(Exception):
    """The run was given up because the program is to end."""


class Outcome(Generic[T]):
    """What came of the tasks: `done` by their numbers, and whether Ctrl-C ended it before all were."""

    def __init__(self, done: Mapping[int, T], *, stopped: bool) -> None:
        self.done = dict(done)
        self.stopped = stopped


def run_all(scenarios: Mapping[int, Scenario], jobs: int, finish: Finish[T], watch: Watch | None = None) -> Outcome[T]:
    """Simulates the scenarios, given by seed, on `jobs` threads; Ctrl-C and exceptions as `spread` has them."""

    def one(seed: int, scenario: Scenario, check: Check) -> T:
        def between(simulation: Simulation) -> None:
            check()
            if watch is not None:
                watch(seed, simulation)

        return finish(seed, run(scenario, between), check)

    return spread({seed: partial(one, seed, scenario) for seed, scenario in scenarios.items()}, jobs)


def spread(tasks: Mapping[int, Callable[[Check], T]], jobs: int) -> Outcome[T]:
    """Does the tasks, in their order, on `jobs` threads. Each calls its argument now and then, which may raise `StoppedError`.

    Ctrl-C gives up those in progress within hundredths of a second and keeps the finished ones. When one raises, the
    others are given up and the exception goes on.
    """
    stop = threading.Event()

    def check() -> None:
        if stop.is_set():
            raise StoppedError

    def one(task: Callable[[Check], T]) -> T:
        check()
        try:
            return task(check)
        except BaseException:
            # Here, not where it is heard of: this thread would have begun the next task by then.
            stop.set()
            raise

    futures: dict[int, Future[T]] = {}
    stopped = False
    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="cwnd")
    try:
        for number, task in tasks.items():
            futures[number] = pool.submit(one, task)
        for future in as_completed(futures.values()):
            # One that another's fault has stopped may be heard of before that fault.
            if not given_up(future):
                future.result()
    except KeyboardInterrupt:
        stopped = True
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
    ended = {number: future for number, future in futures.items() if future.done() and not future.cancelled()}
    return Outcome(
        {number: future.result() for number, future in ended.items() if not given_up(future)}, stopped=stopped
    )


def given_up(future: Future[T]) -> bool:
    """Whether the run was given up; any other exception of it is raised."""
    return isinstance(future.exception(), StoppedError)
