# SPDX-License-Identifier: MIT OR Apache-2.0
"""The runs of a study on the workers of a Dask cluster: the same runs, the same numbers as on threads.

Runs go to the workers in batches. Dask repeats the batches of a worker that ends. A worker whose cwnd is another build, whose numbers
would be kept under the names of this one's, is refused. Plugins are sent to the workers.
"""

from __future__ import annotations

import pickle
import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from cwnd._internal.input_errors import refused
from cwnd._native import __version__
from cwnd.plugin import crate
from cwnd.replicates.executor import Executor, Task, Watch
from cwnd.study.batches import batches
from cwnd.study.runner import Executors
from cwnd.study.task import Outcome

if TYPE_CHECKING:
    from distributed import Client, Future

    from cwnd.study.dask_worker import Build

EXPECTED = "a Dask scheduler's address, such as tcp://127.0.0.1:8786, or its file (.json)"
ADDRESS = re.compile(r"(?:[a-z]+://)?[^/]+:\d+")
#: How long a scheduler may take to answer, s.
CONNECT_S = 10
#: How long nothing is said of that, s.
SILENT_S = 2.0
#: How many batches the scheduler has at a time: enough for a large cluster, few enough for its memory.
MOST_SUBMITTED = 2000
#: Workers that a cluster without any is taken to get.
EXPECTED_WORKERS = 16
#: Shows the progress of the runs of a round, whose costs are given by their numbers.
Shown = Callable[[dict[int, float]], AbstractContextManager[Watch | None]]


class DaskExecutor:
    """An executor over the workers of a cluster. Its results come batch by batch."""

    def __init__(self, client: Client, build: Build, costs: Mapping[int, float], watch: Watch | None) -> None:
        self._client, self._build, self._costs, self._watch = client, build, costs, watch
        self._tasks: dict[int, Task[Outcome]] = {}
        #: The numbers of each batch that the cluster has, without those that are delivered.
        self._pending: dict[Future, list[int]] = {}
        #: What the batches came to that were done at `stop`.
        self._ended: list[tuple[list[int], list[Outcome]]] | None = None
        self._name = f"cwnd-sweep-{uuid.uuid4().hex[:8]}"
        self._sent = 0

    def submit(self, number: int, task: Task[Outcome]) -> None:
        self._tasks[number] = task

    def as_completed(self) -> Iterator[tuple[int, Outcome]]:
        import distributed

        if self._ended is not None:
            for numbers, outcomes in self._ended:
                yield from self._deliver(numbers, outcomes)
            return
        workers = sum(self._client.nthreads().values()) or EXPECTED_WORKERS
        waiting = batches(self._tasks, self._costs, workers)
        first = [self._send(numbers) for numbers, _ in zip(waiting, range(MOST_SUBMITTED))]
        ended = distributed.as_completed(first, loop=self._client.loop)
        for future in ended:
            numbers = self._pending[future]
            try:
                outcomes = future.result()
            except distributed.KilledWorker:
                # Some run may need more memory than any worker has: the others of its batch are to be done.
                half = len(numbers) // 2
                if half:
                    ended.update([self._send(numbers[:half]), self._send(numbers[half:])])
                else:
                    yield from self._deliver(numbers, [Outcome(None, "every worker that started this run ended")])
            except Exception as error:
                raise self._failure(error) from error
            else:
                yield from self._deliver(numbers, outcomes)
            del self._pending[future]
            if following := next(waiting, None):
                ended.add(self._send(following))

    def _send(self, numbers: list[int]) -> Future:
        from cwnd.study.dask_worker import run_batch

        self._sent += 1
        key = f"{self._name}-{self._sent}"
        # The scheduler reads arguments: as bytes, scenarios with a plugin's algorithm, which it does not have, too.
        tasks = pickle.dumps([self._tasks[number] for number in numbers])
        future = self._client.submit(run_batch, self._build, tasks, key=key, pure=False)
        self._pending[future] = numbers
        return future

    def _deliver(self, numbers: list[int], outcomes: Sequence[Outcome]) -> Iterator[tuple[int, Outcome]]:
        """The results of a batch that are not delivered yet: one whose reader was interrupted is delivered again."""
        for outcome in outcomes[len(outcomes) - len(numbers) :]:
            yield numbers[0], outcome
            if self._watch is not None:
                self._watch(numbers[0], outcome.numbers["packets"] if outcome.numbers else 0, 1.0)
            del numbers[0]

    def _failure(self, error: Exception) -> Exception:
        """The message for a batch without results."""
        from concurrent.futures import CancelledError

        from cwnd.study.dask_worker import OtherBuildError

        address = address_of(self._client)
        if isinstance(error, OtherBuildError):
            return refused("dask", address, f"workers with this build of cwnd; {error}")
        if isinstance(error, CancelledError):
            return ConnectionError(f"dask: the scheduler at {address} ended; finished runs are kept")
        text = " ".join(str(error).split())
        if isinstance(error, ImportError):
            return refused("dask", address, f"workers with cwnd {__version__}; one has not: {text}")
        if "deserialization" in text:
            return refused("dask", address, f"a scheduler with cwnd {__version__} too, because it reads the tasks")
        return error

    def stop(self) -> None:
        if self._ended is not None:
            return
        self._ended = []
        for future, numbers in self._pending.items():
            if future.status == "finished":
                # Of a cluster that is gone nothing comes any more.
                with suppress(Exception):
                    self._ended.append((numbers, future.result(timeout=CONNECT_S)))
        others = [future for future in self._pending if future.status == "pending"]
        if others and self._client.status == "running":
            self._client.cancel(others)
        self._pending.clear()


