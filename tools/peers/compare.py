# SPDX-License-Identifier: MIT OR Apache-2.0
"""Results and CPU time compared with ns-2 and ns-3, scenario by scenario, over several seeds.

All simulators get the same path, the same start times, thresholds and receivers. What their algorithms differ in, and
what the differences come from, is in docs/results/peers.md; --page writes its tables.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import statistics
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from cwnd.metrics.confidence_intervals import mean_interval
from tools.peers.cases import (
    CASES,
    OURS,
    SIMULATORS,
    Case,
    PeerResult,
    cost_s,
    document,
    run_ours,
    run_peer,
    shares,
    spec,
)
from tools.peers.ns2.run import find_ns2
from tools.peers.ns3.run import build_ns3
from tools.peers.peer import PeerError, Stopped, stop_all
from tools.peers.trials import TRIALS, Trial

# What each peer is compared with.
LIKE = {"ns-2": "cwnd as ns-2", "ns-3": "cwnd as ns-3"}
MARKS = ("<!-- {}: written by tools/peers/compare.py --page -->", "<!-- end of {} -->")


@dataclass(frozen=True)
class Job:
    case: Case
    simulator: str
    seed: int
    seconds: int
    measured_from: int

    @property
    def cost_s(self) -> float:
        return cost_s(self.case, self.simulator, self.seconds)

    @property
    def key(self) -> str:
        """What is run, in words: no other run has the same."""
        if self.simulator in OURS:
            return json.dumps(document(self.case, self.seed, self.seconds, self.measured_from, self.simulator))
        return f"{self.simulator}: {spec(self.case, self.seed, self.seconds, self.measured_from, self.simulator)}"


class ResultStore:
    """The runs of other simulators in a file, so that a stopped comparison can be continued."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.runs: dict[str, PeerResult] = {}
        if path is not None and path.exists():
            self.runs = {key: PeerResult(**values) for key, values in json.loads(path.read_text()).items()}

    def find(self, job: Job) -> PeerResult | None:
        """An earlier run of the job; `None` for our simulator, which is always run, as it changes."""
        return self.runs.get(job.key) if job.simulator not in OURS else None

    def add(self, job: Job, result: PeerResult) -> None:
        self.runs[job.key] = result
        if self.path is not None:
            written = self.path.with_name(self.path.name + ".part")
            written.write_text(json.dumps({key: asdict(run) for key, run in self.runs.items()}, indent=1) + "\n")
            written.replace(self.path)


@dataclass
class SimulatorRuns:
    """The runs of one scenario on one simulator, by seed."""

    runs: dict[int, PeerResult] = field(default_factory=dict)

    def values(self, case: Case, metric: str) -> list[float]:
        """One number per seed: a measure, or a group's share."""
        ordered = [self.runs[seed] for seed in sorted(self.runs)]
        if metric in case_groups(case):
            return [shares(case, run)[metric] for run in ordered]
        return [float(getattr(run, metric)) for run in ordered]

    def mean(self, case: Case, metric: str) -> tuple[float, float]:
        """Mean, and half of its 95 % interval (nan for one seed)."""
        interval = mean_interval(self.values(case, metric))
        middle = interval.centre
        if middle is None:
            raise ValueError(f"{case.key}: no run")
        return middle, math.nan if interval.high is None else interval.high - middle


def case_groups(case: Case) -> list[str]:
    """Names of the groups, each once."""
    return list(dict.fromkeys(group.name for group in case.groups))


