# SPDX-License-Identifier: MIT OR Apache-2.0
"""Events of packets and flows, as marks above a panel: drops by cause, ECN, timeouts, ends of connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cwnd._internal import drop_causes
from cwnd.plot.data import Numbers, RunData

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The name of each kind of event. All are dark grey, because colours identify flows; each kind has its own row.
NAMES = {
    **{cause["event"]: cause["picture"] for cause in drop_causes.CAUSES},
    "cwr": "ECN reductions",
    "timeout": "timeouts",
    "failure": "connections ended",
}
INK = "#222222"
#: The number of Linux's state CWR, which a window enters when the receiver echoes marks.
CWR = 2
#: In parts of the panel's height: that of a strip, from one to the next, and where the first begins.
STRIP, STEP, FIRST = 0.05, 0.085, 1.02


def rows(run: RunData) -> list[tuple[str, Numbers]]:
    """The kinds of events that happened: name, times (s)."""
    found = []
    for kind in (*drop_causes.EVENTS, "cwr", "timeout", "failure"):
        times = run.times_of("state", CWR) if kind == "cwr" else run.times_of(kind)
        if times.size:
            found.append((NAMES[kind], times))
    return found


def draw(axes: Axes, runs: Sequence[RunData], font: float) -> None:
    """Draws a strip for each kind above the panel, with its name and number. With several runs there are too many events, and no strips."""
    if len(runs) != 1:
        return
    transform = axes.get_xaxis_transform()
    for row, (name, times) in enumerate(rows(runs[0])):
        low = FIRST + row * STEP
        axes.vlines(
            times,
            low,
            low + STRIP,
            transform=transform,
            color=INK,
            linewidth=0.7,
            alpha=float(np.clip(60 / times.size, 0.25, 1)),
            clip_on=False,
            gid=name,
        )
        axes.annotate(
            f"{name}: {times.size}",
            (1.0, low + STRIP / 2),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=0.85 * font,
            color=INK,
            annotation_clip=False,
        )
