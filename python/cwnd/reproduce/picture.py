# SPDX-License-Identifier: MIT OR Apache-2.0
"""The picture of an experiment, as SVG and PNG; the same numbers give the same bytes."""

from __future__ import annotations

from pathlib import Path

from cwnd.reproduce.experiment import Experiment, Results
from cwnd.reproduce.numbers import Numbers

NAME = "figure"


def draw(experiment: Experiment[Numbers], results: Results[Numbers], digest: str, folder: Path) -> None:
    """Writes figure.svg and figure.png, with the hash of the scenarios in their metadata."""
    if not experiment.has_picture:
        return
    from cycler import cycler

    from cwnd.plot import COLOURS, DASHES, STYLE, save

    # matplotlib's drawing is imported by cwnd.plot, which has chosen to need no display.
    import matplotlib as mpl  # isort: skip
    from matplotlib.figure import Figure  # isort: skip

    dashes = [DASHES[index % len(DASHES)] for index in range(len(COLOURS))]
    with mpl.rc_context(
        {
            **STYLE,
            "svg.hashsalt": f"{experiment.id} {digest}",
            "axes.prop_cycle": cycler(color=COLOURS) + cycler(linestyle=dashes),
            "lines.linewidth": 1.4,
            "lines.markersize": 5,
            "legend.frameon": False,
            "legend.fontsize": 9,
        }
    ):
        figure = Figure(figsize=(6.4, 4.2), layout="constrained")
        experiment.plot(results, figure)
        save(figure, folder / NAME, digest)
