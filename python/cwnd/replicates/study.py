# SPDX-License-Identifier: MIT OR Apache-2.0
"""A study: its scenarios, their runs, the document over them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cwnd._native import Scenario
from cwnd.groups import groups
from cwnd.refused import path_of, refused
from cwnd.replicates.document import combine, describe
from cwnd.replicates.folder import Folder
from cwnd.replicates.runner import Watch, run_all
from cwnd.result import Result, expect

MOST_SEEDS = 10_000
MOST_JOBS = 256


@dataclass(frozen=True, slots=True)
class Study:
    """What came of it."""

    #: Means and intervals, and each run; `None` when no run ended. What `--json` prints.
    document: dict[str, Any] | None
    #: Runs that were asked for, that are done, and that were done before.
    asked: int
    done: int
    found: int
    #: Whether Ctrl-C ended it before all were done.
    stopped: bool

    def __repr__(self) -> str:
        groups = (self.document or {}).get("groups", [])
        shown = [f"{group['name']} {group['throughput_mbps']['mean']:.4g} Mbit/s" for group in groups[:6]]
        stopped = ", stopped" if self.stopped else ""
        return f"Study({self.done} of {self.asked} runs{stopped}; {', '.join(shown) or 'no result'})"


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def with_seeds(scenario: Scenario, seeds: int) -> dict[int, Scenario]:
    """The scenario under its own seed and the next ones; raises `ScenarioError` when these are too large."""
    document = json.loads(scenario.to_json())
    numbers = range(scenario.seed, scenario.seed + seeds)
    # The last first: a seed that is too large is refused before any other is made.
    Scenario.from_json(json.dumps({**document, "seed": numbers[-1]}))
    return {seed: Scenario.from_json(json.dumps({**document, "seed": seed})) for seed in numbers}


def replicate(
    scenario: Scenario,
    seeds: int,
    jobs: int | None = None,
    folder: str | Path | None = None,
    watch: Watch | None = None,
    *,
    force: bool = False,
) -> Study:
    """Runs `scenario` under `seeds` seeds, from its own on, on `jobs` threads (all processors).

    With `folder`, runs that are already there are not run again, and every run is there as soon as it is done; with `force` they
    take the place of another result. Raises
    `ScenarioError`, `NotOursError`, or `OSError` when the disk says no; runs that are done stay.
    """
    expect(scenario)
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise refused("seeds", seeds, f"a whole number from 1 to {MOST_SEEDS}")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs <= MOST_JOBS):
        raise refused("jobs", jobs, f"a whole number from 1 to {MOST_JOBS}")
    scenario.check_size()
    scenarios = with_seeds(scenario, seeds)
    of = groups(scenario)
    place = Folder(path_of("folder", folder), scenario, force=force) if folder is not None else None
    with place.held() if place is not None else nullcontext():
        kept: dict[int, dict[str, Any]] = {}
        if place is not None:
            known = {seed: place.done(one) for seed, one in scenarios.items()}
            kept = {seed: document for seed, document in known.items() if document is not None}
        found = len(kept)

        def finish(seed: int, result: Result, check: Callable[[], None]) -> dict[str, Any]:
            document = describe(result, of)
            if place is not None:
                place.keep(result, document, check)
            return document

        open_ones = {seed: one for seed, one in scenarios.items() if seed not in kept}
        outcome = run_all(open_ones, jobs or processors(), finish, watch)
        runs = [document for _, document in sorted({**kept, **outcome.done}.items())]
        document = combine(of, runs, seeds) if runs else None
        if place is not None and document is not None:
            place.conclude(document)
    return Study(document, seeds, len(runs), found, outcome.stopped)
