# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates: one scenario under several seeds, and the document over the runs."""

from __future__ import annotations

import os
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from cwnd._internal.input_errors import path_of, refused, scenario_of
from cwnd._internal.keyword_names import check_keywords
from cwnd._internal.notebook_repr import Displayed
from cwnd._native import FlowGroup, Scenario
from cwnd.replicates.document import ReplicatesDocument, RunDocument, combine
from cwnd.replicates.executor import Threads, Watch, run_all
from cwnd.replicates.folder import ReplicatesFolder
from cwnd.replicates.report import IDENTICAL_RUNS, failed_runs
from cwnd.replicates.rows import RunNumbers, numbers_of
from cwnd.replicates.runner import SeedRun
from cwnd.replicates.tables import mean_table, run_table
from cwnd.result.failures import ConnectionWarning
from cwnd.result.frames import RunsAndMeans
from cwnd.result.lanes import LIVE, SIM, check_lane, kind_of

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd._internal.summary_types import FlowFailure

MOST_SEEDS = 10_000
MOST_JOBS = 256


@dataclass(frozen=True, slots=True)
class Replicates(RunsAndMeans, Displayed):
    """The results of replicates."""

    #: Means and intervals, and each run; `None` when no run ended. What `--json` prints.
    document: ReplicatesDocument | None
    #: Runs that were asked for.
    asked: int
    #: Runs that are done.
    done: int
    #: Runs reused from an earlier call.
    found: int
    #: Whether Ctrl-C ended it before all runs were done.
    stopped: bool

    @classmethod
    def of(cls, document: ReplicatesDocument) -> Replicates:
        """The replicates whose document this is."""
        asked, done = document["asked"], len(document["seeds"])
        return cls(document, asked, done, done, done < asked)

    @property
    def failures(self) -> dict[int, list[FlowFailure]]:
        """By seed, the connections of real stacks that ended by a fault or never opened: `flow`, `time_s`, `has_opened`, `why`."""
        runs = self.document["runs"] if self.document else []
        return {run["seed"]: list(run["failures"]) for run in runs if run.get("failures")}

    @property
    def runs(self) -> pa.Table:
        """A row per run and number, as those of a study: `seed`, `of` what, its `name`, `measure`, `value`, `unit`, `why` there is none."""
        return run_table(self._numbers(), {}, self._labels())

    @property
    def means(self) -> pa.Table:
        """A row per number: the same, and instead of a seed `centre` (mean or median), `value`, `low` and `high` (95 %), `n`, `undefined`."""
        return mean_table(self._numbers(), {}, self._labels())

    def _numbers(self) -> dict[tuple[int, int], RunNumbers]:
        """The numbers of each run, by 0 and its seed."""
        if self.document is None:
            return {}
        # A group's flows have consecutive numbers.
        groups, first = [], 0
        for group in self.document["groups"]:
            flows = range(first, first := first + group["flows"])
            groups.append(FlowGroup(group["name"], group["label"], group["cc"], flows, (0.0, 0.0), None))
        return {(0, run["seed"]): numbers_of(run, groups) for run in self.document["runs"]}

    def _labels(self) -> dict[tuple[int, int], str]:
        """The label of each group of flows, by 0 and its number."""
        groups = self.document["groups"] if self.document else []
        return {(0, number): group["label"] for number, group in enumerate(groups)}

    def __repr__(self) -> str:
        groups = self.document["groups"] if self.document else []
        shown = [f"{group['name']} {group['throughput_mbps']['mean']:.4g} Mbit/s" for group in groups[:6]]
        stopped = ", stopped" if self.stopped else ""
        same = f"; {IDENTICAL_RUNS}" if self.document and self.document["identical"] else ""
        return f"Replicates({self.done} of {self.asked} runs{stopped}; {', '.join(shown) or 'no result'}{same})"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_of(lane: str, jobs: int | None) -> int:
    """The number of runs at a time: one in lane live, because parallel runs would wait for the same processors."""
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS):
        raise refused("jobs", jobs, f"a whole number from 1 to {MOST_JOBS}")
    if kind_of(lane) != LIVE:
        return jobs or processors()
    if jobs not in (None, 1):
        raise refused("jobs", jobs, f"1 in lane {lane}")
    return 1


def with_seeds(scenario: Scenario, seeds: int) -> dict[int, Scenario]:
    """The scenario under its own seed and the next ones; raises `ScenarioError` when these are too large."""
    numbers = range(scenario.seed, scenario.seed + seeds)
    # The last seed first: one that is too large is refused before any scenario is made.
    scenario.with_seed(numbers[-1])
    return {seed: scenario.with_seed(seed) for seed in numbers}


class ReplicateSettings(TypedDict, total=False):
    """More keywords of `cwnd.replicate`."""

    #: replace another result of cwnd in `folder`
    force: bool
    #: where the flows run: `"sim"`, the simulator; `"live"`, the running kernel's TCP (root); `"linux"`, that of a kernel in virtual time (`"linux:6.12"`)
    lane: str


def replicate(
    scenario: Scenario | str | os.PathLike[str],
    seeds: int,
    jobs: int | None = None,
    folder: str | Path | None = None,
    watch: Watch | None = None,
    **settings: Unpack[ReplicateSettings],
) -> Replicates:
    """Runs `scenario`, or the one in the file at this path, with `seeds` consecutive seeds starting at its own, on `jobs` threads (all processors; in lane `live` one run after another).

    These threads call `watch`, if given, with a seed, its packets so far, and the finished part of its run.
    With `folder`, existing runs are not repeated, and every run is written when it ends; with `force` they replace another result.
    Raises `ScenarioError`, `FolderError`, `OSError` when writing fails, and what `cwnd.run` raises in the lane; finished runs stay.
    Warns if several runs are all the same: then nothing in the scenario is random (in Python a `Flow` starts at 0 s by default). Warns
    (`ConnectionWarning`) if connections of real stacks failed: `Replicates.failures`.
    """
    check_keywords(settings, replicate)
    force, lane = settings.get("force", False), settings.get("lane", SIM)
    scenario = scenario_of(scenario)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise refused("seeds", seeds, f"a whole number from 1 to {MOST_SEEDS}")
    lane = check_lane(lane)
    threads = jobs_of(lane, jobs)
    scenario.check_size()
    scenarios = with_seeds(scenario, seeds)
    flow_groups = scenario.groups
    own_folder = (
        ReplicatesFolder(path_of("folder", folder), scenario, lane, force=force) if folder is not None else None
    )
    with own_folder.locked() if own_folder is not None else nullcontext():
        documents: dict[int, RunDocument] = {}
        if own_folder is not None:
            known = {seed: own_folder.done(each) for seed, each in scenarios.items()}
            documents = {seed: document for seed, document in known.items() if document is not None}
        found = len(documents)
        missing = {
            seed: SeedRun(each, own_folder.seed(seed) if own_folder is not None else None, lane)
            for seed, each in scenarios.items()
            if seed not in documents
        }
        stopped = run_all(Threads(threads, watch), missing, documents.__setitem__)
        runs = [document for _, document in sorted(documents.items())]
        document = combine(flow_groups, runs, seeds) if runs else None
        if own_folder is not None and document is not None:
            own_folder.conclude(document)
    if document is not None and document["identical"]:
        warnings.warn(IDENTICAL_RUNS, stacklevel=2)
    if document is not None and (line := failed_runs(document)):
        warnings.warn(line, ConnectionWarning, stacklevel=2)
    return Replicates(document, seeds, len(runs), found, stopped)
