# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median

import numpy as np

from cwnd.metrics.trace import exponent, stays_below
from cwnd.papers.leith2007.setups import backoffs, deviation_from_line, epoch_curves, testbed, two_flows, with_clamp
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.claims import claims_of

LINEAR = 0.1
CLAMPS = {"clamp-20": 20, "clamp-160": 160, "no-clamp": None}
ALL, SOME = (500, 1000, 2000, 3500, 5000, 7000, 10000, 14000, 20000), (500, 1000, 2000, 3500, 5000, 7000, 10000)


@dataclass(frozen=True, slots=True)
class Fig2LinearGrowthNumbers:
    """What a run is reduced to."""

    bend: float
    epoch_s: float
    epochs: int
    shape_s: list[float]
    shape: list[float]


class Fig2LinearGrowth(Experiment[Fig2LinearGrowthNumbers]):
    """Figure 2, the second bullet, and finding 3: above about 5000 packets growth is linear, so epochs are proportional to the BDP.

    One flow per BDP from 500 to 20 000 packets (200 ms, queue one BDP), with a clamp of 20 packets a second (as the paper prints it), 160 (as in
    the corrected kernel), and without; and flow 1 of figure 2's set-up at 500 Mbit/s. Linear: an epoch's curve is never further from the straight
    line between its ends than a tenth of its growth (a concave cubic: 38 %; one with its inflection in the middle: 19 %).
    """

    title = "Growth and epochs against the BDP: clamp of 20 and 160 packets a second, and none"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        points = []
        for name, per_s in CLAMPS.items():
            flow = with_clamp(setup.cubic, per_s)
            for bdp in setup.pick(ALL, SOME):
                # Start, and four epochs: a fifth of the two BDPs at half the clamp (the queue doubles the round trip), or at the cubic's rate.
                epoch = max(0.4 * bdp / (per_s / 2) if per_s else 0, 2 * bdp ** (1 / 3))
                scenario = testbed(bdp * 1500 * 8 / 0.2 / 1e6, 150 + 4 * epoch, [flow])
                points.append(
                    Point(
                        f"{name}, {bdp}", {**scenario, "record": {"interval": "200ms"}}, info={"name": name, "bdp": bdp}
                    )
                )
            points.append(
                Point(f"{name}, flow 1", testbed(500, 400, two_flows(**flow)), seeds=setup.seeds(full=10, short=1))
            )
        return points

    def reduce(self, run: Result, point: Point) -> Fig2LinearGrowthNumbers:
        times = [time for time, _, _ in backoffs(run)[0]]
        epochs = epoch_curves(run, 0, 0.5, since=times[1] if len(times) > 3 else 0)
        every = np.arange(0, run.scenario.duration_s, 1)
        last = epochs[-1] if epochs else (every, every)
        return Fig2LinearGrowthNumbers(
            bend=median(deviation_from_line(window) for _, window in epochs) if epochs else math.inf,
            epoch_s=float(np.mean([time[-1] - time[0] + 2 for time, _ in epochs])) if epochs else math.inf,
            epochs=len(epochs),
            shape_s=(last[0] - last[0][0])[:400].round(1).tolist(),
            shape=last[1][:400].round(1).tolist(),
        )

    def claims(self, results: Results[Fig2LinearGrowthNumbers]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        for name in CLAMPS:
            keys = results.where(name=name)
            bdps, bent = results.line(keys, "bdp", "bend")
            onset = float(stays_below(bdps, bent, LINEAR))
            stated = claims_of("leith2007/fig2-linear-growth")[f"{name}-onset"].paper
            limit = onset if onset < bdps[-1] or not isinstance(stated, int) else stated
            above = [key for key in keys if results.points[key].number("bdp") >= limit]
            notes = {bdps[0]: "already the smallest of the sweep", math.inf: "never: at no BDP of the sweep"}
            answers[f"{name}-onset"] = Measured(onset, notes.get(onset, ""))
            slope = exponent(*results.line(above, "bdp", "epoch_s"))
            answers[f"{name}-epoch-slope"] = Measured(slope, f"from {limit:g} packets on")
            bends = results.values(f"{name}, flow 1", "bend")
            answers[f"{name}-flow1"] = Holds(
                f"the median of its epochs is nowhere further from a straight line than {LINEAR:.0%} of its growth",
                [value <= LINEAR for value in bends],
                bends,
                within=(None, LINEAR),
            )
        return answers

    def plot(self, results: Results[Fig2LinearGrowthNumbers], figure: Figure) -> None:
        from cwnd.plot import DASHES, MARKERS

        figure.set_size_inches(6.4, 6.4)
        shapes, epochs = figure.subplots(2, 1)
        for (name, per_s), marker, dash in zip(CLAMPS.items(), MARKERS, DASHES):
            label = f"{per_s} packets/s" if per_s else "no clamp"
            epochs.loglog(*results.line(results.where(name=name), "bdp", "epoch_s"), marker=marker, label=label)
            run = results[f"{name}, flow 1"][0]
            shapes.plot(run.shape_s, run.shape, linestyle=dash, label=label)
        title = "500 Mbit/s, 200 ms: its last epoch"
        shapes.set(xlabel="time in the epoch (s)", ylabel="cwnd of flow 1 (packets)", title=title)
        epochs.set(xlabel="BDP (packets)", ylabel="epoch (s)", title="one flow")
        shapes.legend()
        epochs.legend()
