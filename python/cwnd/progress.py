# SPDX-License-Identifier: MIT OR Apache-2.0
"""Progress on a terminal's standard error: per cent, packets per second, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from cwnd._native import Simulation


@contextmanager
def shown() -> Iterator[Callable[[Simulation], None]]:
    """A bar that goes away when the run is over; the value is what `cwnd.result.run` calls."""
    columns = [
        TextColumn("simulating"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("run", total=1.0, rate="")

        def report(simulation: Simulation) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = f"{simulation.packets / elapsed / 1e6:.1f} M packets/s" if elapsed > 0 else ""
            bar.update(task, completed=simulation.progress, rate=rate)

        yield report
