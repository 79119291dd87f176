# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd reproduce --lane live`, or linux: the runs of all experiments in that lane, with their progress; their results on the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from cwnd._internal.terminal import Grid, Printer
from cwnd.cli.replicates import bar
from cwnd.replicates.number_cache import Cache
from cwnd.reproduce import live
from cwnd.reproduce.discover import experiments
from cwnd.reproduce.run_folder import Entry
from cwnd.reproduce.runner import Column


@dataclass(frozen=True, slots=True)
class LiveSetup:
    """How points are run in a kernel's lane."""

    #: `live`, or `linux:` and a kernel
    lane: str
    #: Seeds of each point.
    seeds: int
    #: Runs at a time at most.
    labs: int


@dataclass(frozen=True, slots=True)
class LiveProgress:
    """How the runs ended: whether Ctrl-C has stopped them, and how many of how many were done, in this program."""

    stopped: bool
    done: int
    of: int


def add_live(columns: Sequence[tuple[Entry, Column]], cache: Cache, setup: LiveSetup) -> LiveProgress:
    """Measures what is not in the cache, and gives each entry its points in that lane. After Ctrl-C those that were not run say so."""
    wants = [live.wanted(column, setup.seeds, setup.lane) for _, column in columns]
    runs, why = live.missing([want for of_column in wants for want in of_column], cache, setup.lane)
    with bar(f"in lane {setup.lane}", "runs", {number: each.cost for number, each in enumerate(runs)}) as watch:
        stopped, done, failed = live.measure(runs, cache, setup.labs, watch)
    for (entry, column), of_column in zip(columns, wants):
        entry["live"] = live.points(column, of_column, cache, why | failed)
        entry["lane"] = setup.lane
    return LiveProgress(stopped, done, len(runs))


def show_live(entry: Entry) -> None:
    """Prints the numbers of both lanes, and why points were not run."""
    name, points, lane = entry["id"], entry["live"], entry["lane"]
    rows = [
        (point["point"], [number["name"], f"{number['sim']:.4g}", f"{number['live']:.4g}"])
        for point in points
        for number in point["numbers"]
    ]
    if rows:
        Printer().print(Grid(name, ("number", "simulator", f"lane {lane}"), rows, texts=(0,)))
        if note := experiments()[name].live_note:
            print(f"{name} in lane {lane}: {note}")
    for why, count in Counter(point["not_run"] for point in points if "not_run" in point).items():
        print(f"{name}: {count} of {len(points)} points not run in lane {lane}: {why}")
