# SPDX-License-Identifier: MIT OR Apache-2.0
"""Background tasks: submitted as values, their results taken as they complete.

`Threads` is the executor of this machine. The native module releases the interpreter's lock while it simulates; measures of runs hold it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from cwnd.result.lanes import Engine

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
#: Called by whatever runs a task with the task's number, its packets so far, and the part of it that is done, 0 to 1.
Watch = Callable[[int, int, float], None]
#: The part of a task that is done when its simulation is over: what remains is to reduce it.
SIMULATED = 0.999


class StoppedError(Exception):
    """The task was given up because the program is to end."""


class Context(Protocol):
    """What an executor gives to a task that it runs."""

    def check(self) -> None:
        """Raises `StoppedError` if the task is to be given up. A task calls it about every 10 ms of work."""

    def report(self, packets: int, part: float) -> None:
        """Takes the task's packets so far and the part of it that is done, 0 to 1. Only 1 says that it is done."""


class Task(Protocol[T_co]):
    """Work as a value. The task and its result can be pickled: an executor may run it in another process."""

    def run(self, context: Context) -> T_co:
        """Does the work. Whatever it raises ends all tasks of the executor."""


class Executor(Protocol[T]):
    """Runs tasks, each known by its number."""

    def submit(self, number: int, task: Task[T]) -> None:
        """Adds a task. Tasks are begun in the order in which they are submitted."""

    def as_completed(self) -> Iterator[tuple[int, T]]:
        """The results with their tasks' numbers, each as soon as it is there. A result is delivered once the next one is asked for.

        If a task raises, the tasks in progress are given up and no other is begun; its exception is raised after the last result.
        After `stop`, the results that are there and not delivered yet.
        """

    def stop(self) -> None:
        """Gives up every task that is not done; returns when none is in progress. Nothing is submitted afterwards."""


def run_all(executor: Executor[T], tasks: Mapping[int, Task[T]], take: Callable[[int, T], None]) -> bool:
    """Runs the tasks in their order; `take` is called here with each result, in the order in which they complete.

    Ctrl-C gives up the tasks in progress within hundredths of a second; `take` still gets the results of those that were done. Returns
    whether it did. If a task or `take` raises, the other tasks are given up and the exception is raised.
    """
    stopped = False
    try:
        for number, task in tasks.items():
            executor.submit(number, task)
        for number, result in executor.as_completed():
            take(number, result)
    except KeyboardInterrupt:
        stopped = True
        executor.stop()
        for number, result in executor.as_completed():
            take(number, result)
    finally:
        executor.stop()
    return stopped


def simulating(context: Context) -> Callable[[Engine], None]:
    """The `progress` of a simulation in a task."""

    def progress(engine: Engine) -> None:
        context.check()
        context.report(engine.packets, min(engine.progress, SIMULATED))

    return progress


@dataclass(frozen=True, slots=True)
class ThreadContext:
    """The context of a task in a thread of this process."""

    number: int
    stop: threading.Event
    watch: Watch | None

    def check(self) -> None:
        if self.stop.is_set():
            raise StoppedError

    def report(self, packets: int, part: float) -> None:
        if self.watch is not None:
            self.watch(self.number, packets, part)


class Threads(Generic[T]):
    """An executor with `jobs` threads; they call `watch`."""

    def __init__(self, jobs: int, watch: Watch | None = None) -> None:
        self._watch = watch
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="cwnd")
        #: How many tasks are in progress. The pool does not know it: Ctrl-C while it starts a thread leaves that one out of its list.
        self._in_progress = 0
        self._ended = threading.Condition()
        #: Numbers of the tasks whose results are not delivered yet.
        self._pending: dict[Future[T], int] = {}

    def submit(self, number: int, task: Task[T]) -> None:
        self._pending[self._pool.submit(self._run, number, task)] = number

    def _run(self, number: int, task: Task[T]) -> T:
        context = ThreadContext(number, self._stop, self._watch)
        with self._ended:
            context.check()
            self._in_progress += 1
        try:
            return task.run(context)
        except BaseException:
            # Set here, in the task's thread: before the main thread sees the exception, this one would begin the next task.
            self._stop.set()
            raise
        finally:
            with self._ended:
                self._in_progress -= 1
                self._ended.notify_all()

    def as_completed(self) -> Iterator[tuple[int, T]]:
        failure: BaseException | None = None
        for future in as_completed(list(self._pending)):
            error = future.exception()
            if error is None:
                yield self._pending[future], future.result()
                del self._pending[future]
            elif failure is None and not isinstance(error, StoppedError):
                failure = error
        if failure is not None:
            raise failure

    def stop(self) -> None:
        self._stop.set()
        with self._ended:
            self._ended.wait_for(lambda: self._in_progress == 0)
        # A task that has not begun ends at its first check.
        self._pool.shutdown()
