# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import numpy as np

from cwnd.papers.ha2008.setups.growth import PACKET, BicShape, CubicShape, bic_shape, cubic_shape
from cwnd.papers.ha2008.setups.prescribed_losses import epochs, flow_with_losses, one_sided, sampled
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import kept_fraction

#: Unstated: the window at the loss, packets, and the round trip.
W_MAX, RTT_S = 2000, 0.1
#: "Within" for BIC's shape, as we read it: an increment repeats itself within a packet (setups/growth.py); the mirror image fits within 5 % of the way.
MIRROR = 0.05


class Fig1(Experiment[BicShape | CubicShape]):
    """Figure 1: the growth functions of BIC and of CUBIC, after one loss at W_max.

    BIC: linear by S_max per round trip, then a binary search up to W_max ("logarithmic"), then the same mirrored ("exactly symmetric"), the
    smallest step at W_max. CUBIC: concave up to W_max at t = K, convex after. BIC is the form that section 3.1 describes, which jumps to the
    midpoint; Linux's form, with a quarter of the distance, is also shown. Left open: W_max, round trip, S_max, and all numbers of the axes.
    """

    title = "Growth of BIC and CUBIC after one loss at W_max"
    cubic = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        return [
            Point(
                name,
                flow_with_losses({"cc": cc}, 1e3 * RTT_S, [W_MAX], 25, window=W_MAX),
                info={"kept": kept_fraction(cc), "rtts": rtts},
            )
            for name, cc, rtts in (("BIC", "bic-2004", 60), ("BIC in Linux", "bic", 180), ("CUBIC", setup.cubic, 240))
        ]

    def reduce(self, run: Result, point: Point) -> BicShape | CubicShape:
        (_, before), after = epochs(run)
        w_max, window = before[-1], sampled(after, np.arange(point.number("rtts")) * RTT_S)
        if point.key == "CUBIC":
            return cubic_shape(after, window, w_max, point.number("kept"))
        return bic_shape(window, w_max)

    def claims(self, results: Results[BicShape | CubicShape]) -> dict[str, Answer]:
        bic, linux = (results.of(BicShape, name) for name in ("BIC", "BIC in Linux"))
        cubic = results.of(CubicShape, "CUBIC")
        half = len(cubic.second) // 2
        alike = f"{linux.linear} round trips of {linux.step:.0f}"
        beside = f"Linux's form: {alike}, mirrored within {linux.mirror:.1%}"
        return {
            "bic-linear": Holds(
                f"from the loss on, at least three round trips grow by the same amount, within {PACKET} packet",
                bic.linear >= 3,
                bic.linear,
                beside,
            ),
            "bic-logarithmic": Holds(
                f"then, up to W_max, no round trip's growth exceeds the previous one's by more than {PACKET} packet, and growth correlates with the remaining distance (r > 0.95)",
                bic.falls and bic.to_distance > 0.95,
                bic.to_distance,
            ),
            "bic-mirror": Holds(
                f"rotated about the point where it reaches W_max, the curve above fits the curve below within {MIRROR:.0%} of the way from the loss",
                bic.mirror <= MIRROR,
                bic.mirror,
                beside,
            ),
            "bic-smallest-step": Holds(
                "the smallest growth of five round trips is where the window is within 1 % of W_max",
                bic.smallest_at <= 0.01,
                bic.smallest_at,
            ),
            "cubic-concave": one_sided(cubic.second[: half - 1], -1),
            "cubic-convex": one_sided(cubic.second[half:], 1),
            "cubic-at-k": Measured(cubic.at_k),
            "cubic-plateau": Measured(cubic.plateau),
        }

    def plot(self, results: Results[BicShape | CubicShape], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 6.0)
        panels = figure.subplots(2, 1)
        for axes, names in zip(panels, (("BIC", "BIC in Linux"), ("CUBIC",))):
            over_time(axes, {name: results[name][0].cwnd for name in names}, RTT_S)
            for name, line in zip(names, tuple(axes.lines)):
                w_max = results[name][0].w_max
                axes.axhline(w_max, color=line.get_color(), linewidth=0.8, linestyle=":", label=f"W_max of {name}")
            axes.set(xlabel="time since the loss (s)", ylabel="window (packets)", xlim=(0, None))
            axes.legend()
