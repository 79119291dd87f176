# SPDX-License-Identifier: MIT OR Apache-2.0
"""The figure of a picture of a study: panels, their axes and headings, labels that stand beside what they name, and the caption."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Literal, TypedDict, cast

import numpy as np
from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from cwnd.input_errors import refused
from cwnd.plot.run import COLOURS, Dash
from cwnd.plot.studies.factors import Factor
from cwnd.plot.studies.labels import Room, apart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Annotation, Text
    from matplotlib.transforms import Bbox

Width = Literal["column", "page", "slide"]
#: In inches, with the size of the font in points.
WIDTHS: dict[Width, tuple[float, float]] = {"column": (3.4, 8.0), "page": (7.0, 9.0), "slide": (10.0, 14.0)}
GREY = "#555555"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Dash, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
#: Levels of which each has a tick of its own.
MOST_TICKS = 9


class LineLook(TypedDict, total=False):
    """How a line or points are drawn, as keywords of matplotlib."""

    color: str
    marker: str
    linestyle: Dash
    markersize: float
    linewidth: float
    zorder: float


class Picture(Figure):
    """A figure that a notebook shows, whatever backend it has."""

    def _repr_png_(self) -> bytes:
        found = BytesIO()
        self.savefig(found, format="png", dpi=110)
        return found.getvalue()


@dataclass(frozen=True, slots=True)
class Look:
    """How a line is drawn: what tells lines apart for those who see no colours too."""

    number: int
    #: Of lines and markers, with that of the letters.
    scale: float = 1.0

    @property
    def colour(self) -> str:
        return COLOURS[self.number % len(COLOURS)]

    @property
    def dash(self) -> Dash:
        return DASHES[self.number % len(DASHES)]

    @property
    def dots(self) -> LineLook:
        """As points."""
        return {
            "color": self.colour,
            "marker": MARKERS[self.number % len(MARKERS)],
            "linestyle": "none",
            "markersize": 4.5 * self.scale,
        }

    @property
    def joined(self) -> LineLook:
        """As points that a line joins."""
        return {**self.dots, "linestyle": self.dash, "markersize": 3.5 * self.scale, "linewidth": 1.3 * self.scale}


@dataclass(frozen=True, slots=True)
class Label:
    """A name and where it belongs."""

    text: str
    x: float
    y: float
    colour: str


@dataclass(frozen=True, slots=True)
class Obstacles:
    """What names beside points should not cover: places, and how bad that is, and texts."""

    points: Sequence[tuple[tuple[float, float], float]]
    texts: Sequence[Text]


@dataclass(frozen=True, slots=True)
class Canvas:
    """A figure with its panels."""

    figure: Figure
    grid: list[Axes]
    columns: int
    font: float
    #: Whether the figure is the caller's, whose size and margins stay.
    given: bool

    @classmethod
    def of(
        cls,
        titles: Sequence[str],
        width: Width,
        ax: Axes | None,
        *,
        height: float | None = None,
        most_columns: int = 3,
        shared: Literal["x", "y", "both"] = "both",
    ) -> Canvas:
        """A panel for each title; `height` is that of a panel in widths of a letter."""
        if ax is not None:
            if len(titles) != 1:
                raise refused("ax", f"{len(titles)} panels", f"one panel: fix factors with where ({'; '.join(titles)})")
            return cls(cast("Figure", ax.get_figure(root=True)), [ax], 1, float(rcParams["font.size"]), given=True)
        if width not in WIDTHS:
            raise refused("width", width, "a width", WIDTHS)
        inches, font = WIDTHS[width]
        most = most_columns if width != "column" else 1 if len(titles) < 5 else 2
        rows = -(-len(titles) // most)
        columns = -(-len(titles) // rows)
        tall = (height or 16) * font / 72 * (1.35 if rows == 1 and height is None else 1)
        figure = Picture(figsize=(inches, rows * tall + 6 * font / 72), layout="constrained")
        FigureCanvasAgg(figure)
        share_x, share_y = shared in ("x", "both"), shared in ("y", "both")
        grid = list(figure.subplots(rows, columns, squeeze=False, sharex=share_x, sharey=share_y).flat)
        for place, axes in enumerate(grid):
            axes.set_visible(place < len(titles))
            style(axes, font)
        letters = max(12, int(0.8 * inches / columns * 72 / (0.55 * font)))
        for axes, title in zip(grid, titles):
            axes.set_title(
                textwrap.fill(title, letters, break_long_words=False), fontsize=font, loc="left", parse_math=False
            )
        canvas = cls(figure, grid[: len(titles)], columns, font, given=False)
        for place, axes in enumerate(canvas.grid):
            axes.tick_params(labelbottom=shared == "y" or place + columns >= len(titles))
        return canvas

    def finish(self, y_title: str, x_title: str, words: Sequence[str]) -> None:
        """Writes the titles of the axes at the outer panels, and the caption below. Labels come after it: they need the panels as they will be."""
        self.figure.draw_without_rendering()
        for place, axes in enumerate(self.grid):
            if place % self.columns == 0 or self.given:
                axes.set_ylabel(self.wrapped(y_title, axes.get_window_extent().height), parse_math=False)
            if place + self.columns >= len(self.grid) or self.given:
                axes.set_xlabel(self.wrapped(x_title, axes.get_window_extent().width), parse_math=False)
        if not self.given:
            letters = int(self.figure.get_figwidth() * 72 / (0.85 * self.font * 0.54))
            said = ". ".join(word[:1].upper() + word[1:] for word in words if word) + "."
            # A number and its unit stay on one line.
            text = textwrap.fill(re.sub(r"(\d) (?=%|\w+)", "\\1\u00a0", said), letters)
            self.figure.supxlabel(text, x=0.01, ha="left", fontsize=0.85 * self.font, color=GREY, parse_math=False)

    def look(self, number: int) -> Look:
        """How a line is drawn, with the letters of this figure."""
        return Look(number, self.font / WIDTHS["page"][1])

    def head(self, title: str) -> None:
        """Writes a heading above all panels."""
        if not self.given:
            self.figure.suptitle(title, x=0.01, ha="left", fontsize=1.05 * self.font, parse_math=False)

    def wrapped(self, title: str, pixels: float) -> str:
        """The title of an axis, in lines that are as long as it."""
        return textwrap.fill(title, max(12, int(1.1 * pixels / (0.55 * self.font * self.figure.dpi / 72))))

    def label_ends(self, labels: Sequence[Sequence[Label]]) -> None:
        """Writes names to the right of the panels of the last column, apart from each other."""
        # First all of them, so that the panels have their sizes, then where they stand.
        written = []
        for place, (axes, own) in enumerate(zip(self.grid, labels, strict=True)):
            is_right = place % self.columns == self.columns - 1
            if is_right or place == len(self.grid) - 1:
                texts = [self.beside(axes, label) for label in own]
                # Right of the last of an incomplete row is room.
                for text in texts:
                    text.set_in_layout(is_right)
                written.append((axes, own, texts))
        self.figure.draw_without_rendering()
        for axes, own, texts in written:
            lines = max((text.get_text().count("\n") + 1 for text in texts), default=1)
            per_line = lines * 1.15 * self.font / 72 / (axes.get_window_extent().height / self.figure.dpi)
            # By the axis' scale, which need not be linear.
            inside = axes.transAxes.inverted()
            wanted = [float(inside.transform(axes.transData.transform((label.x, label.y)))[1]) for label in own]
            for text, at in zip(texts, apart(wanted, per_line), strict=True):
                text.xy = (1.0, at)

    def beside(self, axes: Axes, label: Label) -> Annotation:
        """A name to the right of a panel."""
        # A third of a narrow figure is enough for names.
        letters = max(12, int(self.figure.get_figwidth() * 72 / 3 / (0.5 * self.font)))
        text = axes.annotate(
            label.text if self.given else textwrap.fill(label.text, letters, break_long_words=False),
            (1.0, 0.5),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            color=label.colour,
            fontsize=0.95 * self.font,
            parse_math=False,
            annotation_clip=False,
        )
        return text

    def label_points(self, labels: Sequence[Sequence[Label]], obstacles: Sequence[Obstacles]) -> None:
        """Writes names beside their points, where they cover the least, with a thin line to the point where they stand off from it."""
        self.figure.draw_without_rendering()
        pixel = self.figure.dpi / 72
        for axes, own, covered in zip(self.grid, labels, obstacles, strict=True):
            points = np.array([at for at, _ in covered.points]).reshape(-1, 2)
            room = Room(
                corners(axes.get_window_extent()),
                self.font * pixel,
                axes.transData.transform(points),
                np.array([weight for _, weight in covered.points]),
                [corners(text.get_window_extent()) for text in covered.texts],
            )
            for label in own:
                text = axes.annotate(
                    label.text,
                    (label.x, label.y),
                    xytext=(0, 0),
                    textcoords="offset points",
                    ha="center",
                    va="center",
                    color=label.colour,
                    fontsize=0.95 * self.font,
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
                        arrowprops={
                            "arrowstyle": "-",
                            "color": label.colour,
                            "linewidth": 0.6,
                            "shrinkA": 0,
                            "shrinkB": 2,
                        },
                        zorder=5,
                    ).set_in_layout(False)


def corners(box: Bbox) -> tuple[float, float, float, float]:
    """Left, bottom, right and top of a box."""
    return float(box.x0), float(box.y0), float(box.x1), float(box.y1)


def note_size(axes: Axes) -> float:
    """The size of what is written beside lines: somewhat smaller than the titles of the axes."""
    return 0.85 * float(axes.xaxis.label.get_fontsize())


def style(axes: Axes, font: float) -> None:
    """A panel without a frame above and to the right, with a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=0.9 * font)
    axes.xaxis.label.set_fontsize(font)
    axes.yaxis.label.set_fontsize(font)


def x_axis(axes: Axes, factor: Factor) -> None:
    """Scale and ticks of the axis of a factor."""
    if factor.numbers is None:
        axes.set_xticks(range(len(factor.levels)), [str(level) for level in factor.levels])
        axes.set_xlim(-0.5, len(factor.levels) - 0.5)
        return
    values = [factor.numbers[level] for level in factor.levels]
    if factor.is_log:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
    if len(values) <= MOST_TICKS:
        axes.set_xticks(values, [f"{value:.3g}" for value in values])
