# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures of growth: the shapes of BIC's and CUBIC's functions after one loss, and a single flow at start-up, regaining its window, and beyond it."""

from __future__ import annotations

import numpy as np

from cwnd.metrics import rates
from cwnd.metrics.curve import filled, reached
from cwnd.metrics.series import Floats
from cwnd.papers.ha2008.setups.prescribed_losses import C, sampled
from cwnd.reproduce import Reduced, Result

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


#: Linux's number of the state of fast recovery.
RECOVERY = 3


def windows(run: Result) -> tuple[Floats, Floats]:
    """Times and windows of the flow."""
    return run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy().astype(float)


def losses(run: Result) -> list[tuple[float, float]]:
    """The times at which the flow's recoveries begin, and the window before each."""
    time, window = windows(run)
    times = [row["time_s"] for row in run.events.to_pylist() if row["kind"] == "state" and row["value"] == RECOVERY]
    return [(at, float(window[np.searchsorted(time, at) - 1])) for at in times]


def start_up(run: Result, mbps: float, mean_s: float) -> Reduced:
    """Goodput in means of `mean_s`: the end of the first that is at least 0.9 of `mbps` and stays so for ten."""
    end_s = run.scenario.duration_s
    goodput = rates(run.cwnd, packet_bytes=1500, interval_s=mean_s, begin_s=0, end_s=end_s, of="delivered")
    return {"start_up_s": filled(goodput, 0.9 * mbps, hold_s=10 * mean_s)}


def regain(run: Result, rtt_s: float) -> Reduced:
    """Time from the first loss until the window before it is reached again, from a round trip later on."""
    lost, w_max = losses(run)[0]
    return {"regain_s": reached(*windows(run), w_max, since_s=lost + rtt_s) - lost, "w_max": w_max}


def convex_growth(run: Result, freed_s: float) -> Reduced:
    """Growth (packets/s) after half the link is freed, from the window before the last loss until then to one and a half times that."""
    w_max = [size for at, size in losses(run) if at < freed_s][-1]
    begin, end = (reached(*windows(run), part * w_max, since_s=freed_s) for part in (1, 1.5))
    return {"growth": 0.5 * w_max / (end - begin), "w_max": w_max}
