# SPDX-License-Identifier: MIT OR Apache-2.0
"""Points of a plane with their ellipses, and the line from level to level of a factor."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from cwnd.plot.studies.canvas import GREY, Canvas, LineLook, note_size
from cwnd.plot.studies.drawn_labels import Label, Obstacles, name_points
from cwnd.plot.studies.ellipse import Spread
from cwnd.plot.studies.factors import Cell
from cwnd.plot.studies.panels import Line
from cwnd.plot.studies.selection import RunRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text


Key = TypeVar("Key", bound=Hashable)
#: The lines that no variant draws.
GUIDES = ("full capacity", "equal shares")


@dataclass(frozen=True, slots=True)
class Track:
    """The points of a variant, by the level of the factor that it goes along."""

    name: str
    number: int
    spreads: dict[Cell, Spread]

    @classmethod
    def of(
        cls,
        line: Line[RunRow],
        others: Mapping[Key, float | None],
        key: Callable[[RunRow], Key],
        *,
        swapped: bool = False,
    ) -> Track | None:
        """A line's values (across; `swapped`: up) with the other value of each run; nothing where no run has both."""
        spreads = {}
        for level, rows in line.rows.items():
            pairs = [(row["value"], others.get(key(row))) for row in rows]
            points = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
            if points:
                spreads[level] = Spread.of([point[::-1] for point in points] if swapped else points)
        return cls(line.name, line.number, spreads) if spreads else None


def draw_tracks(canvas: Canvas, axes: Axes, tracks: Sequence[Track], *, in_order: bool) -> None:
    """Draws points and their ellipses; those in an order larger from level to level, with a thin line in the dashes of their group that joins them."""
    from matplotlib.patches import Ellipse

    for track in tracks:
        looks = canvas.look(track.number)
        spreads = list(track.spreads.values())
        is_path = in_order and len(spreads) > 1
        if is_path:
            along = [spread.x for spread in spreads], [spread.y for spread in spreads]
            axes.plot(
                *along, color=looks.colour, linestyle=looks.dash, linewidth=0.8 * looks.scale, alpha=0.6, zorder=2
            )
        for place, spread in enumerate(spreads):
            size = 3.0 + 3.5 * place / (len(spreads) - 1) if is_path else 4.5
            dots: LineLook = {**looks.dots, "markersize": size * looks.scale, "zorder": 4}
            axes.plot([spread.x], [spread.y], gid=track.name, **dots)
            # Of two values an ellipse is a line.
            if spread.n > 2 and spread.long > 0:
                ellipse = Ellipse((spread.x, spread.y), 2 * spread.long, 2 * spread.short, angle=spread.angle)
                ellipse.set(
                    facecolor=looks.colour, edgecolor=looks.colour, alpha=0.3, linewidth=0.8 * looks.scale, zorder=1
                )
                axes.add_patch(ellipse)


def draw_shares(axes: Axes, capacity: float | None, slope: float | None, top: float) -> list[Text]:
    """Draws the lines of full capacity and of equal shares; returns their labels."""
    notes = []
    style: LineLook = {"color": GREY, "linewidth": 0.8, "zorder": 0.5}
    if capacity is not None:
        axes.plot([0, capacity], [capacity, 0], linestyle=(0, (4, 2)), gid=GUIDES[0], **style)
        notes.append(note(axes, GUIDES[0], (0.97 * capacity, 0.03 * capacity), (-1, 1)))
    if slope is not None:
        end = (top, slope * top) if slope <= 1 else (top / slope, top)
        axes.plot([0, end[0]], [0, end[1]], gid=GUIDES[1], **style)
        notes.append(note(axes, GUIDES[1], (0.03 * end[0], 0.03 * end[1]), end))
    return notes


def note(axes: Axes, text: str, at: tuple[float, float], along: tuple[float, float]) -> Text:
    """Writes above a line what it is, from a place on in its direction, or up to there where that leads to the left."""
    return axes.text(
        *at,
        text,
        rotation=math.degrees(math.atan2(along[1], along[0])) - (180 if along[0] < 0 else 0),
        rotation_mode="anchor",
        transform_rotates_text=True,
        ha="left" if along[0] > 0 else "right",
        va="bottom",
        color=GREY,
        fontsize=note_size(axes),
    )


def draw_better(axes: Axes) -> None:
    """Says which corner is the better one."""
    axes.set_title("better ↗", loc="right", color=GREY, fontsize=note_size(axes))


def label_tracks(canvas: Canvas, tracks: Sequence[Sequence[Track]], notes: Sequence[Sequence[Text]]) -> None:
    """Writes the name of each variant next to its last point; a single variant is named elsewhere."""
    if len({track.name for own in tracks for track in own}) < 2:
        return
    all_labels, obstacles = [], []
    for axes, own, texts in zip(canvas.grid, tracks, notes, strict=True):
        labels = []
        covered: list[tuple[tuple[float, float], float]] = []
        for track in own:
            spreads = list(track.spreads.values())
            labels.append(Label(track.name, spreads[-1].x, spreads[-1].y, canvas.look(track.number).dots))
            covered += [((spread.x, spread.y), 2.0) for spread in spreads]
            covered += [(at, 0.4) for spread in spreads for at in spread.border(12)]
            covered += [
                (at, 0.3)
                for ends in itertools.pairwise([(spread.x, spread.y) for spread in spreads])
                for at in between(*ends)
            ]
        for line in axes.lines:
            if line.get_gid() in GUIDES:
                first, second = np.asarray(line.get_xydata(), dtype=float).tolist()
                covered += [(at, 0.3) for at in between(first, second, 60)]
        all_labels.append(labels)
        obstacles.append(Obstacles(covered, texts))
    name_points(canvas, all_labels, obstacles)


def between(first: Sequence[float], second: Sequence[float], count: int = 10) -> list[tuple[float, float]]:
    """Places on the line from one place to another."""
    parts = [number / count for number in range(1, count)]
    return [(first[0] + part * (second[0] - first[0]), first[1] + part * (second[1] - first[1])) for part in parts]
