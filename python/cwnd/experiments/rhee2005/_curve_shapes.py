# SPDX-License-Identifier: MIT OR Apache-2.0
"""Shapes of the curves of figures 1 and 2 after one loss: BIC's four properties, and second differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd.experiments import Holds, Reduced
from cwnd.metrics.curve import reached

if TYPE_CHECKING:
    from cwnd.metrics.series import Floats

#: BIC's largest step, packets per round trip, by its own paper; distances from W_max at which its curve is compared with its mirror image.
S_MAX, DISTANCES = 32, (5, 10, 20, 40, 80, 160)


def curve(run: Reduced) -> tuple[float, Floats, Floats]:
    """W_max, times (s) and windows."""
    return run["w_max"], np.array(run["time_s"]), np.array(run["cwnd"])


def linear(rounds: Floats, top: float) -> bool:
    steps, far = np.diff(rounds), top - rounds[:-1] > 3 * S_MAX
    return bool(far.any()) and bool((abs(steps[far] - S_MAX) <= 1).all())


def logarithmic(rounds: Floats, top: float) -> bool:
    gap = top - rounds[:-1]
    near = (gap <= 2 * S_MAX) & (gap >= 2)
    straight = np.corrcoef(np.arange(near.sum()), np.log(gap[near]))[0, 1] if near.sum() > 2 else 0
    return bool(straight <= -0.98)


def mirrored(run: Reduced, rtt_s: float) -> bool:
    top, time, window = curve(run)
    distances = [distance for distance in DISTANCES if distance < top - run["kept"]]
    before, beyond = (
        np.array([reached(time, window, top + sign * distance) for distance in distances]) for sign in (-1, 1)
    )
    approach, leave = before[0] - before, beyond - beyond[0]
    return bool((abs(leave - approach) <= np.maximum(rtt_s, 0.25 * approach)).all())


def bic_properties(run: Reduced, rtt_s: float) -> dict[str, Holds]:
    """Of BIC's windows, sampled ten times per round trip: linear, logarithmic, a mirror image, smallest step at W_max."""
    top, _, window = curve(run)
    rounds = window[::10]
    turn = rounds[np.argmin(np.diff(rounds))]
    return {
        "bic-linear": Holds(
            f"while W_max is more than 3 S_max away, each round trip adds {S_MAX} packets, give or take one",
            linear(rounds, top),
        ),
        "bic-logarithmic": Holds(
            "from 2 S_max to 2 packets below W_max the logarithm of the distance falls along a line, correlation -0.98 or beyond",
            logarithmic(rounds, top),
        ),
        "bic-mirror": Holds(
            "from 5 to 10, 20, 40, 80, 160 packets off W_max takes as long above as below, within 25 % or a round trip",
            mirrored(run, rtt_s),
        ),
        "bic-smallest-step": Holds(
            "the round trip with the smallest step begins within 1 % of W_max", bool(abs(top - turn) <= 0.01 * top)
        ),
    }


def second_differences(time: Floats, window: Floats, begin: float, end: float, step: float) -> Floats:
    """Second differences of the window over `step` between two times (all s): negative where it is concave."""
    differences: Floats = np.diff(np.interp(np.arange(begin, end + 1e-9, step), time, window), 2)
    return differences
