# SPDX-License-Identifier: MIT OR Apache-2.0
"""Names in a figure: at the ends of lines, at points or, if those are too close together, in a list to the right of the panels."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation, blended_transform_factory

from cwnd.plot.studies.canvas import Canvas, LineLook
from cwnd.plot.studies.label_places import Room, apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

#: Up to so many names in a panel stand at their points, in figures of at most so many columns and at least so wide (inches); more have a list.
MOST_AT_POINTS, MOST_COLUMNS, LEAST_WIDTH = 3, 2, 5.0
#: From the panel to a name's sample, the length of that, and from there to the name; in widths of a letter.
GAP, SAMPLE, SPACE = 0.5, 2.2, 0.5
#: From a name to the next, in heights of a letter.
LEADING = 1.15


@dataclass(frozen=True, slots=True)
class Label:
    """A name, where it belongs, and how what it names is drawn."""

    text: str
    x: float
    y: float
    look: LineLook

    @property
    def colour(self) -> str:
        return self.look["color"]


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What names at points should not cover: places with a penalty each, and texts."""

    points: Sequence[tuple[tuple[float, float], float]]
    texts: Sequence[Text]


@dataclass(frozen=True, slots=True)
class Entry:
    """A name to the right of a panel, with a sample of its line."""

    text: Annotation
    sample: Line2D

    @classmethod
    def beside(cls, canvas: Canvas, axes: Axes, label: Label) -> Entry:
        # A third of a narrow figure is enough for names.
        letters = max(12, int(canvas.figure.get_figwidth() * 72 / 3 / (0.5 * canvas.font)))
        text = axes.annotate(
            textwrap.fill(label.text, letters, break_long_words=False),
            (1.0, 0.5),
            xycoords="axes fraction",
            xytext=((GAP + SAMPLE + SPACE) * canvas.font, 0),
            textcoords="offset points",
            va="center",
            color=label.colour,
            fontsize=0.95 * canvas.font,
            parse_math=False,
            annotation_clip=False,
        )
        inches = [place * canvas.font / 72 for place in (GAP, GAP + SAMPLE / 2, GAP + SAMPLE)]
        from_right = canvas.figure.dpi_scale_trans + ScaledTranslation(1, 0, axes.transAxes)  # type: ignore[arg-type]
        sample = Line2D(inches, [0.5] * 3, markevery=[1], clip_on=False, **label.look)
        sample.set_transform(blended_transform_factory(from_right, axes.transAxes))
        # Of the figure: the lines of the axes are those of data.
        canvas.figure.add_artist(sample)
        return cls(text, sample)

    def move(self, at: float) -> None:
        """Puts it at this part of the panel's height."""
        self.text.xy = (1.0, at)
        self.sample.set_ydata([at] * 3)

    def leave_layout(self) -> None:
        self.text.set_in_layout(False)
        self.sample.set_in_layout(False)

    @property
    def lines(self) -> int:
        return self.text.get_text().count("\n") + 1


def name_inside(axes: Axes, labels: Sequence[Label]) -> None:
    """Writes names with samples where they cover the least of a panel: a caller's axes may have no room next to them."""
    handles = [Line2D([], [], label=textwrap.fill(label.text, 24), **label.look) for label in labels]
    if handles:
        axes.legend(
            handles=handles,
            fontsize="small",
            framealpha=0.6,
            edgecolor="none",
            labelcolor=[label.colour for label in labels],
        )


