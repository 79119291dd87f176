# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 2, the second bullet, and finding 3: above about 5000 packets growth is linear, so epochs are in proportion to the BDP.

One flow per BDP from 500 to 20 000 packets (200 ms, queue one BDP), with a clamp of 20 packets a second (as the paper prints it), 160 (as in
the corrected kernel), and without; and flow 1 of figure 2's set-up at 500 Mbit/s. Linear: an epoch's curve is never further from the straight
line between its ends than a tenth of its growth (a concave cubic: 38 %; one with its inflection in the middle: 19 %).
"""

from __future__ import annotations

import math
from statistics import median

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.claims import claims_of
from cwnd.experiments.leith2007._bench import ALONE, backoffs, bench, bend, clamped, epoch_curves

TITLE = "Growth and epochs against the BDP: clamp of 20 and 160 packets a second, and none"
CUBIC = "cubic-2.6.18"
LINEAR = 0.1
CLAMPS = {"clamp-20": 20, "clamp-160": 160, "no-clamp": None}
ALL, SOME = (500, 1000, 2000, 3500, 5000, 7000, 10000, 14000, 20000), (500, 1000, 2000, 3500, 5000, 7000, 10000)


def grid(setup: Setup) -> list[Point]:
    points = []
    for name, per_s in CLAMPS.items():
        one = clamped(setup.cubic, per_s)
        for bdp in setup.pick(ALL, SOME):
            # Start, and four epochs: a fifth of the two BDPs at half the clamp (the queue doubles the round trip), or at the cubic's pace.
            epoch = max(0.4 * bdp / (per_s / 2) if per_s else 0, 2 * bdp ** (1 / 3))
            scenario = bench(bdp * 1500 * 8 / 0.2 / 1e6, 150 + 4 * epoch, [one])
            points.append(Point(f"{name}, {bdp}", {**scenario, "record": {"interval": "200ms"}}, info={"bdp": bdp}))
        flows = [one, {**one, "start": ALONE}]
        points.append(Point(f"{name}, flow 1", bench(500, 400, flows), seeds=setup.seeds(full=10, short=1)))
    return points


def reduce(run: Result, point: Point) -> Reduced:
    times = [time for time, _, _ in backoffs(run)[0]]
    epochs = epoch_curves(run, 0, 0.5, since=times[1] if len(times) > 3 else 0)
    every = np.arange(0, run.scenario.duration_s, 1)
    seconds = [float(time[-1] - time[0] + 2) for time, _ in epochs]
    last = epochs[-1] if epochs else (every, every)
    return {
        "bend": median(bend(window) for _, window in epochs) if epochs else math.inf,
        "epoch_s": float(np.mean(seconds)) if seconds else math.inf,
        "epochs": len(epochs),
        "shape_s": (last[0] - last[0][0])[:400].round(1),
        "shape": last[1][:400].round(1),
    }


def claims(results: Results) -> dict[str, Answer]:
    paper = claims_of("leith2007/fig2-linear-growth")
    found: dict[str, Answer] = {}
    for name in CLAMPS:
        by_bdp = {p.info["bdp"]: p.key for p in results.points.values() if p.key.startswith(f"{name},") and p.info}
        curved = [bdp for bdp, key in by_bdp.items() if results[key][0]["bend"] > LINEAR]
        linear = [bdp for bdp in by_bdp if bdp > max(curved, default=0)]
        onset = float(linear[0]) if linear else math.inf
        stated = paper[f"{name}-onset"].paper
        limit = onset if linear[1:] or not isinstance(stated, int) else stated
        above = [(bdp, results[key][0]["epoch_s"]) for bdp, key in by_bdp.items() if bdp >= limit]
        slope = np.polyfit(np.log([bdp for bdp, _ in above]), np.log([length for _, length in above]), 1)[0]
        note = (
            "already the smallest of the sweep"
            if onset == min(by_bdp)
            else ""
            if linear
            else "never: at no BDP of the sweep"
        )
        found[f"{name}-onset"] = Measured(onset, note)
        found[f"{name}-epoch-slope"] = Measured(float(slope), f"from {limit:g} packets on")
        bends = results.values(f"{name}, flow 1", "bend")
        found[f"{name}-flow1"] = Held(
            f"the median of its epochs is nowhere further from a straight line than {LINEAR:.0%} of its growth",
            [value <= LINEAR for value in bends],
            bends,
        )
    return found


def plot(results: Results, figure: Figure) -> None:
    from cwnd.plot import DASHES, MARKERS

    figure.set_size_inches(6.4, 6.4)
    shapes, epochs = figure.subplots(2, 1)
    for (name, per_s), marker, dash in zip(CLAMPS.items(), MARKERS, DASHES):
        label = f"{per_s} packets/s" if per_s else "no clamp"
        points = [point for point in results.points.values() if point.key.startswith(f"{name},") and point.info]
        epochs.loglog(
            [p.info["bdp"] for p in points],
            [results.mean(p.key, "epoch_s") for p in points],
            marker=marker,
            label=label,
        )
        run = results[f"{name}, flow 1"][0]
        shapes.plot(run["shape_s"], run["shape"], linestyle=dash, label=label)
    shapes.set(
        xlabel="time in the epoch (s)", ylabel="cwnd of flow 1 (packets)", title="500 Mbit/s, 200 ms: its last epoch"
    )
    epochs.set(xlabel="BDP (packets)", ylabel="epoch (s)", title="one flow")
    shapes.legend()
    epochs.legend()


WHY = {
    "clamp-20-onset": "A clamp of 20 packets a second, as the paper prints it, binds long before 5000 packets: growth is within 10 % of a straight line "
    "at every BDP of the sweep, 500 packets the smallest. By arithmetic 3 C K² passes 20 packets/s at a window of 136 packets. The paper's 5000 does not go with its 20.",
    "clamp-160-onset": "With 160 packets a second, what the corrected kernel has, growth turns linear at a BDP of 2000 packets: at a loss the window is twice that (queue of "
    "one BDP), 4000 packets. Read as a window, as the text does ('for cwnd's above about 5000 packets'), that is near the paper's 5000; read as a BDP, as its summary does, it is not.",
    (
        "no-clamp-onset",
        "no-clamp-flow1",
        "no-clamp-epoch-slope",
    ): "Without a clamp nothing turns linear: the curve bends by 22 % of its growth, and epochs grow "
    "with the BDP to the power 0.33, the cube root that CUBIC is named for. The linear growth is the clamp's: with 20 and 160 packets a second it is there (slopes 0.99 and 0.94).",
}
