# SPDX-License-Identifier: MIT OR Apache-2.0
"""The figure of a picture of a study: panels, their axes and headings, labels next to what they name, and the caption."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from matplotlib import rcParams
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from cwnd._internal.input_errors import refused
from cwnd.plot.data import COLOURS, Dash
from cwnd.plot.studies.factors import Factor
from cwnd.scenario.notation import level_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Width = Literal["column", "page", "slide"]
#: In inches, with the size of the font in points.
WIDTHS: dict[Width, tuple[float, float]] = {"column": (3.4, 8.0), "page": (7.0, 9.0), "slide": (10.0, 14.0)}
GREY = "#555555"
#: One for each possible line of a picture, so that points without lines are distinguishable in grey too.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", "p", ">", "h")
#: As many, for lines without markers.
DASHES: tuple[Dash, ...] = (
    "-",
    (0, (5, 1.5)),
    (0, (1, 1)),
    (0, (5, 1, 1, 1)),
    (0, (10, 2)),
    (0, (3, 1, 1, 1, 1, 1)),
    (0, (1, 3)),
    (0, (12, 2, 2, 2)),
    (0, (4, 4)),
    (0, (8, 2, 1, 2, 1, 2)),
    (0, (2, 1)),
    (0, (6, 2, 3, 2)),
)
#: Levels that each have a tick.
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
    """How a line is drawn: lines are also distinguishable without colours."""

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
    def line(self) -> LineLook:
        """As a line without points."""
        return {"color": self.colour, "linestyle": self.dash, "linewidth": 1.3 * self.scale}

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
        rows = -(-len(self.grid) // self.columns)
        height = min(axes.get_window_extent().height for axes in self.grid)
        # With low panels, a title that does not fit in one line is drawn once, for all of them.
        once = rows > 1 and "\n" in self.wrapped(y_title, height)
        if once:
            whole = self.wrapped(y_title, rows * height)
            self.figure.supylabel(whole, fontsize=self.font, parse_math=False)
        for place, axes in enumerate(self.grid):
            if (place % self.columns == 0 or self.given) and not once:
                axes.set_ylabel(self.wrapped(y_title, axes.get_window_extent().height), parse_math=False)
            if place + self.columns >= len(self.grid) or self.given:
                axes.set_xlabel(self.wrapped(x_title, axes.get_window_extent().width), parse_math=False)
        if not self.given:
            said = ". ".join(word[:1].upper() + word[1:] for word in words if word) + "."
            # A number and its unit stay on one line.
            self.caption(re.sub(r"(\d) (?=%|\w+)", "\\1\u00a0", said))

    def caption(self, said: str) -> None:
        """Writes it below the panels, in lines as long as the figure is wide."""
        text = self.figure.supxlabel("", x=0.01, ha="left", fontsize=0.85 * self.font, color=GREY, parse_math=False)
        room = 0.98 * self.figure.get_figwidth() * self.figure.dpi
        # Settings of flows may be broken at their commas.
        words, lines = re.findall(r"[^ ,]*,? ?|, ?", said), [""]
        for word in words:
            text.set_text((lines[-1] + word).rstrip())
            if lines[-1] and text.get_window_extent().width > room:
                lines.append("")
            lines[-1] += word
        text.set_text("\n".join(line.rstrip() for line in lines))
        # It has taken of the panels' height.
        self.figure.draw_without_rendering()
        self.rewrap()

    def rewrap(self) -> None:
        """Wraps the titles of the axes again, after names and caption have made the panels smaller."""
        for axes in self.grid:
            if title := axes.get_ylabel().replace("\n", " "):
                axes.set_ylabel(self.wrapped(title, axes.get_window_extent().height), parse_math=False)
            if title := axes.get_xlabel().replace("\n", " "):
                axes.set_xlabel(self.wrapped(title, axes.get_window_extent().width), parse_math=False)

    def look(self, number: int) -> Look:
        """How a line is drawn, with the letters of this figure."""
        return Look(number, self.font / WIDTHS["page"][1])

    def head(self, title: str) -> None:
        """Writes a heading above all panels."""
        if not self.given:
            self.figure.suptitle(title, x=0.01, ha="left", fontsize=1.05 * self.font, parse_math=False)

    def wrapped(self, title: str, pixels: float) -> str:
        """The title of an axis, in lines that are as long as it."""
        return textwrap.fill(title, max(12, int(pixels / (0.6 * self.font * self.figure.dpi / 72))))


def note_size(axes: Axes) -> float:
    """The text size of line labels: somewhat smaller than the axis titles."""
    return 0.85 * float(axes.xaxis.label.get_fontsize())


def style(axes: Axes, font: float) -> None:
    """A panel without a frame above and to the right, with a light grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=0.9 * font)
    axes.xaxis.label.set_fontsize(font)
    axes.yaxis.label.set_fontsize(font)


#: The least span of an axis over values, as part of them: less would look like a difference.
LEAST_SPAN = 0.01


def plain_numbers(axes: Axes) -> None:
    """The numbers of a horizontal axis whole, without one that is to be added to all; an axis over next to nothing is wider."""
    low, high = axes.get_xlim()
    least = LEAST_SPAN * max(abs(low), abs(high))
    if high - low < least:
        middle = (low + high) / 2
        axes.set_xlim(middle - least / 2, middle + least / 2)
    axes.ticklabel_format(axis="x", useOffset=False, style="plain")


def x_axis(axes: Axes, factor: Factor) -> None:
    """Scale and ticks of the axis of a factor."""
    if factor.numbers is None:
        axes.set_xticks(range(len(factor.levels)), [level_words(level) for level in factor.levels])
        axes.set_xlim(-0.5, len(factor.levels) - 0.5)
        return
    values = [factor.numbers[level] for level in factor.levels]
    if factor.is_log:
        axes.set_xscale("log")
        axes.xaxis.set_minor_locator(NullLocator())
        axes.xaxis.set_minor_formatter(NullFormatter())
    if len(values) <= MOST_TICKS:
        axes.set_xticks(values, [f"{value:.3g}" for value in values])
