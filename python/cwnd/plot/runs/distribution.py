# SPDX-License-Identifier: MIT OR Apache-2.0
"""Distributions within runs: of packets' queueing delays, of transfers' completion times, of flows' throughputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from cwnd._internal.input_errors import refused
from cwnd.metrics.names import measure_named
from cwnd.plot.data import Numbers, RunData
from cwnd.plot.runs.pictures import set_up
from cwnd.plot.runs.variants import Runs, Variant, variants
from cwnd.plot.studies.canvas import Canvas, Width
from cwnd.plot.studies.drawn_labels import Label, list_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Values by name, with how often each occurred.
Sample = dict[str, tuple[Numbers, Numbers]]


def waits(runs: Sequence[RunData]) -> Sample:
    """Queueing delays of the packets at each link with a queue, over the measured interval (ms)."""
    found: Sample = {}
    for number, link in enumerate(runs[0].summary["links"]):
        parts = [table_rows(run, number) for run in runs]
        values, counts = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
        if counts.sum() and number in runs[0].queued:
            found[link["name"]] = values, counts
    return found


def table_rows(run: RunData, link: int) -> tuple[Numbers, Numbers]:
    table = run.result.waits
    at = table["link"].to_numpy() == link
    return table["wait_ms"].to_numpy()[at].astype(float), table["packets"].to_numpy()[at].astype(float)


def completions(runs: Sequence[RunData]) -> Sample:
    """Completion times of the transfers that started in the measured interval (s), by their groups; infinite where the run ended first."""
    found: dict[str, list[float]] = {}
    for run in runs:
        table, names = run.result.transfers, run.scenario.traffic_names
        took = table["end_s"].to_numpy(zero_copy_only=False) - table["start_s"].to_numpy()
        took = np.where(np.isfinite(took), took, np.inf)
        started, (begin, end) = table["start_s"].to_numpy(), run.scenario.measured_s
        group = table["group"].to_pylist()
        number = table["number"].to_pylist()
        for row in np.flatnonzero((started >= begin) & (started < end)):
            place = group[row]
            name = names[place] if place is not None else run.labels[number[row]]
            found.setdefault(name, []).append(float(took[row]))
    return {name: (np.array(values), np.ones(len(values))) for name, values in found.items()}


def throughputs(runs: Sequence[RunData]) -> Sample:
    """Throughputs of the flows of each group over the measured interval (Mbit/s)."""
    found: Sample = {}
    for label, flows in runs[0].flows_of.items():
        values = np.array([run.summary["flows"][flow]["throughput_mbps"] for run in runs for flow in flows])
        found[label] = values, np.ones(values.size)
    return found


MEASURES: dict[str, tuple[Callable[[Sequence[RunData]], Sample], str, str]] = {
    "queue_ms": (waits, "queueing delay (ms)", "fraction of packets at or below"),
    "completion_s": (completions, "completion time (s)", "fraction of transfers at or below"),
    "throughput_mbps": (throughputs, "throughput (Mbit/s)", "fraction of flows at or below"),
}


def distribution(runs: Runs, measure: str | None = None, *, width: Width = "page", ax: Axes | None = None) -> Figure:
    """The distribution of `queue_ms` (default), `completion_s` or `throughput_mbps` within runs; seeds are taken together."""
    found = variants(runs)
    chosen = measure_named("measure", "queue_ms" if measure is None else measure, MEASURES, "a measure of a run")
    sample, x_title, y_title = MEASURES[chosen]
    every = named(found, sample)
    lines = {name: line for name, line in every.items() if np.isfinite(line[0]).any()}
    if not lines:
        has_queue = any(variant.first.queued for variant in found)
        why = ": no link has a queue" if chosen == "queue_ms" and not has_queue else ""
        raise refused("measure", chosen, f"a measure that has values in these runs{why}")
    canvas = Canvas.of([""], width, ax)
    axes = canvas.grid[0]
    labels = []
    for number, (name, (values, counts)) in enumerate(lines.items()):
        order = np.argsort(values, kind="stable")
        parts = np.cumsum(counts[order]) / counts.sum()
        ended = np.isfinite(values[order])
        at, parts = values[order][ended], parts[ended]
        look = canvas.look(number).line
        axes.step(np.insert(at, 0, at[0]), np.insert(parts, 0, 0.0), where="post", gid=name, **look)
        half = min(0.5, float(parts[-1]) / 2)
        labels.append(Label(name, float(at[int(np.searchsorted(parts, half))]), half, look))
    axes.set_ylim(0, 1.02)
    axes.set_xlim(left=0)
    seeds = max(len(variant.runs) for variant in found)
    infinite, total = (int(sum(part(values) for values, _ in every.values())) for part in (never, len))
    unfinished = f"{infinite} of {total} transfers did not end in the run: the curve ends below 1" if infinite else ""
    intervals = dict.fromkeys(
        f"{begin:g} to {end:g} s" for begin, end in (each.first.scenario.measured_s for each in found)
    )
    together = f"seeds together, over {' and '.join(intervals)}" if seeds > 1 else f"over {' and '.join(intervals)}"
    words = [*set_up(found), together, unfinished]
    canvas.finish(y_title, x_title, words)
    if len(labels) > 1:
        list_names(canvas, [labels])
    return canvas.figure


def never(values: Numbers) -> int:
    """How many times are infinite."""
    return int(np.isinf(values).sum())


def named(found: Sequence[Variant], sample: Callable[[Sequence[RunData]], Sample]) -> Sample:
    """The lines of all variants by their names."""
    lines: Sample = {}
    for variant in found:
        own = sample(variant.runs)
        for name, values in own.items():
            several = len(found) > 1 and len(own) > 1
            lines[f"{variant.name}: {name}" if several else variant.name if len(found) > 1 else name] = values
    return lines
