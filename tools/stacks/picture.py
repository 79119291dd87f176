# SPDX-License-Identifier: MIT OR Apache-2.0
"""The picture of the page: two windows after a loss."""

from __future__ import annotations

from collections.abc import Sequence

from tools import DOCS

PICTURE = "stacks.png"


def draw(ours: Sequence[int], own: Sequence[int], interval_s: float) -> None:
    """Both windows over time, one above the other."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    with plt.rc_context({"font.size": 9}):
        figure, axes = plt.subplots(2, 1, figsize=(8, 4.6), sharex=True, sharey=True, layout="constrained")
        for plot, windows, title, colour in zip(
            axes, (ours, own), ("cubic in quinn", "quinn's own CUBIC"), ("#c44601", "#003f72"), strict=True
        ):
            # The first seconds are slow start's overshoot.
            plot.plot([row * interval_s for row in range(len(windows))], windows, color=colour, lw=1.4)
            plot.set_title(title, loc="left", fontsize=9.5)
            plot.set_ylabel("window, packets")
            plot.set_ylim(0, 1.15 * max(windows[50:]))
            plot.spines[["top", "right"]].set_visible(False)
            plot.grid(axis="y", lw=0.5, alpha=0.4)
        axes[1].set_xlabel("time, s")
        figure.savefig(DOCS / "pictures" / PICTURE, dpi=130, metadata={"Software": None})
        plt.close(figure)
