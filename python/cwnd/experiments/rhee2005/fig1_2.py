# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figures 1 and 2: the growth functions of BIC and of CUBIC after one loss, and what S_max makes of CUBIC's.

BIC's constants are not given: those of its own paper. Windows are whole packets, and one loss is repaired within a round trip, so what is asked
of the curves allows a packet and a round trip. The time t of equation 1 counts from the reduction. Left open: W_max, round trip.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.rhee2005._bench import alone
from cwnd.metrics import reductions

TITLE = "Windows of BIC and CUBIC after one loss; CUBIC under its clamp at four RTTs"
CUBIC = "cubic-2005"
#: Unstated: a window at which the clamp of 160 packets per second is not in force (below 3080), K = 10 s, and one at which it is.
W_MAX, FAR, RTT_MS = 2000, 10_000, 100
RTTS = (10, 50, 100, 200)
#: BIC's largest step, packets per round trip, by its own paper; distances from W_max at which its curve is compared with its mirror image.
S_MAX, DISTANCES = 32, (5, 10, 20, 40, 80, 160)


def grid(setup: Setup) -> list[Point]:
    def point(key: str, cc: str, window: int, rtt: float, end: float, kind: str) -> Point:
        scenario = alone(cc, window, rtt, end, "at:500")
        top = "last_max" if kind == "bic" else "w_max"
        record = {"interval": f"{rtt / 10:g}ms", "inner": [top]}
        return Point(key, {**scenario, "record": record}, info={"kind": kind, "rtt": rtt})

    far = [point(f"far, {rtt} ms", setup.cubic, FAR, rtt, 5, "far") for rtt in RTTS]
    bic = point("bic", "bic-2004", W_MAX, RTT_MS, 5, "bic")
    return [bic, point("cubic", setup.cubic, W_MAX, RTT_MS, 20, "cubic"), *far]


def reduce(run: Result, point: Point) -> Reduced:
    time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy().astype(float)
    at = float(reductions(run.events)[0][0])
    # As the algorithm remembers it: between loss and reduction the window may have grown.
    largest = float(run.inner["value"][-1].as_py())
    # Two round trips after the reduction: repaired, and growing.
    rtt = point.info["rtt"] / 1000
    after = time >= at + 2 * rtt - 1e-9
    steps = {"cubic": 5, "bic": 1, "far": 5}[point.info["kind"]]
    found = {"w_max": largest, "kept": float(window[time > at].min()), "time_s": (time[after] - at)[::steps].round(6)}
    if point.info["kind"] == "far":
        # Windows grow when acknowledgements come, once per round trip: whole ones, between two steps.
        ends = np.interp([at + 1.5 * rtt + 1, at + 1.5 * rtt + 4], time, window)
        found["slope"] = float((ends[1] - ends[0]) / 3)
    return {**found, "cwnd": window[after][::steps]}


def crossing(run: Reduced, level: float) -> float:
    """When the window first reaches `level`, between two samples; infinite if it does not."""
    return next((time for time, window in zip(run["time_s"], run["cwnd"]) if window >= level), np.inf)


def bic(run: Reduced) -> tuple[bool, bool, bool, bool]:
    """Linear, logarithmic, a mirror image, smallest step at W_max."""
    top, rtt = run["w_max"], RTT_MS / 1000
    window = np.array(run["cwnd"])[::10]
    steps, gap = np.diff(window), top - window[:-1]
    far = gap > 3 * S_MAX
    linear = bool(far.any()) and bool((abs(steps[far] - S_MAX) <= 1).all())
    near = (gap <= 2 * S_MAX) & (gap >= 2)
    straight = np.corrcoef(np.arange(near.sum()), np.log(gap[near]))[0, 1] if near.sum() > 2 else 0
    apart = [(crossing(run, top - d), crossing(run, top + d)) for d in DISTANCES if d < top - run["kept"]]
    before, beyond = (np.array(one) for one in zip(*apart))
    approach, leave = before[0] - before, beyond - beyond[0]
    mirror = bool((abs(leave - approach) <= np.maximum(rtt, 0.25 * approach)).all())
    return linear, bool(straight <= -0.98), mirror, bool(abs(gap[np.argmin(steps)]) <= 0.01 * top)


def claims(results: Results) -> dict[str, Answer]:
    linear, logarithmic, mirror, smallest = bic(results["bic"][0])
    run = results["cubic"][0]
    # K by equation 1, with the part given up as it was.
    top, time, window = run["w_max"], np.array(run["time_s"]), np.array(run["cwnd"])
    k = ((top - run["kept"]) / 0.4) ** (1 / 3)

    def bends(begin: float, end: float) -> np.ndarray:
        return np.diff(np.interp(np.arange(begin, end + 1e-9, k / 10), time, window), 2)

    concave, convex = bends(k / 10, k), bends(k, 1.8 * k)
    flat = (time >= 0.64 * k) & (time <= 1.36 * k)
    slopes = {f"{rtt} ms": results.values(f"far, {rtt} ms", "slope") for rtt in RTTS}
    per_rtt = [slopes[f"{rtt} ms"][0] * rtt / 1000 for rtt in RTTS]
    return {
        "bic-linear": Held(
            f"while W_max is more than 3 S_max away, each round trip adds {S_MAX} packets, give or take one", linear
        ),
        "bic-logarithmic": Held(
            "from 2 S_max to 2 packets below W_max the logarithm of the distance falls along a line, correlation -0.98 or beyond",
            logarithmic,
        ),
        "bic-mirror": Held(
            "from 5 to 10, 20, 40, 80, 160 packets off W_max takes as long above as below, within 25 % or a round trip",
            mirror,
        ),
        "bic-smallest-step": Held("the round trip with the smallest step begins within 1 % of W_max", smallest),
        "cubic-concave": Held(
            "up to K no second difference over steps of K/10 is above 1 packet, and their sum is negative",
            bool((concave <= 1).all() and concave.sum() < 0),
        ),
        "cubic-convex": Held(
            "from K to 1.8 K no second difference over steps of K/10 is below -1 packet, and their sum is positive",
            bool((convex >= -1).all() and convex.sum() > 0),
        ),
        "cubic-at-k": Measured(float(np.interp(k, time, window)) - top),
        "cubic-plateau": Measured(float(abs(window[flat] - top).max() / top)),
        "smax-linear": Measured(slopes),
        "smax-short-rtt": Held(
            "packets per round trip rise from each RTT to the next", [all(a < b for a, b in pairwise(per_rtt))]
        ),
    }


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 8)
    for axes, key in zip(figure.subplots(3, 1), ("bic", "cubic", "far")):
        for place, (one, (run,)) in enumerate((one, results[one]) for one in results if one.startswith(key)):
            label = one.removeprefix("far, ") if key == "far" else {"bic": "BIC", "cubic": "CUBIC"}[key]
            axes.plot(run["time_s"], run["cwnd"], label=label, linestyle=("-", "--", "-.", ":")[place])
        axes.axhline(run["w_max"], color="black", linewidth=0.8, linestyle=":")
        axes.annotate("W_max", (0, run["w_max"]), xytext=(4, 2), textcoords="offset points")
        axes.set(ylabel="window (packets)")
        axes.legend(loc="lower right")
    axes.set(xlabel="time since the reduction (s)")


WHY = {"cubic-plateau": "fig1_2_plateau.md"}
