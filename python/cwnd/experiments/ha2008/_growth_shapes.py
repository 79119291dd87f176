# SPDX-License-Identifier: MIT OR Apache-2.0
"""The shapes of BIC's and CUBIC's growth functions (figure 1), from windows after one loss at W_max."""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Reduced
from cwnd.experiments.ha2008._prescribed_losses import C, sampled
from cwnd.metrics.series import Floats

#: Tolerance of an increment: one packet.
PACKET = 1


def bic_shape(window: Floats, w_max: float) -> Reduced:
    """Of BIC's windows, one per round trip: the linear part, how growth falls with the distance, the mirror image, the smallest step."""
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


def cubic_shape(epoch: tuple[Floats, Floats], w_max: float, kept: float) -> Reduced:
    """Of CUBIC's windows in an epoch: K, the window there, the distance to W_max from 0.64 K to 1.36 K, second differences over K/16."""
    k = float(np.cbrt(w_max * (1 - kept) / C))
    near = sampled(epoch, np.arange(0.64 * k, 1.36 * k, 0.01))
    return {
        "k": k,
        "at_k": float(sampled(epoch, np.array([k]))[0] - w_max),
        "plateau": float(np.max(np.abs(near - w_max)) / w_max),
        "second": np.diff(sampled(epoch, np.arange(0, 2 * k, k / 16)), 2),
    }
