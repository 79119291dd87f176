# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from cwnd.papers.leith2007.setups import HTCP_08, unsynchronised
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: A packet of window each, up to twice what one flow alone could have with the queue.
EDGES = np.arange(0, 16_000, 50)


@dataclass(frozen=True, slots=True)
class Fig9Numbers:
    """What a run is reduced to."""

    variation: float
    below: list[float]
    mean: float


class Fig9(Experiment[Fig9Numbers]):
    """Figure 9: distributions of the window of CUBIC, of H-TCP with backoff 0.8, and of H-TCP with its own backoff, where drops are not synchronised.

    Set-up as of figure 6 (three long flows, 25 on-off sessions, 250 Mbit/s, 200 ms), an hour in the document. Left open: whether figure 9
    has that set-up; how the windows were sampled: here every second, all three flows together.

    With two segments per acknowledgement, H-TCP grows by segments, as its module of Linux 2.6.18 did (net/ipv4/tcp_htcp.c); CUBIC corrects its
    count by the acknowledgement ratio.
    """

    title = "Window distributions of CUBIC and H-TCP among on-off sessions, 250 Mbit/s, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        forms: Mapping[str, JsonObject] = {"CUBIC": {"cc": setup.cubic}, "H-TCP 0.8": HTCP_08, "H-TCP": {"cc": "htcp"}}
        seconds, seeds = setup.seconds(full=3600, short=900), setup.seeds(full=5, short=3)
        return [Point(name, unsynchronised(flow, seconds), seeds=seeds) for name, flow in forms.items()]

    def reduce(self, run: Result, point: Point) -> Fig9Numbers:
        late = run.cwnd["time_s"].to_numpy() >= run.scenario.measured_s[0]
        windows = run.cwnd["cwnd"].to_numpy()[late]
        counts = np.histogram(windows, EDGES)[0]
        return Fig9Numbers(
            variation=float(windows.std(ddof=1) / windows.mean()),
            below=(np.cumsum(counts) / counts.sum()).tolist(),
            mean=float(windows.mean()),
        )

    def claims(self, results: Results[Fig9Numbers]) -> dict[str, Answer]:
        def distance(run: Mapping[str, Fig9Numbers]) -> float:
            return float(np.abs(np.array(run["CUBIC"].below) - np.array(run["H-TCP 0.8"].below)).max())

        # Of the means over the seeds: a difference that is nearly zero in one seed makes the quotient unbounded.
        def apart(name: str) -> float:
            return abs(results.mean(name, "variation") - results.mean("CUBIC", "variation"))

        return {
            "distributions-alike": Measured(results.each(distance)),
            "own-backoff-differs": Measured(
                apart("H-TCP") / apart("H-TCP 0.8"), "of the coefficients' means over the seeds"
            ),
        }

    def plot(self, results: Results[Fig9Numbers], figure: Figure) -> None:
        axes = figure.subplots()
        looks = (("CUBIC", "#D55E00", "-"), ("H-TCP 0.8", "#0072B2", (0, (5, 1.5))), ("H-TCP", "#009E73", (0, (1, 1))))
        for name, colour, dash in looks:
            axes.plot(EDGES[1:], results.means(name, "below"), color=colour, linestyle=dash, label=name)
        axes.set(xlabel="cwnd (packets)", ylabel="part of the time below", xlim=(0, 8000), ylim=(0, 1))
        axes.legend()
