# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 1: the growth functions of BIC and of CUBIC, after one loss at W_max.

BIC: linear by S_max per round trip, then a binary search up to W_max ("logarithmic"), then the same mirrored ("exactly symmetric"), the
smallest step at W_max. CUBIC: concave up to W_max at t = K, convex after. BIC is the form that section 3.1 describes, which jumps to the
midpoint; Linux's, with a quarter of the distance, is shown beside it. Left open: W_max, round trip, S_max, and all numbers of the axes.
"""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.ha2008._losses import curved, epochs, kept, lossy, sampled

TITLE = "Growth of BIC and CUBIC after one loss at W_max"
CUBIC = "cubic-2.2"
#: Unstated: the window at the loss, packets, and the round trip. C: section 5.
W_MAX, RTT_S = 2000, 0.1
C = 0.4
#: "Within" for BIC's shape, as we read it: an increment repeats itself within a packet; the mirror image fits within 5 % of the way.
PACKET, MIRROR = 1, 0.05


def grid(setup: Setup) -> list[Point]:
    return [
        Point(name, lossy({"cc": cc}, 1e3 * RTT_S, [W_MAX], 25, window=W_MAX), info={"kept": kept(cc), "rtts": rtts})
        for name, cc, rtts in (("BIC", "bic-2004", 60), ("BIC in Linux", "bic", 180), ("CUBIC", setup.cubic, 240))
    ]


def reduce(run: Result, point: Point) -> Reduced:
    before, after = epochs(run)
    w_max = before[1][-1]
    every = np.arange(point.info["rtts"]) * RTT_S
    window = sampled(after, every)
    if point.key == "CUBIC":
        k = float(np.cbrt(w_max * (1 - point.info["kept"]) / C))
        near = sampled(after, np.arange(0.64 * k, 1.36 * k, 0.01))
        steps = np.diff(sampled(after, np.arange(0, 2 * k, k / 16)))
        return {
            "w_max": w_max,
            "k": k,
            "at_k": float(sampled(after, np.array([k]))[0] - w_max),
            "plateau": float(np.max(np.abs(near - w_max)) / w_max),
            "second": np.diff(steps),
            "cwnd": window,
        }
    return {"w_max": w_max, "cwnd": window, **shape(window, w_max)}


def shape(window: np.ndarray, w_max: float) -> Reduced:
    """What BIC's windows, one per round trip, look like."""
    steps, distance = np.diff(window), w_max - window[:-1]
    below = distance >= PACKET
    linear = int(np.argmin(np.abs(steps - steps[0]) <= PACKET))
    falls = steps[below][linear:]
    # The middle of the time within a packet of W_max, in round trips, and the curve mirrored there.
    middle = float(np.mean(np.flatnonzero(np.abs(window - w_max) <= PACKET)))
    back = np.arange(0, middle)

    def apart(centre: float) -> float:
        rises = np.interp(centre + back, np.arange(len(window)), window) - w_max
        fell = w_max - np.interp(centre - back, np.arange(len(window)), window)
        return float(np.max(np.abs(rises - fell)) / (w_max - window[0]))

    best = min(np.arange(middle - 4, middle + 4, 0.05), key=apart)
    smooth = np.convolve(steps, np.ones(5) / 5, "same")[2:-2]
    return {
        "linear": linear,
        "step": float(steps[0]),
        "falls": bool(np.all(np.diff(falls) <= PACKET)),
        "to_distance": float(np.corrcoef(falls, distance[below][linear:])[0, 1]),
        "mirror": apart(middle),
        "mirror_best": apart(best),
        "shift": float(best - middle),
        "smallest_at": float(abs(window[2:-3][int(np.argmin(smooth))] / w_max - 1)),
    }


def claims(results: Results) -> dict[str, Answer]:
    bic, linux, cubic = (results[name][0] for name in ("BIC", "BIC in Linux", "CUBIC"))
    half = len(cubic["second"]) // 2
    beside = (
        f"Linux's form: {linux['linear']} round trips of {linux['step']:.0f}, mirrored within {linux['mirror']:.1%}"
    )
    return {
        "bic-linear": Held(
            f"at least three round trips from the loss on grow alike within {PACKET} packet",
            bic["linear"] >= 3,
            bic["linear"],
            beside,
        ),
        "bic-logarithmic": Held(
            f"then, up to W_max, no round trip grows by more than {PACKET} packet above the one before, and growth goes with the distance left (r > 0.95)",
            bic["falls"] and bic["to_distance"] > 0.95,
            bic["to_distance"],
        ),
        "bic-mirror": Held(
            f"turned around the point where it reaches W_max, the curve above fits that below within {MIRROR:.0%} of the way from the loss",
            bic["mirror"] <= MIRROR,
            bic["mirror"],
            beside,
        ),
        "bic-smallest-step": Held(
            "the smallest growth of five round trips is where the window is within 1 % of W_max",
            bic["smallest_at"] <= 0.01,
            bic["smallest_at"],
        ),
        "cubic-concave": curved(cubic["second"][: half - 1], -1),
        "cubic-convex": curved(cubic["second"][half:], 1),
        "cubic-at-k": Measured(cubic["at_k"]),
        "cubic-plateau": Measured(cubic["plateau"]),
    }


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 6.0)
    panels = figure.subplots(2, 1)
    for axes, names in zip(panels, (("BIC", "BIC in Linux"), ("CUBIC",))):
        for name, dash in zip(names, ("-", "--")):
            run = results[name][0]
            axes.plot([RTT_S * n for n in range(len(run["cwnd"]))], run["cwnd"], dash, label=name)
        axes.axhline(run["w_max"], color="black", linewidth=0.8, linestyle=":", label="W_max")
        axes.set(xlabel="time since the loss (s)", ylabel="window (packets)", xlim=(0, None))
        axes.legend()


WHY = {
    "bic-mirror": "Where the mirror stands decides it. The criterion puts it in the middle of the time within a packet of W_max, and one round trip beside that the two halves fit within 0.8 %: below W_max the distance halves each round trip, above it doubles, so that a round trip's shift is a factor of two of the distance (23.6 % of the way). Windows are whole packets and W_max is reached by a last jump of less than S_min, so the middle is known to a round trip only. Linux's form is not symmetric at all (57.7 % at the best place): it takes a quarter of the distance per round trip below W_max, and adds a third of it above.",
}
