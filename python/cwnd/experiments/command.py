# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce` and `cwnd report`."""

from __future__ import annotations

import json
import sys
import time
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cwnd.entry import fail

if TYPE_CHECKING:
    from cwnd.experiments.book import Book, Entry, Second
    from cwnd.experiments.find import Experiment
    from cwnd.experiments.runner import Column
    from cwnd.terminal import Page

HERE = Path("out/reproduce")
TODAY = "cubic"
NONE = "none"


def add(app: typer.Typer) -> None:
    """Adds the two commands to the program."""
    app.command()(reproduce)
    app.command()(report)


def reproduce(
    what: Annotated[
        str | None,
        typer.Argument(metavar="[DOCUMENT[/FIGURE]]", help="Such as ha2008 or ha2008/fig6.", show_default="all"),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="With the documents' own durations and many seeds.")] = False,
    seeds: Annotated[
        str | None,
        typer.Option(metavar="N", help="Seeds of every point that has any.", show_default="each experiment's own"),
    ] = None,
    jobs: Annotated[
        str | None, typer.Option(metavar="N", help="How many at a time.", show_default="all processors")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="DIR", show_default=str(HERE))] = None,
    force: Annotated[bool, typer.Option("--force", help="With -o: replace another result that is there.")] = False,
    cubic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The parameter set of the second column, or none for no such column.",
            show_default="another reading of the document's version, or cubic",
        ),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List the experiments with their last verdicts.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: as one JSON document.")] = False,
) -> None:
    """Run the experiments of the documents about CUBIC again, and judge every claim.

    Shortened if not --full. What is done is kept in DIR; the same command goes on from there. `cwnd report DIR` makes a page of it.
    """
    from cwnd.experiments.book import COMMITTED, Book, entries
    from cwnd.experiments.find import chosen, experiments
    from cwnd.replicates.command import MOST_JOBS, MOST_SEEDS, whole
    from cwnd.replicates.study import processors

    known = experiments()
    try:
        wanted = chosen(what, known)
    except LookupError:
        from cwnd import _native

        near = _native.nearest(what or "", [*dict.fromkeys(name.partition("/")[0] for name in known), *known])
        offer = f" (did you mean {' or '.join(near)}?)" if near else ": one of cwnd reproduce --list"
        fail(f'DOCUMENT[/FIGURE]: "{what}" is not accepted; expected a document or a figure{offer}')
    if listing:
        # One's own folder, or the last list that was kept with the source.
        own = Book(out or HERE).entries() if out is not None or (HERE / "verdicts.json").exists() else None
        show_list(wanted, own if own is not None else entries(COMMITTED), as_json=as_json)
        return
    if as_json:
        fail("--json: not accepted without --list; expected --list with it")
    if cubic not in (None, NONE):
        known_set(cubic)
    asked = None if seeds is None else whole("--seeds", seeds, MOST_SEEDS)
    threads = processors() if jobs is None else whole("--jobs", jobs, MOST_JOBS)
    if force and out is None:
        fail("--force: not accepted without -o; expected -o DIR with it")
    work(Book(out or HERE, force=force), wanted, list(known), full=full, asked=asked, jobs=threads, cubic=cubic)


def known_set(cubic: str) -> None:
    """Ends the program when there is no such parameter set."""
    from cwnd import _native

    names = [one["name"] for algorithm in _native.algorithms() for one in algorithm["sets"]]
    if cubic not in names:
        near = _native.nearest(cubic, names)
        offer = f" (did you mean {' or '.join(near)}?)" if near else f", such as {TODAY}"
        fail(f'--cubic: "{cubic}" is not accepted; expected the name of a parameter set{offer}')


def work(
    book: Book,
    wanted: list[Experiment],
    order: list[str],
    *,
    full: bool,
    asked: int | None,
    jobs: int,
    cubic: str | None,
) -> None:
    """Runs what is missing, judges, writes; says what could not be done."""
    from cwnd.experiments import runner
    from cwnd.experiments.book import keep
    from cwnd.experiments.counts import of_entries

    begun = time.monotonic()
    failures: dict[str, str] = {}
    with book.held():
        tasks: dict[str, runner.Task] = {}
        laid_out = lay_out(wanted, tasks, failures, full=full, asked=asked, cubic=cubic)
        open_ones = runner.missing(tasks.values(), book.cache)
        cpu_s: dict[str, float] = {}
        failed: dict[str, str] = {}
        if open_ones:
            with bar([task.cost for task in open_ones]) as watch:
                outcome = runner.work(open_ones, book.cache, jobs, watch)
            failed = outcome.failures
            cpu_s = outcome.cpu_s
            if outcome.stopped:
                print(
                    f"{len(tasks) - len(open_ones) + outcome.done} of {len(tasks)} points are done and kept in {book.path}; "
                    "the same command goes on from there",
                    file=sys.stderr,
                )
                raise typer.Exit(130)
        made: list[Entry] = []
        for experiment, first, second in laid_out:
            if message := first.failure(failed):
                failures[experiment.id] = message
                continue
            if second is not None and second.column is not None:
                second = replace(second, failed=second.column.failure(failed))
            try:
                found = keep(book, experiment, first, second)
            except runner.ERRORS as error:
                failures[experiment.id] = f"{type(error).__name__}: {error}"
                continue
            if found is not None:
                made.append(found)
                if message := found.get("second", {}).get("failed"):
                    failures[f"{experiment.id}, second column, {found['second']['cubic']}"] = message
        book.keep(made, order)
        took = time.monotonic() - begun
        book.finish(
            {"finished": datetime.now(UTC).isoformat(timespec="seconds"), "took_s": round(took, 1), "full": full}
        )
    table(made, cpu_s)
    if made:
        print(of_entries(made).sentence())
    print(
        f"{len(tasks)} points in {took:.1f} s, {len(tasks) - len(open_ones)} of them were there; written to {book.path}",
        file=sys.stderr,
    )
    for name, message in failures.items():
        print(f"error: {name}: {' '.join(message.split())}", file=sys.stderr)
    if failures:
        raise typer.Exit(1)


