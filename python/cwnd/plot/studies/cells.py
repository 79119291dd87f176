# SPDX-License-Identifier: MIT OR Apache-2.0
"""Cells of a map with their values, in colours of equal steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cwnd.plot.studies.canvas import Canvas
from cwnd.plot.studies.factors import Cell, Factor
from cwnd.scenario.notation import level_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

#: Perceptually uniform, rising in lightness: what a grey copy or colour-blind eyes see is in the same order (Nuñez, Anderton and Renslow 2018).
COLOURS = "cividis"
#: Diverging, dark at both ends: blue and orange-red, which colour-blind eyes tell apart; the numbers have the sign for a grey copy.
DIVERGING = "RdBu_r"
#: Width of a letter in its heights, and the smallest letters that are written, in points.
LETTER, SMALLEST = 0.64, 4.0
MOST_TICKS = 12
#: Ratios that a bar names.
RATIOS = (0.1, 0.2, 0.5, 0.67, 0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 2.0, 5.0, 10.0)
#: If the largest value exceeds the smallest by more than this factor, the colour scale is logarithmic.
FEW_TIMES = 20


@dataclass(frozen=True, slots=True)
class Cells:
    """The values of a panel by their levels across and up, and which of them are undecided."""

    title: str
    values: dict[tuple[Cell, Cell], float]
    undecided: frozenset[tuple[Cell, Cell]] = frozenset()


def draw_cells(
    canvas: Canvas, cells: Sequence[Cells], factors: tuple[Factor, Factor], title: str, middle: float | None
) -> None:
    """Draws a map in each panel, in the colours of one bar; with `middle` they are those of more and less than that."""
    import matplotlib as mpl
    from matplotlib.colors import CenteredNorm, LogNorm, Normalize

    # What is infinite, a time that one side never reached, has the colour of the largest.
    values = [value for each in cells for value in each.values.values() if math.isfinite(value)] or [1.0]
    norm: Normalize
    most = max([1.02, *values, *(1 / value for value in values)]) if middle else 1.0
    if middle is None and min(values) > 0 and max(values) > FEW_TIMES * min(values):
        norm = LogNorm(min(values), max(values))
    elif middle is None:
        norm = Normalize(min(values), max(values))
    elif middle:
        norm = LogNorm(1 / most, most)
    else:
        norm = CenteredNorm(0, max(map(abs, values)) or 1.0)
    colours = mpl.colormaps[COLOURS if middle is None else DIVERGING]
    across, up = factors
    image = None
    form = f"{'+' if middle == 0 else ''}.{digits_of(values)}f"
    for axes, each in zip(canvas.grid, cells, strict=True):
        array = np.array([[each.values.get((x, y), np.nan) for x in across.levels] for y in up.levels])
        array = np.clip(array, *((norm.vmin, norm.vmax) if np.isinf(array).any() else (-np.inf, np.inf)))
        image = axes.imshow(array, origin="lower", aspect="auto", cmap=colours, norm=norm)
        for side, factor in ((axes.xaxis, across), (axes.yaxis, up)):
            every = -(-len(factor.levels) // MOST_TICKS)
            places = range(0, len(factor.levels), every)
            side.set_ticks(places, [tick(factor, factor.levels[place]) for place in places], parse_math=False)
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
    assert image is not None
    bar = canvas.figure.colorbar(image, ax=canvas.grid, aspect=30, pad=0.02)
    bar.set_label(title, fontsize=canvas.font, parse_math=False)
    bar.ax.tick_params(labelsize=0.9 * canvas.font)
    bar.outline.set_visible(False)
    if middle:
        plain_ticks(bar.ax, [each for each in RATIOS if 1 / most <= each <= most])
    elif isinstance(norm, LogNorm):
        rounded = [part * 10.0**power for power in range(-9, 10) for part in (1, 2, 5)]
        plain_ticks(bar.ax, [each for each in rounded if min(values) <= each <= max(values)])
    canvas.figure.draw_without_rendering()
    longest = max(len(f"{value:{form}}") for value in values) + 2 * any(each.undecided for each in cells)
    for axes, each in zip(canvas.grid, cells, strict=True):
        points = axes.get_window_extent().width * 72 / canvas.figure.dpi
        size = min(0.85 * canvas.font, points / len(across.levels) / longest / LETTER)
        write_values(axes, each, factors, (colours, norm), size, form)


def plain_ticks(axes: Axes, ticks: Sequence[float]) -> None:
    """Ticks of a logarithmic bar as plain numbers."""
    axes.yaxis.minorticks_off()
    axes.set_yticks(ticks, [f"{each:g}" for each in ticks])


def tick(factor: Factor, level: Cell) -> str:
    """A level on an axis: its number, or its text."""
    return level_words(level) if factor.numbers is None else f"{factor.numbers[level]:.3g}"


def digits_of(values: Sequence[float]) -> int:
    """Decimals that show three figures of the largest value, at most four."""
    most = max(map(abs, values), default=0.0)
    return max(0, min(4, 2 - int(np.floor(np.log10(most))))) if most > 0 else 0


def write_values(
    axes: Axes, cells: Cells, factors: tuple[Factor, Factor], colouring: tuple[Colormap, object], size: float, form: str
) -> None:
    """Writes each value in its cell, in black or white, whichever is read better there; hatches undecided cells. In cells without room there are no values."""
    from matplotlib.patches import Rectangle

    colours, norm = colouring
    across, up = factors
    for (x, y), value in cells.values.items():
        at = across.levels.index(x), up.levels.index(y)
        bounded = value if math.isfinite(value) else norm.vmax if value > 0 else norm.vmin  # type: ignore[attr-defined]
        red, green, blue, _ = colours(norm(bounded))  # type: ignore[operator]
        ink = "black" if luminance(red, green, blue) > 0.179 else "white"
        text = (f"{value:{form}}" if math.isfinite(value) else f"{value:+.0f}".replace("inf", "∞")).replace("-", "−")
        if (x, y) in cells.undecided:
            hatched = Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, fill=False, hatch="////", linewidth=0, edgecolor=ink)
            hatched.set_alpha(0.35)
            axes.add_patch(hatched)
            text = f"({text})"
        # On hatches a number is read on a ground of the cell's own colour.
        ground = {"facecolor": (red, green, blue), "edgecolor": "none", "pad": 1.0}
        if size < SMALLEST:
            continue
        axes.text(*at, text, ha="center", va="center", color=ink, fontsize=size, gid=f"{x}, {y}", bbox=ground)


def luminance(red: float, green: float, blue: float) -> float:
    """Relative luminance of a colour of sRGB (WCAG 2.2); above 0.179 black has more contrast than white."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