def run_one(job: Job, stopped: Event) -> PeerResult:
    if stopped.is_set():
        raise Stopped
    if job.simulator in OURS:
        return run_ours(job.case, job.seed, job.seconds, job.measured_from, job.simulator, stopped.is_set)
    return run_peer(job.case, job.seed, job.seconds, job.measured_from, job.simulator)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Handles signals to end like Ctrl-C, so that no simulator stays running."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_all(jobs: Sequence[Job], at_a_time: int, store: ResultStore) -> dict[Job, PeerResult]:
    """Runs every job, the most expensive first, with progress on standard error."""
    results: dict[int, PeerResult] = {}
    for number, job in enumerate(jobs):
        if (before := store.find(job)) is not None:
            results[number] = before
    stopped = Event()
    columns = [
        TextColumn("{task.fields[what]}"),
        BarColumn(),
        TextColumn("{task.fields[done]} of {task.fields[asked]} runs"),
        TimeRemainingColumn(),
    ]
    console = Console(stderr=True)
    order = sorted(set(range(len(jobs))) - results.keys(), key=lambda number: -jobs[number].cost_s)
    with (
        Progress(*columns, console=console, transient=True, speed_estimate_period=600) as bar,
        ThreadPoolExecutor(at_a_time) as pool,
    ):
        task = bar.add_task(
            "", total=sum(jobs[n].cost_s for n in order), what="comparing", done=len(results), asked=len(jobs)
        )
        pending: dict[Future[PeerResult], int] = {}
        try:
            for number in order:
                pending[pool.submit(run_one, jobs[number], stopped)] = number
            while pending:
                done, _ = wait(pending, return_when=FIRST_COMPLETED)
                for future in done:
                    number = pending.pop(future)
                    results[number] = future.result()
                    job = jobs[number]
                    store.add(job, results[number])
                    what = f"{job.case.key}, {job.simulator}, seed {job.seed}"
                    bar.update(task, advance=job.cost_s, what=what, done=len(results))
                    if not console.is_terminal:
                        left = bar.tasks[0].time_remaining
                        tail = "" if left is None else f", about {left / 60:.0f} min left"
                        print(f"{len(results)} of {len(jobs)} runs ({what}){tail}", file=sys.stderr, flush=True)
        except BaseException:
            stopped.set()
            for future in pending:
                future.cancel()
            stop_all()
            raise
    return {jobs[number]: results[number] for number in sorted(results)}


def tabled(results: dict[Job, PeerResult]) -> list[tuple[Case, dict[str, SimulatorRuns]]]:
    """By scenario and simulator, in the order of the jobs."""
    by_case: list[tuple[Case, dict[str, SimulatorRuns]]] = []
    for job, result in results.items():
        if not by_case or by_case[-1][0] is not job.case:
            by_case.append((job.case, {}))
        by_case[-1][1].setdefault(job.simulator, SimulatorRuns()).runs[job.seed] = result
    return by_case


def differs(case: Case, metric: str, ours: SimulatorRuns, peer: SimulatorRuns) -> bool:
    """Whether the means are further apart than their intervals together allow."""
    (a, half_a), (b, half_b) = ours.mean(case, metric), peer.mean(case, metric)
    return abs(a - b) > math.hypot(half_a, half_b)


def plus_minus(mean: float, half: float, digits: int) -> str:
    return f"{mean:.{digits}f}" if math.isnan(half) else f"{mean:.{digits}f} ± {half:.{digits}f}"


def scaled(case: Case, metric: str, column: SimulatorRuns) -> str:
    """Mean ± half of the interval, as it is shown."""
    factor, digits = {"loss_rate": (1e6, 0), "queue": (1, 0), "timeouts": (1, 1)}.get(metric, (1, 1))
    mean, half = column.mean(case, metric)
    return plus_minus(factor * mean, factor * half, digits)


def table(by_case: Sequence[tuple[Case, dict[str, SimulatorRuns]]]) -> list[str]:
    """Markdown, a line per scenario and simulator; bold: further from ours by its rules than the intervals allow."""
    head = ["scenario", "simulator", "shares of the groups, %", "lost, per million", "mean queue", "timeouts"]
    head += ["CPU s", "packets a CPU second", "cwnd : it"]
    rows = [row(case, columns, simulator) for case, columns in by_case for simulator in columns]
    return markdown(head, rows)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]


def fewer(runs: SimulatorRuns, columns: dict[str, SimulatorRuns]) -> str:
    """A note on the number of seeds if others have more."""
    count = len(runs.runs)
    return "" if count == max(len(column.runs) for column in columns.values()) else f" ({count} seeds)"


def row(case: Case, columns: dict[str, SimulatorRuns], simulator: str) -> list[str]:
    """One line of the table."""
    runs, ours = columns[simulator], columns.get(LIKE.get(simulator, ""))

    def cell(metric: str) -> str:
        text = scaled(case, metric, runs)
        return f"**{text}**" if ours is not None and differs(case, metric, ours, runs) else text

    speed = statistics.median(runs.values(case, "packets_per_cpu_s"))
    ratio = None if ours is None else statistics.median(ours.values(case, "packets_per_cpu_s")) / speed
    groups = case_groups(case)
    return [
        f"{case.name} ({' · '.join(groups)})" if simulator == next(iter(columns)) else "",
        f"{simulator}{fewer(runs, columns)}",
        " · ".join(cell(name) for name in groups),
        *(cell(metric) for metric in ("loss_rate", "queue", "timeouts")),
        f"{statistics.median(runs.values(case, 'cpu_s')):.3g}",
        f"{speed:,.0f}".replace(",", " "),
        "" if ratio is None else f"{ratio:.1f}",
    ]


