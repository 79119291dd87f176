# SPDX-License-Identifier: MIT OR Apache-2.0
"""Curves over time: single lines, ribbons over many flows, bands over seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from cwnd.plot.data import Numbers, RunData
from cwnd.plot.runs.variants import Variant
from cwnd.plot.studies.canvas import Look
from cwnd.plot.studies.drawn_labels import Label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Of more flows than these, or of several seeds, quantiles are drawn.
MOST_LINES = 8
#: Times at which quantiles are taken.
GRID = 400
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)

#: Times (s) and values of one flow or link in a run.
Series = tuple[Numbers, Numbers]


@dataclass(slots=True)
class Curve:
    """What has one name, colour and dash: a group of flows, or a link, of a variant."""

    name: str
    number: int
    #: A series for each of its flows in each run.
    members: list[Series] = field(default_factory=list)
    seeds: int = 1

    @property
    def look(self) -> Look:
        return Look(self.number)


def curves_of(variants: Sequence[Variant], series: Callable[[RunData, int], Series]) -> list[Curve]:
    """A curve for each label of each variant; `series` gives that of a flow in a run."""
    found: list[Curve] = []
    for variant in variants:
        for label, flows in variant.first.flows_of.items():
            several = len(variants) > 1 and len(variant.first.flows_of) > 1
            name = f"{variant.name}: {label}" if several else variant.name if len(variants) > 1 else label
            members = [series(run, flow) for run in variant.runs for flow in flows]
            found.append(Curve(name, len(found), members, len(variant.runs)))
    return found


def as_lines(curves: Sequence[Curve]) -> bool:
    """Whether each member is drawn as a separate line."""
    few = sum(len(curve.members) for curve in curves) <= MOST_LINES or all(len(curve.members) == 1 for curve in curves)
    return few and all(curve.seeds == 1 for curve in curves)


def draw(axes: Axes, curves: Sequence[Curve], end_s: float, *, steps: bool = False) -> list[Label]:
    """Draws the curves until `end_s` (s); returns their names with where they end."""
    labels = []
    lines = as_lines(curves)
    for curve in curves:
        if lines:
            ends = [plain(axes, curve, member) for member in curve.members if member[0].size]
        else:
            ends = quantiles(axes, curve, end_s, steps=steps)
        if ends:
            labels.append(Label(curve.name, end_s, float(np.mean(ends)), curve.look.line))
    return labels


def plain(axes: Axes, curve: Curve, member: Series) -> float:
    """One line; returns its last value."""
    time, value = member
    axes.plot(time, value, color=curve.look.colour, linestyle=curve.look.dash, linewidth=1.0, alpha=0.9, gid=curve.name)
    finite = value[np.isfinite(value)]
    return float(finite[-1]) if finite.size else 0.0


def quantiles(axes: Axes, curve: Curve, end_s: float, *, steps: bool) -> list[float]:
    """The median of the members, and ribbons from 25 to 75 and from 5 to 95 %; returns the median's last value."""
    at = np.linspace(0, end_s, GRID + 1)
    rows = np.array([sampled(member, at, steps=steps) for member in curve.members if member[0].size])
    if not rows.size:
        return []
    some = np.isfinite(rows).any(axis=0)
    at, rows = at[some], rows[:, some]
    levels = np.nanquantile(rows, QUANTILES, axis=0)
    colour = curve.look.colour
    for low, high, alpha in ((0, 4, 0.15), (1, 3, 0.25)):
        axes.fill_between(
            at, levels[low], levels[high], color=colour, alpha=alpha, linewidth=0, gid=f"{curve.name} band"
        )
    axes.plot(at, levels[2], color=colour, linestyle=curve.look.dash, linewidth=1.3, gid=curve.name)
    return [float(levels[2][-1])]


def sampled(member: Series, at: Numbers, *, steps: bool) -> Numbers:
    """A series at these times; NaN before it begins and after it ends. With `steps` a value holds until the next."""
    time, value = member
    if steps:
        place = np.searchsorted(time, at, side="right") - 1
        found = np.where(place >= 0, value[np.clip(place, 0, None)], np.nan)
    else:
        found = np.interp(at, time, value)
    outside = (at < time[0]) | (at > time[-1] + (at[1] - at[0]))
    result: Numbers = np.where(outside, np.nan, found)
    return result


def said(curves: Sequence[Curve], what: str = "flows") -> list[str]:
    """What a caption says of lines and ribbons."""
    if as_lines(curves):
        return []
    seeds = sorted({curve.seeds for curve in curves})
    members = sorted({len(curve.members) // curve.seeds for curve in curves})
    flows = f"{members[0]}" if len(members) == 1 else f"{members[0]} to {members[-1]}"
    over = [f"{flows} {what}"] if members[-1] > 1 else []
    if seeds[-1] > 1:
        over.append(f"{seeds[0] if len(seeds) == 1 else f'{seeds[0]} to {seeds[-1]}'} seeds")
    return [f"lines: median over {' and '.join(over)}; ribbons: 25 to 75 % and 5 to 95 %"]
