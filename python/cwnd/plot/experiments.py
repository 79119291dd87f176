# SPDX-License-Identifier: MIT OR Apache-2.0
"""Drawing functions that several experiments use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def over_time(
    axes: Axes,
    curves: Mapping[str, Sequence[float]],
    step_s: float,
    *,
    dashes: Sequence[str | tuple[float, Sequence[float]]] = ("-", "--", ":"),
    linewidth: float | None = None,
) -> None:
    """Curves by their labels, sampled every `step_s` (s) from 0 on, each with a colour and the next of the dashes."""
    for (label, values), dash in zip(curves.items(), cycle(dashes)):
        times = [step_s * row for row in range(len(values))]
        axes.plot(times, values, linestyle=dash, linewidth=linewidth, label=label)
