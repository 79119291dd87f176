# SPDX-License-Identifier: MIT OR Apache-2.0
"""Progress on a terminal's standard error: per cent or runs done, packets per second, time left."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from cwnd._internal.messages import shows_progress
from cwnd.linux.steps import OBJECTS, Step
from cwnd.replicates.executor import Watch
from cwnd.result.lanes import Engine


def packet_rate(packets: int, elapsed_s: float) -> str:
    """Packets per second, in words; in lane live they are thousands."""
    if elapsed_s <= 0:
        return ""
    rate = packets / elapsed_s
    return f"{rate / 1e6:.1f} M packets/s" if rate >= 1e5 else f"{rate / 1e3:.1f} k packets/s"


@contextmanager
def shown(verb: str) -> Iterator[Callable[[Engine], None]]:
    """A bar that is removed when the run is over; yields the function that `cwnd.result.result.run` calls."""
    columns = [
        TextColumn(verb),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=1.0, rate="")

        def report(engine: Engine) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = packet_rate(engine.packets, elapsed)
            bar.update(task, completed=engine.progress, rate=rate)

        yield report


@contextmanager
def shown_tasks(verb: str, noun: str, costs: Mapping[int, float]) -> Iterator[Watch]:
    """A bar for tasks, given by number with what they cost; yields the function that their executor calls.

    `verb` and `noun` say what is done, and what the tasks are.
    """
    columns = [
        TextColumn(verb),
        BarColumn(),
        TextColumn(f"{{task.fields[done]}} of {{task.fields[tasks]}} {noun}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=120) as bar:
        task = bar.add_task(noun, total=sum(costs.values()), done=0, tasks=len(costs), rate="")
        # By number, what each task has last said; and the sums over all of them, which may be ten thousand.
        said: dict[int, tuple[int, float]] = {}
        sums = [0, 0.0, 0]
        one_at_a_time = threading.Lock()

        def report(number: int, sent: int, part: float) -> None:
            with one_at_a_time:
                before_sent, before = said.get(number, (0, 0.0))
                said[number] = (sent, part)
                sums[0] += sent - before_sent
                sums[1] += costs[number] * (part - before)
                sums[2] += (part >= 1) - (before >= 1)
                packets, completed, done = sums
            rate = packet_rate(int(packets), bar.tasks[0].elapsed or 0.0)
            bar.update(task, completed=completed, done=done, rate=rate)

        yield report


@contextmanager
def shown_build() -> Iterator[Callable[[Step], object] | None]:
    """A bar for `cwnd linux build`; yields `None` without a terminal."""
    if not shows_progress():
        yield None
        return
    columns = [
        TextColumn("{task.fields[step]}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=120) as bar:
        task = bar.add_task("build", total=1.0, step="unpacking", rate="")
        step = "unpacking"

        def report(now: Step) -> None:
            nonlocal step
            if now.name != step:
                step = now.name
                bar.reset(task, total=1.0, step=step, rate="")
            rate = ""
            if now.objects:
                rate = f"{now.objects} of about {OBJECTS} objects, {now.objects / max(1e-3, bar.tasks[0].elapsed or 0.0):.1f} objects/s"
            bar.update(task, completed=now.part, rate=rate)

        yield report


class Checked(Protocol):
    """The progress of a check: `cwnd.plugin.check.Check`."""

    seconds: float
    histories: int
    simulations: int


@contextmanager
def shown_check() -> Iterator[Callable[[Checked, float], None] | None]:
    """A bar for `cwnd check`; yields `None` without a terminal."""
    if not shows_progress():
        yield None
        return
    columns = [
        TextColumn("checking"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("check", total=1.0, rate="")

        def report(check: Checked, part: float) -> None:
            elapsed = max(check.seconds, 1e-3)
            if check.simulations:
                rate = f"{check.simulations / elapsed:.0f} simulations/s"
            else:
                rate = f"{check.histories / elapsed:.0f} histories/s"
            bar.update(task, completed=part, rate=rate)

        yield report


@contextmanager
def shown_rows(verb: str, wanted: bool) -> Iterator[Callable[[int, int], object] | None]:
    """A bar for rows that are read; yields the function that is called with how many have been, and how many there are, or `None`."""
    if not wanted:
        yield None
        return
    columns = [TextColumn(verb), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("rows", total=1.0)
        yield lambda done, total: bar.update(task, completed=done / max(1, total))
