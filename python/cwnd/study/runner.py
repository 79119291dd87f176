# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a study: what is missing of each point, and more seeds where an interval is still too wide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cwnd._native import Scenario, ScenarioError
from cwnd.replicates.executor import Executor, Threads, Watch, run_all
from cwnd.replicates.rows import RunNumbers, failure_of
from cwnd.replicates.tables import by_number
from cwnd.scenario.flow import Value
from cwnd.study.constants import fixed_settings
from cwnd.study.folder import StudyFolder
from cwnd.study.points import Points, key_of
from cwnd.study.results import Failed, Study
from cwnd.study.settings import Settings
from cwnd.study.tables import over_seeds, tidy
from cwnd.study.task import Outcome, PointRun

#: A run, by the number of its point and that of its seed, from 0 on.
Run = tuple[int, int]
#: Makes the executor of the runs of a round, whose costs are given by their numbers.
Executors = Callable[[dict[int, float]], AbstractContextManager[Executor[Outcome]]]


@dataclass(slots=True)
class StudyRun:
    """A study in progress."""

    points: Points
    settings: Settings
    folder: StudyFolder | None = None
    runs: dict[Run, RunNumbers] = field(default_factory=dict)
    failed: dict[Run, str] = field(default_factory=dict)
    #: How many seeds each point is to have.
    wanted: dict[int, int] = field(default_factory=dict)
    found: int = 0
    keys: dict[Run, str] = field(default_factory=dict)
    #: Whether Ctrl-C ended it.
    stopped: bool = False

    def __post_init__(self) -> None:
        self.wanted = {point.number: self.settings.first for point in self.points.points if point.scenario is not None}

    def scenario(self, run: Run) -> Scenario:
        """The scenario of a run."""
        return self.base(run).with_seed(self.seed(run))

    def base(self, run: Run) -> Scenario:
        """The scenario of a run's point."""
        base = self.points.points[run[0]].scenario
        assert base is not None
        return base

    def seed(self, run: Run) -> int:
        """The seed of a run."""
        return self.base(run).seed + run[1]

    def key(self, run: Run) -> str:
        if run not in self.keys:
            self.keys[run] = key_of(self.scenario(run), self.settings.lane)
        return self.keys[run]

    def is_ours(self, run: Run) -> bool:
        """Whether the run belongs to this shard. The runs of a point take equally long, so they go to different shards."""
        number, count = self.settings.shard
        return (run[0] * 7919 + run[1]) % count == number - 1

    def missing(self) -> list[Run]:
        """The runs that are wanted and not done. What an earlier command has done is taken from the folder."""
        found = []
        for point, seeds in self.wanted.items():
            for run in ((point, offset) for offset in range(seeds)):
                if run in self.runs or run in self.failed:
                    continue
                try:
                    numbers = self.folder.get(self.key(run)) if self.folder is not None else None
                except ScenarioError as error:  # a seed that is too large
                    self.failed[run] = str(error)
                    continue
                if numbers is not None:
                    self.runs[run] = numbers
                    self.found += 1
                elif self.is_ours(run):
                    found.append(run)
        return found

    def take(self, run: Run, outcome: Outcome) -> None:
        """Saves the outcome of a run."""
        if outcome.numbers is None:
            self.failed[run] = outcome.why
            if self.folder is not None:
                self.folder.put_failed(self.key(run), outcome.why)
            return
        self.runs[run] = outcome.numbers
        if self.folder is not None:
            self.folder.put(self.key(run), outcome.numbers)

    def take_of(self, runs: Sequence[Run], number: int, outcome: Outcome) -> None:
        """Saves the outcome of the run with this number."""
        self.take(runs[number], outcome)

    def widen(self) -> bool:
        """Gives more seeds to the points whose intervals are too wide; returns whether there are any."""
        until, changed = self.settings.until, False
        if until is None or not self.runs:
            return False
        series = by_number(self.runs)
        until.check({row.measure for rows in series.values() for row, *_ in rows})
        for point, rows in series.items():
            # A seed that failed once would fail again.
            if any(run[0] == point for run in self.failed):
                continue
            seeds = until.seeds(rows, self.wanted[point], self.settings.most_seeds)
            changed |= seeds > self.wanted[point]
            self.wanted[point] = seeds
        return changed

    def go(self, executors: Executors) -> None:
        """Runs what is missing, round by round, until Ctrl-C or the end."""
        while not self.stopped:
            missing = self.missing()
            if missing:
                tasks = {number: PointRun(self.scenario(run), self.settings.lane) for number, run in enumerate(missing)}
                costs = {number: cost(task.scenario) for number, task in tasks.items()}
                with executors(costs) as executor:
                    self.stopped = run_all(executor, tasks, partial(self.take_of, missing))
            if self.stopped or not self.widen():
                return

    def study(self) -> Study:
        """What is done of it."""
        points = self.points
        numbered = {(run[0], self.seed(run)): numbers for run, numbers in self.runs.items()}
        refused = [
            Failed(factors=point.factors, seed=None, why=point.why, ended=False)
            for point in points.points
            if point.scenario is None
        ]
        ended = {run: why for run, numbers in self.runs.items() if (why := failure_of(numbers)) is not None}
        failed = [
            Failed(factors=points.points[run[0]].factors, seed=self.seed(run), why=why, ended=run in ended)
            for run, why in sorted((self.failed | ended).items())
        ]
        asked = sum(self.wanted.values())
        return Study(
            list(points.names.values()),
            tidy(points, numbered),
            over_seeds(points, numbered),
            [*refused, *failed],
            asked,
            len(self.runs),
            self.found,
            self.stopped or len(self.runs) + len(self.failed) < asked,
            fixed_settings(points),
            self.wide(),
        )

    def wide(self) -> list[dict[str, Value]]:
        """The points that have an interval wider than `until` asks."""
        until = self.settings.until
        if until is None:
            return []
        return [
            self.points.points[point].factors for point, rows in by_number(self.runs).items() if until.too_wide(rows)
        ]


