# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce` and `cwnd report`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, TypedDict

import typer

from cwnd._internal.messages import detail, note
from cwnd.cli.entry import fail
from cwnd.cli.options import takes
from cwnd.result.lanes import LIVE, SIM, check_lane, kind_of

if TYPE_CHECKING:
    from cwnd._internal.terminal import Printer
    from cwnd.cli.actions.reproduce_live import LiveSetup
    from cwnd.reproduce.experiment import AnyExperiment
    from cwnd.reproduce.run_folder import Entry, RunFolder, SecondColumn
    from cwnd.reproduce.runner import Column, Task
    from cwnd.reproduce.verdict import VerdictDocument

HERE = Path("out/reproduce")
NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproduceOptions:
    """What `cwnd reproduce` is given."""

    pattern: Annotated[
        str | None,
        typer.Argument(metavar="[DOCUMENT[/FIGURE]]", help="Such as ha2008 or ha2008/fig6.", show_default="all"),
    ] = None
    full: Annotated[bool, typer.Option("--full", help="Use the documents' durations and many seeds.")] = False
    seeds: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Number of seeds of each point that uses seeds.", show_default="each experiment's own"
        ),
    ] = None
    jobs: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Number of points to run at a time.", show_default="all processors; 16 in lane live"
        ),
    ] = None
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="DIR", show_default=str(HERE))] = None
    force: Annotated[bool, typer.Option("--force", help="With -o: replace another result in the folder.")] = False
    cubic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The parameter set of the second column; none omits the column.",
            show_default="another reading of the document's version, or cubic",
        ),
    ] = None
    lane: Annotated[
        str,
        typer.Option(
            metavar="LANE",
            help="linux[:KERNEL]: also run, with the TCP of a Linux kernel in virtual time, the points that allow it; live: in real time, with the running kernel's TCP (root). One seed unless --seeds is given.",
        ),
    ] = "sim"
    listing: Annotated[bool, typer.Option("--list", help="List the experiments with their last verdicts.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="With --list: as one JSON document.")] = False


@takes(ReproduceOptions)
def command(options: ReproduceOptions) -> None:
    """Reproduce the experiments of the documents about CUBIC, and judge every claim.

    Runs are shortened unless --full is given. Finished points are kept in DIR; the same command resumes the work. `cwnd report DIR` writes a page.
    """
    from cwnd.cli.replicates import MOST_JOBS, MOST_SEEDS, whole_number
    from cwnd.replicates.api import processors
    from cwnd.reproduce.discover import experiments, select
    from cwnd.reproduce.run_folder import COMMITTED, RunFolder, entries

    known = experiments()
    try:
        wanted = select(options.pattern, known)
    except LookupError:
        from cwnd import _native

        near = _native.nearest(
            options.pattern or "", [*dict.fromkeys(name.partition("/")[0] for name in known), *known]
        )
        offer = f" (did you mean {' or '.join(near)}?)" if near else ": one of cwnd reproduce --list"
        fail(f'DOCUMENT[/FIGURE]: "{options.pattern}" is not accepted; expected a document or a figure{offer}')
    if options.listing:
        # The verdicts of the user's folder, or those that are committed with the source.
        has_folder = options.out is not None or (HERE / "verdicts.json").exists()
        show_list(
            wanted,
            RunFolder(options.out or HERE).entries() if has_folder else entries(COMMITTED),
            as_json=options.as_json,
        )
        return
    if options.as_json:
        fail("--json: not accepted without --list; expected --list with it")
    if options.cubic not in (None, NONE):
        check_set(options.cubic)
    asked = None if options.seeds is None else whole_number("--seeds", options.seeds, MOST_SEEDS)
    threads = processors() if options.jobs is None else whole_number("--jobs", options.jobs, MOST_JOBS)
    if options.force and options.out is None:
        fail("--force: not accepted without -o; expected -o DIR with it")
    run_folder = RunFolder(options.out or HERE, force=options.force)
    lane = check_lane(options.lane, "--lane")
    live = None if lane == SIM else check_live(lane, wanted, asked, None if options.jobs is None else threads)
    run_experiments(
        run_folder, wanted, list(known), full=options.full, asked=asked, jobs=threads, cubic=options.cubic, live=live
    )


def check_live(lane: str, wanted: list[AnyExperiment], asked: int | None, jobs: int | None) -> LiveSetup:
    """The settings of the runs in a kernel's lane; ends the program if the lane is unavailable or has nothing to run."""
    from cwnd.cli.actions.reproduce_live import LiveSetup
    from cwnd.replicates.api import processors
    from cwnd.reproduce.live import LABS, unavailable

    kind = kind_of(lane)
    if why := unavailable(lane):
        fail(f"--lane: {kind} {why}", code=1)
    if not any(experiment.live for experiment in wanted):
        fail(
            f"--lane: {kind} is not accepted for these experiments; expected one that lane {kind} can run, such as shanker/alone"
        )
    return LiveSetup(lane, asked or 1, jobs or (LABS if lane == LIVE else processors()))


def check_set(cubic: str) -> None:
    """Ends the program if there is no such parameter set."""
    from cwnd import _native
    from cwnd.reproduce.experiment import TODAY

    names = [parameter_set["name"] for algorithm in _native.algorithms() for parameter_set in algorithm["sets"]]
    if cubic not in names:
        near = _native.nearest(cubic, names)
        offer = f" (did you mean {' or '.join(near)}?)" if near else f", such as {TODAY}"
        fail(f'--cubic: "{cubic}" is not accepted; expected the name of a parameter set{offer}')


def run_experiments(
    run_folder: RunFolder,
    wanted: list[AnyExperiment],
    order: list[str],
    *,
    full: bool,
    asked: int | None,
    jobs: int,
    cubic: str | None,
    live: LiveSetup | None,
) -> None:
    """Runs the missing points, judges and writes the experiments, and reports failures; with `live` also in a kernel's lane."""
    from cwnd.cli.actions.reproduce_live import add_live, show_live
    from cwnd.cli.replicates import bar
    from cwnd.reproduce import runner
    from cwnd.reproduce.counts import of_entries
    from cwnd.reproduce.run_folder import judge_and_write

    begun = time.monotonic()
    failures: dict[str, str] = {}
    with run_folder.locked():
        tasks: dict[str, runner.Task] = {}
        laid_out = lay_out(wanted, tasks, failures, full=full, asked=asked, cubic=cubic)
        missing = runner.missing(tasks.values(), run_folder.cache)
        detail(f"{len(laid_out)} experiments, {len(missing)} of {len(tasks)} points to run, {jobs} at a time")
        cpu_s: dict[str, float] = {}
        failed: dict[str, str] = {}
        if missing:
            costs = {number: task.cost for number, task in enumerate(missing)}
            with bar("reproducing", "points", costs) as watch:
                outcome = runner.run_tasks(missing, run_folder.cache, jobs, watch)
            failed = outcome.failures
            cpu_s = outcome.cpu_s
            if outcome.stopped:
                end_stopped(run_folder, len(tasks) - len(missing) + outcome.done, len(tasks))
        new_entries: list[Entry] = []
        live_columns: list[tuple[Entry, Column]] = []
        for experiment, first, second in laid_out:
            if message := first.failure(failed):
                failures[experiment.id] = message
                continue
            if second is not None and second.column is not None:
                second = replace(second, failed=second.column.failure(failed))
            try:
                entry = judge_and_write(run_folder, experiment, first, second)
            except runner.ERRORS as error:
                failures[experiment.id] = f"{type(error).__name__}: {error}"
                continue
            if entry is not None:
                new_entries.append(entry)
                if live is not None and experiment.live:
                    live_columns.append((entry, first))
                if (other := entry.get("second")) and "failed" in other:
                    failures[f"{experiment.id}, second column, {other['cubic']}"] = other["failed"]
        run_folder.write_entries(new_entries, order)
        if live is not None:
            outcome_live = add_live(live_columns, run_folder.cache, live)
            run_folder.write_entries(new_entries, order)
            if outcome_live.stopped:
                end_stopped(run_folder, outcome_live.done, outcome_live.of, f"runs in lane {live.lane}")
        took = time.monotonic() - begun
        run_folder.finish(
            {"finished": datetime.now(UTC).isoformat(timespec="seconds"), "took_s": round(took, 1), "full": full}
        )
    table(new_entries, cpu_s)
    for entry in new_entries:
        if "live" in entry:
            show_live(entry)
    if new_entries:
        print(of_entries(new_entries).sentence())
    note(
        f"{len(tasks)} points in {took:.1f} s, {len(tasks) - len(missing)} of them reused; written to {run_folder.path}"
    )
    for name, message in failures.items():
        print(f"error: {name}: {' '.join(message.split())}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


def end_stopped(run_folder: RunFolder, done: int, of: int, what: str = "points") -> NoReturn:
    """Ends the program after Ctrl-C."""
    print(
        f"{done} of {of} {what} are done and kept in {run_folder.path}; the same command resumes the work",
        file=sys.stderr,
    )
    raise typer.Exit(130)


def lay_out(
    wanted: list[AnyExperiment],
    tasks: dict[str, Task],
    failures: dict[str, str],
    *,
    full: bool,
    asked: int | None,
    cubic: str | None,
) -> list[tuple[AnyExperiment, Column, SecondColumn | None]]:
    """The columns of each experiment: with the document's CUBIC, and with another. One that fails here does not stop the others."""
    from cwnd.reproduce.experiment import TODAY, Setup
    from cwnd.reproduce.run_folder import SecondColumn
    from cwnd.reproduce.runner import ERRORS, column

    laid_out = []
    for experiment in wanted:
        cubic_of_paper = experiment.cubic or TODAY
        try:
            first_column = column(experiment, Setup(cubic_of_paper, full, asked), tasks)
        except ERRORS as error:
            failures[experiment.id] = f"{type(error).__name__}: {error}"
            continue
        second = None
        name = cubic or experiment.second or TODAY
        if experiment.cubic and name not in (NONE, cubic_of_paper):
            second_tasks: dict[str, Task] = {}
            try:
                second = SecondColumn(name, column(experiment, Setup(name, full, asked), second_tasks))
            except ERRORS as error:
                second = SecondColumn(name, None, f"{type(error).__name__}: {error}")
            else:
                add_tasks(tasks, second_tasks)
        laid_out.append((experiment, first_column, second))
    return laid_out


def add_tasks(tasks: dict[str, Task], more: dict[str, Task]) -> None:
    """Adds tasks; equal simulations run once, for all experiments that need their numbers."""
    for key, task in more.items():
        same = tasks.setdefault(key, task)
        if same is not task:
            known = {want.name for want in same.wants}
            same.wants.extend(want for want in task.wants if want.name not in known)


def table(shown: list[Entry], cpu_s: dict[str, float], printer: Printer | None = None) -> None:
    """Prints the verdicts, and the processor time of this run."""
    from cwnd._internal.terminal import Grid, Printer

    rows = []
    for entry in shown:
        decided = [row["holds"] for row in entry["claims"] if row["holds"] is not None]
        count = f"{sum(decided)} of {len(decided)}" if decided else ""
        second = entry.get("second")
        second_verdict = f"{second.get('verdict', 'failed')} ({second['cubic']})" if second else ""
        cost = f"{cpu_s[entry['id']]:.1f}" if entry["id"] in cpu_s else ""
        rows.append((entry["id"], [entry["verdict"], count, entry["cubic"] or "", second_verdict, cost]))
    grid = Grid("experiment", ("verdict", "holds", "with", "second column", "CPU s"), rows, texts=range(4))
    (printer or Printer()).print(grid)


class NotRun(TypedDict):
    """An experiment of the list without a verdict."""

    id: str
    title: str
    verdict: None
    cubic: str | None
    claims: list[VerdictDocument]


def not_run(experiment: AnyExperiment) -> NotRun:
    """The row of an experiment that has not been run."""
    return {"id": experiment.id, "title": experiment.title, "verdict": None, "cubic": experiment.cubic, "claims": []}


def show_list(
    wanted: list[AnyExperiment], known: list[Entry], *, as_json: bool, printer: Printer | None = None
) -> None:
    """All experiments with their last verdicts."""
    from cwnd._internal.terminal import Printer

    last = {entry["id"]: entry for entry in known}
    rows = [last.get(experiment.id, not_run(experiment)) for experiment in wanted]
    if as_json:
        print(json.dumps(rows))
        return
    printer = printer or Printer()
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        decided = [claim["holds"] for claim in row["claims"] if claim["holds"] is not None]
        count = f" ({sum(decided)} of {len(decided)})" if decided else ""
        verdict = f"{row['id']:{width}}  {(row['verdict'] or 'not run') + count}"
        printer.entry(verdict, row["title"], column=width + 32, indent=0)
