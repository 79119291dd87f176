# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, reductions
from cwnd.metrics.run import converged
from cwnd.metrics.series import by_flow
from cwnd.papers.ha2008.setups.testbed import OVERHEAD, background
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded, variables
from cwnd.reproduce.numbers import JsonObject

#: Unstated: the first flow is alone for this long; its position in the epoch is then random.
ALONE = {"uniform": ["50s", "80s"]}
#: "Around W_max", as we read it, and the part of an epoch: a straight line from 0.8 W_max to W_max is there for a quarter of it.
AROUND, PLATEAU = 0.05, 0.5
#: A phase is visited when a flow is in it for this part of the time.
VISITED = 0.05


@dataclass(frozen=True, slots=True)
class Fig4Numbers:
    """What a run is reduced to."""

    converged_s: float
    concave: float
    convex: float
    plateaus: float
    cwnd: list[list[float]]


class Fig4(Experiment[Fig4Numbers]):
    """Figure 4: the windows of two CUBIC flows, 400 Mbit/s, 240 ms, DropTail, significant background traffic in both directions.

    "The curves have plateaus around W_max", the two flows "use all phases of CUBIC functions over the running time" and converge "to a fair
    share within 200 seconds". The text has 240 ms, the caption 246 ms; the text's is used. Left open: when the second flow starts (the 200 s are
    counted from then), the buffer (section 6.1: one BDP), how much background is significant (section 6.1: 15 %), and the duration.
    """

    title = "Two CUBIC flows, 400 Mbit/s, 240 ms, background both ways: plateaus, phases, convergence"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=600, short=360)
        scenario: JsonObject = {
            "duration": f"{end:g}s",
            "link": {"rate": "400Mbit/s", "rtt": "240ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
            "flow": [
                {"cc": setup.cubic, "overhead": OVERHEAD},
                {"cc": setup.cubic, "start": ALONE, "overhead": OVERHEAD},
            ],
            "traffic": background(),
            "record": {"interval": "200ms", "inner": recorded(setup.cubic, "origin", "epoch")},
        }
        return [Point("two flows", scenario, seeds=setup.seeds(full=10, short=3))]

    def reduce(self, run: Result, point: Point) -> Fig4Numbers:
        """Of both flows, once both run: parts of the time below and above W_max, part of epochs that have a plateau."""
        since = run.summary["flows"][1]["start_s"]
        inner = variables(run)
        below, above, flat = [], [], []
        for flow, (times, windows) in by_flow(run.cwnd, "time_s", "cwnd"):
            aims, inside = (inner[name][flow][1] for name in ("origin", "epoch"))
            use = (times > since) & (inside[: len(times)] > 0) & (aims[: len(times)] > 0)
            windows, aims, times = windows[use], aims[: len(use)][use], times[use]
            below.append(float(np.mean(windows < aims)))
            above.append(float(np.mean(windows > aims + 1)))
            near = np.abs(windows / aims - 1) <= AROUND
            epochs = np.searchsorted(reductions(run.events).get(flow, np.empty(0)), times)
            flat += [bool(np.mean(near[epochs == epoch]) >= PLATEAU) for epoch in np.unique(epochs)]
        shown = curves(run.cwnd, np.arange(0, run.scenario.duration_s, 1)).values()
        return Fig4Numbers(
            converged_s=converged(run),
            concave=min(below),
            convex=min(above),
            plateaus=float(np.mean(flat)),
            cwnd=[window.round(1).tolist() for window in shown],
        )

    def claims(self, results: Results[Fig4Numbers]) -> dict[str, Answer]:
        plateaus, concave, convex, times = (
            results.values("two flows", name) for name in ("plateaus", "concave", "convex", "converged_s")
        )
        return {
            "plateaus": Holds(
                f"more than half of both flows' epochs are within {AROUND:.0%} of W_max for at least {PLATEAU:.0%} of their time",
                [part > 0.5 for part in plateaus],
                plateaus,
                within=(0.5, None),
            ),
            "concave-visited": Holds(
                f"each flow's window is below its epoch's W_max for at least {VISITED:.0%} of the time",
                [part >= VISITED for part in concave],
                concave,
                within=(VISITED, None),
            ),
            "convex-visited": Holds(
                f"each flow's window is more than a packet above its epoch's W_max for at least {VISITED:.0%} of the time",
                [part >= VISITED for part in convex],
                convex,
                within=(VISITED, None),
            ),
            "convergence-time": Measured(times, "the median, where a run did not converge"),
        }

    def plot(self, results: Results[Fig4Numbers], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        axes = figure.subplots()
        windows = results["two flows"][0].cwnd
        shown = {f"CUBIC flow {n}": [packets or np.nan for packets in window] for n, window in enumerate(windows, 1)}
        over_time(axes, shown, 1, dashes=("-", (0, (4, 1.2))), linewidth=1.1)
        axes.set(xlabel="time (s)", xlim=(0, len(windows[0])))
        axes.set(ylabel="congestion window (packets)", ylim=(0, 1.1 * max(windows[0][20:])))
        axes.legend(ncols=2)