def cost(scenario: Scenario) -> float:
    """The cost of a run, from the packets that its link can carry."""
    return scenario.duration_s * scenario.packets_per_s


def on_threads(
    jobs: int, watch: Callable[[dict[int, float]], AbstractContextManager[Watch | None]] | None = None
) -> Executors:
    """Executors that run on so many threads of this machine."""

    class Pool(AbstractContextManager["Executor[Outcome]"]):
        def __init__(self, costs: dict[int, float]) -> None:
            self.bar = watch(costs) if watch is not None else nullcontext()

        def __enter__(self) -> Executor[Outcome]:
            return Threads(jobs, self.bar.__enter__())

        def __exit__(self, *error: object) -> None:
            self.bar.__exit__(*error)  # type: ignore[arg-type]

    return Pool


def run_study(run: StudyRun, executors: Executors) -> Study:
    """Runs a study, and writes its tables where it has a folder. A shard of several only adds runs: its parts write to the folder at once."""
    folder, is_whole = run.folder, run.settings.shard[1] == 1
    with folder.locked(alone=is_whole) if folder is not None else nullcontext():
        if folder is not None:
            folder.describe(run.points, run.settings.document(), is_part=not is_whole)
        run.go(executors)
        study = run.study()
        if folder is not None and is_whole:
            folder.conclude(study)
    return study


def gathered(run: StudyRun, parts: Sequence[Path]) -> Study:
    """The study of the runs that are in the folders of its parts, whose tables are written; runs nothing."""
    assert run.folder is not None
    with run.folder.locked(alone=True):
        run.folder.describe(run.points, run.settings.document(), is_part=False)
        run.folder.adopt(parts)
        is_all = True
        while is_all:
            for left in run.missing():
                why = run.folder.why_failed(run.key(left))
                if why is not None:
                    run.failed[left] = why
                is_all &= why is not None
            # Seeds that `until` has added are there too.
            is_all &= run.widen()
        study = run.study()
        run.folder.conclude(study)
    return study
