# SPDX-License-Identifier: MIT OR Apache-2.0
"""A second flow joins one that has been alone: the comparisons of sections 3.6 and 3.7, which state no numbers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from cwnd.metrics import curves
from cwnd.metrics.run import DEFAULT, converged
from cwnd.reproduce import Experiment, Figure, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

K = TypeVar("K")
#: Unstated: paths whose windows are outside the TCP region, by name: Mbit/s and ms.
PATHS = {"100 Mbit/s, 100 ms": (100, 100), "50 Mbit/s, 200 ms": (50, 200)}
#: Unstated: the first flow has been alone for this long; its position in the epoch is random.
ALONE = {"uniform": ["30s", "60s"]}


@dataclass(frozen=True, slots=True)
class Joined:
    """How two flows converge."""

    #: Seconds to the end of the first interval of 10 s that shows convergence.
    converged_s: float
    #: Windows of both, every 2 s.
    cwnd: list[list[float]]


def joined(run: Result) -> Joined:
    """Convergence of the first two flows.

    The beginning of the first interval that shows it, which can be 0, was replaced by its end after a first look at the results.
    """
    windows = curves(run.cwnd, np.arange(0, run.scenario.duration_s, 2))
    return Joined(
        converged_s=converged(run, [0, 1]) + DEFAULT.interval_s,
        cwnd=[windows[flow].round(1).tolist() for flow in (0, 1)],
    )


class JoiningFlow(Experiment[Joined]):
    """A second flow joins: forms of the flows on each path, with the same distribution of starts."""

    #: Titles of the panels, by form.
    panels: ClassVar[dict[str, str]]

    @abstractmethod
    def forms(self, setup: Setup) -> Mapping[str, JsonObject]:
        """The forms of both flows."""

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=1200, short=400)

        def scenario(mbps: int, ms: int, form: JsonObject) -> JsonObject:
            # Against phase effects: up to one packet's time at the bottleneck, at random, before each packet.
            flow = {**form, "overhead": f"{12_000 // mbps}us"}
            return {
                "duration": f"{end:g}s",
                "link": {"rate": f"{mbps}Mbit/s", "rtt": f"{ms}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                "flow": [flow, {**flow, "start": ALONE}],
                "record": {"interval": "500ms"},
            }

        return [
            Point(
                f"{name}, {path}",
                scenario(mbps, ms, form),
                seeds=setup.seeds(full=10, short=4),
                info={"form": name, "path": path},
            )
            for path, (mbps, ms) in PATHS.items()
            for name, form in self.forms(setup).items()
        ]

    def reduce(self, run: Result, point: Point) -> Joined:
        return joined(run)

    def plot(self, results: Results[Joined], figure: Figure) -> None:
        """The windows of one seed on the first path, a panel for each form."""
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 5.6)
        path = next(iter(PATHS))
        panels = figure.subplots(len(self.panels), 1, sharex=True, sharey=True)
        for axes, (name, title) in zip(panels, self.panels.items()):
            windows = results[f"{name}, {path}"][0].cwnd
            over_time(axes, {f"flow {number}": window for number, window in enumerate(windows, 1)}, 2, linewidth=1.1)
            axes.set(title=f"{title}, {path}", ylabel="cwnd (packets)", xlim=(0, None), ylim=(0, 2500))
        panels[0].legend(ncols=2)
        panels[-1].set_xlabel("time (s)")


def time_ratio(results: Results[K], first_key: str, other_key: str) -> list[float]:
    """Convergence times of a point over those of another, seed by seed; 1 if neither converged, 0 if only the other did not."""

    def ratio(slow: float, fast: float) -> float:
        return 1.0 if slow == fast else slow / fast if math.isfinite(fast) else 0.0

    times = (results.values(key, "converged_s") for key in (first_key, other_key))
    return [ratio(*pair) for pair in zip(*times)]


def time_ratios(results: Results[Joined], form: str, other_form: str) -> dict[str, list[float]]:
    """Convergence times of a form over those of another, per path and seed."""
    return {path: time_ratio(results, f"{form}, {path}", f"{other_form}, {path}") for path in PATHS}
