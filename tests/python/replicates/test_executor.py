# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tasks and executors: what is delivered and in which order, what ends them, and that a task is a value that can go elsewhere."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from collections.abc import Collection, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed, wait
from dataclasses import dataclass
from pathlib import Path

import pytest

import cwnd
from cwnd.replicates import executor as executors
from cwnd.replicates.api import with_seeds
from cwnd.replicates.executor import Context, StoppedError, Task, Threads, run_all
from cwnd.replicates.runner import SeedRun
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.experiment import Setup
from cwnd.reproduce.runner import Task as PointTask
from cwnd.reproduce.runner import WantedNumbers, column


@dataclass
class Gate:
    """A task that waits for its gate, and gives a word."""

    word: str
    gate: threading.Event

    def run(self, context: Context) -> str:
        while not self.gate.wait(0.01):
            context.check()
        context.report(1, 1.0)
        return self.word


@dataclass
class Failing:
    """A task that raises."""

    def run(self, context: Context) -> str:
        raise OSError(28, "No space left on device")


def opened() -> threading.Event:
    gate = threading.Event()
    gate.set()
    return gate


def test_results_come_as_they_complete_and_progress_by_number() -> None:
    late, reported, taken = threading.Event(), [], []

    def take(number: int, word: str) -> None:
        taken.append((number, word))
        late.set()

    watch = lambda number, packets, part: reported.append((number, packets, part))  # noqa: E731
    stopped = run_all(Threads[str](2, watch), {7: Gate("late", late), 3: Gate("soon", opened())}, take)
    assert (taken, stopped) == ([(3, "soon"), (7, "late")], False)
    assert reported == [(3, 1, 1.0), (7, 1, 1.0)]


# Two threads: one task is done, one waits for ever, one has not begun.
def test_ctrl_c_keeps_what_is_done_and_gives_up_the_rest() -> None:
    taken: list[int] = []

    def take(number: int, word: str) -> None:
        taken.append(number)
        if len(taken) == 1:
            raise KeyboardInterrupt

    never = threading.Event()
    tasks = {1: Gate("done", opened()), 2: Gate("given up", never), 3: Gate("given up", never)}
    assert run_all(Threads[str](2), tasks, take)
    # Delivered again: the first time was not known to have come to its end.
    assert taken == [1, 1]


def test_ctrl_c_while_a_thread_starts_gives_up_its_task_too(monkeypatch: pytest.MonkeyPatch) -> None:
    start = threading.Thread.start

    @dataclass
    class Slow:
        begun: threading.Event
        ended: threading.Event

        def run(self, context: Context) -> str:
            self.begun.set()
            time.sleep(0.2)  # work between two checks
            self.ended.set()
            context.check()
            return "never"

    slow = Slow(threading.Event(), threading.Event())

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        assert slow.begun.wait(60)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    assert run_all(Threads[str](1), {1: slow}, {}.__setitem__)
    assert slow.ended.is_set()


def test_the_error_of_one_task_gives_up_the_others_and_is_raised_after_what_is_done() -> None:
    taken: dict[int, str] = {}
    tasks: dict[int, Task[str]] = {1: Gate("done", opened()), 2: Failing(), 3: Gate("given up", threading.Event())}
    with pytest.raises(OSError, match="No space left"):
        run_all(Threads[str](1), tasks, taken.__setitem__)
    assert taken == {1: "done"}


def test_an_error_in_taking_a_result_gives_up_the_tasks() -> None:
    def take(number: int, word: str) -> None:
        raise OSError("the disk is gone")

    before = set(threading.enumerate())
    with pytest.raises(OSError, match="the disk"):
        run_all(Threads[str](2), {1: Gate("done", opened()), 2: Gate("given up", threading.Event())}, take)
    # Some of an earlier test may have ended meanwhile.
    assert set(threading.enumerate()) <= before


def test_after_a_failure_nothing_more_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []

    @dataclass
    class Numbered:
        number: int

        def run(self, context: Context) -> int:
            begun.append(self.number)
            if self.number == 3:
                raise OSError(28, "No space left on device")
            return self.number

    # The main thread, on a busy machine, hears of it when all the others have had their turn.
    def late(futures: Collection[Future[int]]) -> Iterator[Future[int]]:
        wait(futures)
        return iter(futures)

    monkeypatch.setattr(executors, "as_completed", late)
    taken: dict[int, int] = {}
    with pytest.raises(OSError, match="No space left"):
        run_all(Threads[int](1), {number: Numbered(number) for number in range(1, 7)}, taken.__setitem__)
    assert begun == [1, 2, 3] and taken == {1: 1, 2: 2}


class Silent:
    """The context of a task that nobody watches or stops."""

    def check(self) -> None: ...

    def report(self, packets: int, part: float) -> None: ...


def run_there(task: Task[object]) -> object:
    return task.run(Silent())


class OtherProcess:
    """An executor whose tasks and results go through a pickle, as those of a cluster do."""

    def __init__(self) -> None:
        self._pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self._futures: dict[Future[object], int] = {}

    def submit(self, number: int, task: Task[object]) -> None:
        self._futures[self._pool.submit(run_there, task)] = number

    def as_completed(self) -> Iterator[tuple[int, object]]:
        for future in as_completed(self._futures):
            yield self._futures[future], future.result()

    def stop(self) -> None:
        self._pool.shutdown(cancel_futures=True)


def test_seeds_and_points_run_in_another_process_as_in_a_thread(tmp_path: Path) -> None:
    scenario = cwnd.dumbbell({"cubic": 2}, rate="20Mbit/s", rtt="20ms", duration="2s")
    tasks: dict[int, Task[object]] = {
        seed: SeedRun(each, tmp_path / f"{seed}") for seed, each in with_seeds(scenario, 2).items()
    }
    points: dict[str, PointTask] = {}
    column(experiments()["ha2008/eq1-2"], Setup("cubic-2.2"), points)
    tasks |= dict(enumerate(list(points.values())[:2], start=10))
    there: dict[int, object] = {}
    here: dict[int, object] = {}
    run_all(OtherProcess(), tasks, there.__setitem__)
    run_all(Threads[object](1), tasks, here.__setitem__)

    def plain(outcome: object) -> object:
        # Of a point, but for the processor time.
        return outcome if isinstance(outcome, dict) else (outcome.numbers, outcome.failures)  # type: ignore[attr-defined]

    assert {number: plain(outcome) for number, outcome in there.items()} == {
        number: plain(outcome) for number, outcome in here.items()
    }
    assert here[1] == cwnd.replicate(scenario, 2, 1).document["runs"][0]  # type: ignore[index]
    assert isinstance(cwnd.load(tmp_path / "2"), cwnd.Result)


def test_every_point_of_every_experiment_can_be_pickled() -> None:
    for experiment in experiments().values():
        for point in experiment.points(Setup(experiment.cubic or "cubic")):
            task = PointTask(1.0, wants=[WantedNumbers(experiment, point, "name")])
            (want,) = pickle.loads(pickle.dumps(task)).wants
            assert (want.experiment.id, want.point) == (experiment.id, point)


def test_a_task_that_is_given_up_is_no_error() -> None:
    @dataclass
    class GivingUp:
        def run(self, context: Context) -> str:
            raise StoppedError

    assert not run_all(Threads[str](1), {1: GivingUp()}, lambda number, word: pytest.fail(word))
