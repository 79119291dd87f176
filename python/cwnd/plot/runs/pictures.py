# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of runs: `windows`, `throughput`, `queue`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cwnd._internal.input_errors import refused, unfit
from cwnd._native import __version__
from cwnd.plot.arguments import checked
from cwnd.plot.data import Numbers, RunData
from cwnd.plot.draw import draw_ends, draw_marks
from cwnd.plot.runs import curves, marks
from cwnd.plot.runs.curves import Curve, Series
from cwnd.plot.runs.scale import overshoot
from cwnd.plot.runs.variants import Runs, Variant, variants
from cwnd.plot.studies.canvas import Canvas, Width
from cwnd.plot.studies.drawn_labels import Label, name_ends
from cwnd.scenario.captions import others_of, traffic_of
from cwnd.scenario.snapshot import scenario_document

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VERSION = f"made with cwnd {__version__}"
#: Height of a panel over time, in widths of a letter.
TALL = 20


def set_up(found: Sequence[Variant]) -> list[str]:
    """What a caption says of the runs: the scenario with its flows, set-up, duration and seeds, those of each variant where there are several."""
    said = []
    for variant in found:
        run = variant.first
        seeds = [each.scenario.seed for each in variant.runs]
        setup = run.setup(400, brief=False).rsplit(", seed", 1)
        document = scenario_document(run.scenario)
        more = [*others_of(run.scenario, document).values()]
        more += [f"background traffic {words}" for words in traffic_of(run.scenario, document)]
        setup[0] = ", ".join([setup[0], *more])
        lane = "".join(setup[1].partition(", lane")[1:])
        of_seeds = f"seed {seeds[0]}" if len(seeds) == 1 else f"{len(seeds)} seeds"
        names = dict.fromkeys(name for name in (variant.name, run.name) if name)
        said.append(": ".join([*names, f"{setup[0]}, {run.scenario.duration_s:g} s, {of_seeds}{lane}"]))
    return ["set-up: " + "; ".join(said), VERSION]


def end_of(found: Sequence[Variant]) -> float:
    """The length of the longest run (s)."""
    return max(variant.first.scenario.duration_s for variant in found)


def canvas_over_time(found: Sequence[Variant], width: Width, ax: Axes | None) -> tuple[Canvas, Axes]:
    canvas = Canvas.of([""], width, ax, height=TALL)
    axes = canvas.grid[0]
    axes.set_xlim(0, end_of(found))
    return canvas, axes


def complete(
    canvas: Canvas, found: Sequence[Variant], labels: Sequence[Label], y_title: str, words: Sequence[str]
) -> Figure:
    """Marks what changed in the run, writes titles, caption and names."""
    axes = canvas.grid[0]
    if len(found) == 1 and len(found[0].runs) == 1:
        draw_marks(found[0].first, axes)
    canvas.finish(y_title, "time (s)", [*set_up(found), *words])
    if len(labels) > 1:
        name_ends(canvas, [labels])
    return canvas.figure


@checked
def windows(runs: Runs, *, width: Width = "page", ax: Axes | None = None) -> Figure:
    """Draws congestion windows (segments) over time, with the causes of losses as strips above them.

    `runs`: a `Result`, the folder of a run or of replicates (`--seeds`), or several of them, drawn side by side. Up to eight flows of single
    runs are lines; more flows, and several seeds, are their median with ribbons from 25 to 75 % and from 5 to 95 %. If slow start exceeds
    the windows of the measured interval by far, the scale is compressed above the dotted line, so that both are readable. `width` is `column`
    (3.4 inches), `page` or `slide`; with `ax` it is drawn into these axes. Returns the figure. Raises `ScenarioError` for anything other than runs.
    """
    found = variants(runs)

    def series(run: RunData, flow: int) -> Series:
        time, cwnd = run.window(flow)
        return with_peak(run, flow, time, cwnd.astype(float))

    every = curves.curves_of(found, series)
    if not any(member[0].size for curve in every for member in curve.members):
        raise unfit("runs", "runs with flows; these have only traffic")
    canvas, axes = canvas_over_time(found, width, ax)
    labels = curves.draw(axes, every, end_of(found), steps=True)
    begin = min(variant.first.scenario.measured_s[0] for variant in found)
    drawn = [np.column_stack([line.get_xdata(), line.get_ydata()]) for line in axes.get_lines()]
    drawn += [np.asarray(path.vertices) for band in axes.collections for path in band.get_paths()]
    points = np.concatenate(drawn) if drawn else np.zeros((0, 2))
    after = points[points[:, 0] >= begin, 1]
    settled = 1.1 * float(np.nanmax(after, initial=0))
    highest = float(np.nanmax(points[:, 1], initial=0))
    changes = overshoot(axes, settled, highest)
    only = [run for variant in found for run in variant.runs]
    marks.draw(axes, only, canvas.font)
    if curves.as_lines(every):
        draw_crosses(axes, found, every)
    words = curves.said(every)
    if changes:
        words.append(f"the scale is compressed above {settled:.4g} segments (dotted)")
    return complete(canvas, found, labels, "cwnd (segments)", words)