def address_of(client: Client) -> str:
    """The address of a client's scheduler."""
    return str(client.scheduler.address) if client.scheduler is not None else "?"


@contextmanager
def connected(given: object, tell: Callable[[str], None]) -> Iterator[Client]:
    """A client of the scheduler at an address, closed at the end; or the client that was given."""
    try:
        import distributed
    except ImportError:
        raise refused("dask", given, "Dask to be installed: pip install 'cwnd[dask]'") from None
    if isinstance(given, distributed.Client):
        if given.asynchronous or given.status != "running":
            raise refused("dask", given, "a distributed.Client that is connected, and not asynchronous")
        yield given
        return
    if not isinstance(given, str) or not given:
        raise refused("dask", given, f"{EXPECTED}, or a distributed.Client")
    where = {"scheduler_file": given} if given.endswith(".json") else {"address": given}
    if "address" in where and ADDRESS.fullmatch(given) is None:
        raise refused("dask", given, EXPECTED)
    if "scheduler_file" in where and not Path(given).is_file():
        raise refused("dask", given, "an existing scheduler file")
    slow = threading.Timer(SILENT_S, tell, [f"no answer from {given} yet; waiting for {CONNECT_S} s"])
    slow.daemon = True
    slow.start()
    try:
        client = distributed.Client(**where, timeout=CONNECT_S, set_as_default=False)
    except OSError:
        raise ConnectionError(f"dask: no scheduler answers at {given} within {CONNECT_S} s") from None
    finally:
        slow.cancel()
    try:
        yield client
    finally:
        client.close()


@contextmanager
def on_dask(given: object, shown: Shown, tell: Callable[[str], None]) -> Iterator[Executors]:
    """Executors over the workers of the cluster that `given` leads to: an address, a scheduler's file, or a `distributed.Client`.

    `tell` reports a cluster without workers: its runs begin when workers join. Raises `ScenarioError`, and `ConnectionError` where no scheduler answers.
    """
    with connected(given, tell) as client:
        from cwnd.study.dask_worker import Build, Libraries

        if crate.LOADED:
            client.register_plugin(Libraries())
        if not client.nthreads():
            tell(f"the scheduler at {address_of(client)} has no workers yet; the runs begin when some join")

        @contextmanager
        def executor(costs: dict[int, float]) -> Iterator[Executor[Outcome]]:
            with shown(costs) as watch:
                yield DaskExecutor(client, Build.here(), costs, watch)

        yield executor