def trial_table(by_trial: Sequence[tuple[Trial, dict[str, SimulatorRuns]]]) -> list[str]:
    """Markdown, a line per trial: what was changed, and every simulator's shares and losses after it."""
    head = ["scenario", "changed", *SIMULATORS]
    rows = []
    for trial, columns in by_trial:
        line = [trial.case.name, trial.what]
        for simulator in head[2:]:
            column = columns.get(simulator)
            if column is None:
                line.append("")
                continue
            parts = " · ".join(scaled(trial.case, name, column) for name in case_groups(trial.case))
            line.append(f"{parts}; lost {scaled(trial.case, 'loss_rate', column)}{fewer(column, columns)}")
        rows.append(line)
    return markdown(head, rows)


def put(page: Path, name: str, lines: Sequence[str]) -> None:
    """Replaces what stands between the marks called `name`."""
    first, last = (mark.format(name) for mark in MARKS)
    text = page.read_text()
    if first not in text or last not in text:
        raise SystemExit(f"error: {page} has no marks for {name}")
    before, rest = text.split(first, 1)
    _, after = rest.split(last, 1)
    page.write_text("\n".join([before + first, "", *lines, "", last + after]))


def chosen(names: Sequence[str], cases: Sequence[Case]) -> list[Case]:
    known = {case.key: case for case in cases}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"error: no scenario {unknown[0]}; there are {', '.join(known)}")
    return [known[name] for name in names] if names else list(cases)


def plan(cases: Sequence[Case], args: argparse.Namespace) -> list[Job]:
    """Every run that is asked for, scenario by scenario."""
    jobs = []
    for case in cases:
        seconds, measured_from = case.full if args.full else case.short
        for simulator in SIMULATORS:
            if simulator.split()[0] in args.simulators and (simulator in case.simulators or args.every_simulator):
                jobs += [Job(case, simulator, seed, seconds, measured_from) for seed in range(1, args.seeds + 1)]
    return jobs


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenarios", nargs="*", help=f"which; all if none is named: {', '.join(c.key for c in CASES)}")
    parser.add_argument("--full", action="store_true", help="four times as long")
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds (default 5)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at a time (default: processors)")
    parser.add_argument("--simulators", default="cwnd,ns-2,ns-3", help="which (default all)")
    parser.add_argument(
        "--every-simulator", action="store_true", help="ns-3 at 2.5 Gbit/s too, where a run takes it hours"
    )
    parser.add_argument("--trials", action="store_true", help="the trials that show what the differences come from")
    parser.add_argument("--page", type=Path, help="write the table into this page, between its marks")
    parser.add_argument("--keep", type=Path, help="keep runs in this file; the peers' that are in it are not run again")
    args = parser.parse_args()
    args.simulators = args.simulators.split(",")
    unknown = [name for name in args.simulators if name not in SIMULATORS]
    if unknown:
        parser.error(f"no simulator {unknown[0]}; there are cwnd, ns-2 and ns-3")
    return args


def compare(args: argparse.Namespace) -> None:
    # What is missing is said before anything has been simulated.
    if "ns-2" in args.simulators:
        find_ns2()
    if "ns-3" in args.simulators:
        build_ns3()
    trials = (
        [trial for trial in TRIALS if not args.scenarios or trial.case.key in args.scenarios] if args.trials else []
    )
    cases = [trial.case for trial in trials] if args.trials else chosen(args.scenarios, CASES)
    by_case = tabled(run_all(plan(cases, args), args.jobs, ResultStore(args.keep)))
    lines = trial_table([(t, dict(f[1])) for t, f in zip(trials, by_case)]) if args.trials else table(by_case)
    print("\n".join(lines))
    if args.page is not None:
        put(args.page, "trials" if args.trials else "results", lines)


def main() -> None:
    args = parse()
    try:
        with ended_by_signals():
            compare(args)
    except PeerError as error:
        raise SystemExit(f"error: {error}") from None
    except (KeyboardInterrupt, Stopped):
        raise SystemExit("stopped: nothing was written") from None


if __name__ == "__main__":
    main()
