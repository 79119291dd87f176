# SPDX-License-Identifier: MIT OR Apache-2.0
"""`--dry-run` and `--status`: the size of a study, and its progress."""

from __future__ import annotations

import time

from rich.filesize import decimal

from cwnd._native import Simulation
from cwnd.result.lanes import SIM
from cwnd.scenario.notation import count_of
from cwnd.study.results import place
from cwnd.study.runner import StudyRun, cost

#: What a run takes outside the simulator, s: measures, and its file (docs/results/speed.md). Threads take turns with it.
OUTSIDE_S = 5e-3
#: How long the speed of this machine is measured, s.
MEASURED_S = 0.5
MOST_SHOWN = 10
#: What is kept of a run, bytes, by the numbers that it has: a row of JSON.
ROW_BYTES = 70


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.0f} h" if seconds < 100 * 3600 else f"{seconds / 86400:.0f} days"


def packets_per_s(run: StudyRun) -> float:
    """How fast this machine simulates the study's first scenario, in packets that its link can carry."""
    scenario = next(point.scenario for point in run.points.points if point.scenario is not None)
    simulation, start = Simulation(scenario), time.monotonic()
    while not simulation.step(20_000) and time.monotonic() - start < MEASURED_S:
        simulation.discard()
    done = max(simulation.progress, 1e-6)
    return cost(scenario) * done / max(time.monotonic() - start, 1e-6)


def rows(run: StudyRun) -> float:
    """About how many numbers a run has."""
    scenario = next(point.scenario for point in run.points.points if point.scenario is not None)
    return 6 + 26 * len(scenario.groups) + 26 * len(scenario.links)


def say_refused(run: StudyRun) -> int:
    """Prints which points have no scenario, and why; returns how many."""
    refused = [point for point in run.points.points if point.scenario is None]
    for point in refused[:MOST_SHOWN]:
        print(f"refused: {place(point.factors)}: {point.why}")
    return len(refused)


def dry_run(run: StudyRun, jobs: int) -> bool:
    """Prints what would be run: axes, points, time, size. Returns whether every point has a scenario."""
    points, settings = run.points, run.settings
    for key, name in points.names.items():
        levels = list(dict.fromkeys(str(point.factors[name]) for point in points.points))
        more = f", … ({len(levels)} values)" if len(levels) > MOST_SHOWN else ""
        print(
            f"{name} ({key}): {', '.join(levels[:MOST_SHOWN])}{more}"
            if name != key
            else f"{name}: {', '.join(levels[:MOST_SHOWN])}{more}"
        )
    refused = say_refused(run)
    seeds = count_of(settings.first, "seed") + (
        f", up to {settings.most_seeds} where intervals are wide" if settings.until else ""
    )
    missing = run.missing()
    asked = sum(run.wanted.values())
    print(
        f"{count_of(len(points.points), 'point')}{f', {refused} of them refused' if refused else ''}, {seeds}: {count_of(asked, 'run')}{f', {run.found} of them already done' if run.found else ''}"
    )
    if settings.lane == SIM:
        seconds = sum(cost(run.scenario(each)) for each in missing) / packets_per_s(run) / jobs
        seconds += len(missing) * OUTSIDE_S
        print(
            f"about {duration(seconds)} on {jobs} {'thread' if jobs == 1 else 'threads'}; about {decimal(round(asked * rows(run) * ROW_BYTES))} on disk with -o"
        )
    else:
        print(f"{duration(sum(run.scenario(each).duration_s for each in missing))}, in real time")
    return not refused


def status(run: StudyRun) -> None:
    """Prints the progress of the study in the folder; runs nothing."""
    missing = run.missing()
    while not missing and run.widen():
        missing = run.missing()
    print(f"{len(run.runs)} of {sum(run.wanted.values())} runs are done, {len(missing)} are left")
    say_refused(run)
    left: dict[int, int] = {}
    for number, _ in missing:
        left[number] = left.get(number, 0) + 1
    for number, count in list(left.items())[:MOST_SHOWN]:
        print(f"left: {place(run.points.points[number].factors)}: {count}")
    if len(left) > MOST_SHOWN:
        print(f"left: {count_of(len(left) - MOST_SHOWN, 'more point')}")