def name_ends(canvas: Canvas, labels: Sequence[Sequence[Label]]) -> None:
    """Writes names to the right of the panels of the last column, at the ends of their lines and apart from each other."""
    if canvas.given:
        return name_inside(canvas.grid[0], labels[0])
    # First all names, which fixes the panels' sizes, then their positions.
    written = []
    for place, (axes, own) in enumerate(zip(canvas.grid, labels, strict=True)):
        is_right = place % canvas.columns == canvas.columns - 1
        if is_right or place == len(canvas.grid) - 1:
            entries = [Entry.beside(canvas, axes, label) for label in own]
            # Right of the last of an incomplete row is room.
            if not is_right:
                for entry in entries:
                    entry.leave_layout()
            written.append((axes, own, entries))
    canvas.figure.draw_without_rendering()
    canvas.rewrap()
    for axes, own, entries in written:
        step = height_of_a_line(canvas, axes) * max((entry.lines for entry in entries), default=1)
        # By the axis' scale, which need not be linear.
        inside = axes.transAxes.inverted()
        wanted = [float(inside.transform(axes.transData.transform((label.x, label.y)))[1]) for label in own]
        for entry, at in zip(entries, apart(wanted, step, (0.0, 1.0)), strict=True):
            entry.move(at)
    return None


def name_points(canvas: Canvas, labels: Sequence[Sequence[Label]], obstacles: Sequence[Obstacles]) -> None:
    """Writes names next to their points, where they cover the least; if there are too many, in a list to the right of the panels."""
    is_narrow = canvas.columns > MOST_COLUMNS or canvas.figure.get_figwidth() < LEAST_WIDTH
    if max(map(len, labels)) > MOST_AT_POINTS or is_narrow:
        return list_names(canvas, labels)
    canvas.figure.draw_without_rendering()
    pixel = canvas.figure.dpi / 72
    for axes, own, covered in zip(canvas.grid, labels, obstacles, strict=True):
        points = np.array([at for at, _ in covered.points]).reshape(-1, 2)
        room = Room(
            corners(axes.get_window_extent()),
            canvas.font * pixel,
            axes.transData.transform(points),
            np.array([weight for _, weight in covered.points]),
            [corners(text.get_window_extent()) for text in covered.texts],
        )
        for label in own:
            name_point(canvas, axes, label, room)
    return None


def name_point(canvas: Canvas, axes: Axes, label: Label, room: Room) -> None:
    """Writes a name next to its point, with a thin line to the point if it is not adjacent."""
    pixel = canvas.figure.dpi / 72
    text = axes.annotate(
        label.text,
        (label.x, label.y),
        xytext=(0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        color=label.colour,
        fontsize=0.95 * canvas.font,
        parse_math=False,
        zorder=6,
        # A line that passes under a name does not strike it through.
        bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.5},
    )
    text.set_in_layout(False)
    box = text.get_window_extent()
    x, y = axes.transData.transform((label.x, label.y))
    placed = room.place((float(x), float(y)), (box.width, box.height))
    text.set_position((placed.across / pixel, placed.up / pixel))
    if placed.leader is not None:
        axes.annotate(
            "",
            (label.x, label.y),
            xytext=(placed.leader[0] / pixel, placed.leader[1] / pixel),
            textcoords="offset points",
            arrowprops={"arrowstyle": "-", "color": label.colour, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2},
            zorder=5,
        ).set_in_layout(False)


def list_names(canvas: Canvas, labels: Sequence[Sequence[Label]]) -> None:
    """Writes each name once, in a list to the right of the first row of panels, with a sample of its line."""
    axes = canvas.grid[min(canvas.columns, len(canvas.grid)) - 1]
    once = {label.text: label for own in labels for label in own}
    if canvas.given:
        return name_inside(axes, list(once.values()))
    entries = [Entry.beside(canvas, axes, label) for label in once.values()]
    canvas.figure.draw_without_rendering()
    canvas.rewrap()
    line = height_of_a_line(canvas, axes)
    top = 1.0
    for entry in entries:
        entry.move(top - line * entry.lines / 2)
        top -= line * entry.lines
    return None


def height_of_a_line(canvas: Canvas, axes: Axes) -> float:
    """From a line of names to the next, in parts of the panel's height."""
    return LEADING * canvas.font / 72 / (axes.get_window_extent().height / canvas.figure.dpi)


def corners(box: Bbox) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a box."""
    return float(box.x0), float(box.y0), float(box.x1), float(box.y1)