def lay_out(
    wanted: list[Experiment],
    tasks: dict[str, Any],
    failures: dict[str, str],
    *,
    full: bool,
    asked: int | None,
    cubic: str | None,
) -> list[tuple[Experiment, Column, Second | None]]:
    """The columns of each experiment: with the document's CUBIC, and with another. One that cannot be laid out costs only itself."""
    from cwnd.experiments.book import Second
    from cwnd.experiments.frame import Setup
    from cwnd.experiments.runner import ERRORS, column

    laid_out = []
    for experiment in wanted:
        first = experiment.cubic or TODAY
        try:
            mine = column(experiment, Setup(first, full, asked), tasks)
        except ERRORS as error:
            failures[experiment.id] = f"{type(error).__name__}: {error}"
            continue
        second = None
        name = cubic or experiment.second or TODAY
        if experiment.cubic and name not in (NONE, first):
            theirs: dict[str, Any] = {}
            try:
                second = Second(name, column(experiment, Setup(name, full, asked), theirs))
            except ERRORS as error:
                second = Second(name, None, f"{type(error).__name__}: {error}")
            else:
                add_tasks(tasks, theirs)
        laid_out.append((experiment, mine, second))
    return laid_out


def add_tasks(tasks: dict[str, Any], more: dict[str, Any]) -> None:
    """Adds tasks to those that are there: what is wanted of the same simulation twice is run once."""
    for key, task in more.items():
        there = tasks.setdefault(key, task)
        if there is not task:
            known = {want.name for want in there.wants}
            there.wants.extend(want for want in task.wants if want.name not in known)


def bar(costs: list[float]) -> Any:  # noqa: ANN401
    """Progress on a terminal, or nothing."""
    if not sys.stderr.isatty():
        return nullcontext()
    from cwnd.progress import shown_tasks

    return shown_tasks(costs)


def table(made: list[Entry], cpu_s: dict[str, float], page: Page | None = None) -> None:
    """Prints the verdicts, and what they cost this time."""
    from cwnd.terminal import Grid, Page

    rows = []
    for one in made:
        decided = [row["holds"] for row in one["claims"] if row["holds"] is not None]
        count = f"{sum(decided)} of {len(decided)}" if decided else ""
        second = one.get("second", {})
        beside = f"{second.get('verdict', 'failed')} ({second['cubic']})" if second else ""
        cost = f"{cpu_s[one['id']]:.1f}" if one["id"] in cpu_s else ""
        rows.append((one["id"], [one["verdict"], count, one["cubic"] or "", beside, cost]))
    grid = Grid("experiment", ("verdict", "holds", "with", "second column", "CPU s"), rows, texts=True)
    (page or Page()).print(grid)


def show_list(wanted: list[Experiment], known: list[Entry], *, as_json: bool) -> None:
    """All experiments with their last verdicts."""
    last = {one["id"]: one for one in known}
    rows = [
        last.get(one.id, {"id": one.id, "title": one.title, "verdict": None, "cubic": one.cubic, "claims": []})
        for one in wanted
    ]
    if as_json:
        print(json.dumps(rows))
        return
    width = max(len(row["id"]) for row in rows)
    for row in rows:
        decided = [claim["holds"] for claim in row["claims"] if claim["holds"] is not None]
        count = f" ({sum(decided)} of {len(decided)})" if decided else ""
        print(f"{row['id']:{width}}  {(row['verdict'] or 'not run') + count:28}  {row['title']}")


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What cwnd reproduce has written.")] = HERE,
) -> None:
    """Make one page of what `cwnd reproduce` found: DIR/report.html, complete in itself."""
    from cwnd.experiments.page import write_page

    print(write_page(folder))