def draw_crosses(axes: Axes, found: Sequence[Variant], every: Sequence[Curve]) -> None:
    """Marks where connections ended by a fault, in the colours of their curves."""
    looks = iter(every)
    for variant in found:
        colours = {
            flow: colour
            for flows, colour in zip(variant.first.flows_of.values(), (curve.look.colour for curve in looks))
            for flow in flows
        }
        draw_ends(variant.first, axes, colours)


def with_peak(run: RunData, flow: int, time: Numbers, cwnd: Numbers) -> Series:
    """The samples of a window, and its largest value at an event, which falls between samples."""
    if flow not in run.peaks or (cwnd.size and run.peaks[flow][1] <= cwnd.max()):
        return time, cwnd
    peak_s, peak = run.peaks[flow]
    place = int(np.searchsorted(time, peak_s))
    return np.insert(time, place, peak_s), np.insert(cwnd, place, peak)


@checked
def throughput(runs: Runs, *, interval_s: float | None = None, width: Width = "page", ax: Axes | None = None) -> Figure:
    """Draws the throughput of flows (Mbit/s on the wire, means over `interval_s`: a second, or a fiftieth of a shorter run, drawn in its middle) over time.

    `runs`, lines, ribbons, `width` and `ax` as in `windows`.
    """
    found = variants(runs)
    end = end_of(found)
    step = min(1.0, end / 50) if interval_s is None else interval_s
    if isinstance(step, bool) or not isinstance(step, int | float) or not 0 < step <= end:
        raise refused("interval_s", interval_s, f"seconds above 0, at most {end:g}")

    def series(run: RunData, flow: int) -> Series:
        time, _, forwarded = run.series[flow]
        if time.size < 2:
            return np.zeros(0), np.zeros(0)
        edges = np.arange(0, run.scenario.duration_s + step / 2, step)
        bits = np.interp(edges, time, forwarded) * run.scenario.packet_bytes * 8
        rates: Numbers = np.diff(bits) / step / 1e6
        # Nothing is said of a flow before it starts.
        begun = edges[1:] > time[0]
        return (edges[1:] - step / 2)[begun], rates[begun]

    every = curves.curves_of(found, series)
    if not every:
        raise unfit("runs", "runs with flows; these have only traffic")
    canvas, axes = canvas_over_time(found, width, ax)
    labels = curves.draw(axes, every, end)
    axes.set_ylim(bottom=0)
    return complete(canvas, found, labels, "throughput (Mbit/s)", [f"means over {step:g} s", *curves.said(every)])


@checked
def queue(
    runs: Runs, link: str | None = None, *, unit: str | None = None, width: Width = "page", ax: Axes | None = None
) -> Figure:
    """Draws the queue of a link over time: as the time until it is sent (`unit="ms"`, where the link's rate is constant), or in packets, with the one in service.

    `link` is the link's name, by default the first link with a queue. `runs`, bands over seeds, `width` and `ax` as in `windows`.
    """
    found = variants(runs)
    names = [each["name"] for each in found[0].first.summary["links"]]
    if link is not None and link not in names:
        raise refused("link", link, "a link", names)
    if unit not in (None, "ms", "packets"):
        raise refused("unit", unit, "ms or packets")
    queued = sorted({place for variant in found for place in variant.first.queued})
    if not queued:
        raise unfit("runs", "runs with a queue: no link has a queue")
    number = queued[0] if link is None else names.index(link)
    if number not in queued:
        raise refused("link", link, "a link with a queue, as this one has no rate", [names[place] for place in queued])
    with_queue = [variant for variant in found if number in variant.first.queued]
    capacities = [run.capacity[number] for variant in with_queue for run in variant.runs]
    constant = all(capacity is not None and capacity.is_constant for capacity in capacities)
    if unit == "ms" and not constant:
        raise refused("unit", unit, "packets, as the link's rate changes")
    in_ms = constant if unit is None else unit == "ms"

    def series(run: RunData) -> Series:
        time, packets, size = run.queues[number]
        capacity = run.capacity[number]
        waits: Numbers = size * 8 / 1e3 / capacity.mbps[0] if in_ms and capacity else packets.astype(float)
        return time, waits

    every = [
        Curve(variant.name, place, [series(run) for run in variant.runs], len(variant.runs))
        for place, variant in enumerate(found)
        if variant in with_queue
    ]
    canvas, axes = canvas_over_time(found, width, ax)
    labels = curves.draw(axes, every, end_of(found))
    axes.set_ylim(bottom=0)
    words = [f"{variant.name}: no queue" for variant in found if variant not in with_queue]
    words += [f"link {names[number]}"] if len(names) > 1 else []
    title = "queueing delay (ms)" if in_ms else "queue (packets)"
    return complete(canvas, found, labels, title, [*words, *curves.said(every, "links")])
