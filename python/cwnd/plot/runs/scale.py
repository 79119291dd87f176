# SPDX-License-Identifier: MIT OR Apache-2.0
"""A vertical axis that shows both the steady state and an overshoot many times as high."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import FixedLocator, MaxNLocator

from cwnd.plot.data import Numbers
from cwnd.plot.studies.canvas import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The part of the height that the settled values have, and from which overshoot on the scale changes.
PART, FROM = 0.72, 1.4


def overshoot(axes: Axes, settled: float, highest: float) -> bool:
    """Sets the vertical axis from 0 to `highest`; if that is far above `settled`, what is above that is compressed. Returns whether it is."""
    if settled <= 0 or highest <= FROM * settled:
        axes.set_ylim(0, 1.05 * max(settled, highest, 1e-9))
        return False
    top = 1.03 * highest
    slope = (1 - PART) / PART * settled / (top - settled)

    def forward(values: Numbers) -> Numbers:
        values = np.asarray(values, dtype=float)
        result: Numbers = np.where(values <= settled, values, settled + (values - settled) * slope)
        return result

    def inverse(values: Numbers) -> Numbers:
        values = np.asarray(values, dtype=float)
        result: Numbers = np.where(values <= settled, values, settled + (values - settled) / slope)
        return result

    axes.set_yscale("function", functions=(forward, inverse))
    axes.set_ylim(0, top)
    below = [tick for tick in MaxNLocator(5).tick_values(0, settled) if 0 <= tick <= settled]
    above = [tick for tick in MaxNLocator(2).tick_values(settled, highest) if 1.2 * settled < tick <= top]
    axes.yaxis.set_major_locator(FixedLocator([*below, *above]))
    axes.axhline(settled, color=GREY, linewidth=0.7, linestyle=(0, (1, 2)), zorder=0.4)
    return True
