# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures of growth: the shapes of BIC's and CUBIC's functions after one loss, and a single flow at start-up, regaining its window, and beyond it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import rates
from cwnd.metrics.curve import filled, reached
from cwnd.metrics.series import Floats
from cwnd.papers.ha2008.setups.prescribed_losses import C, sampled
from cwnd.reproduce import Result

#: Tolerance of an increment: one packet.
PACKET = 1


@dataclass(frozen=True, slots=True)
class BicShape:
    """BIC's windows after a loss, one per round trip."""

    w_max: float
    cwnd: list[float]
    #: How many round trips grow by the same amount, and that amount.
    linear: int
    step: float
    #: Whether no step after these, up to W_max, is larger than the one before, and the steps' correlation with the remaining distance.
    falls: bool
    to_distance: float
    #: The distance of the curve above W_max from the mirror image of that below, as a part of the way from the loss; at the best centre; and that centre.
    mirror: float
    mirror_best: float
    shift: float
    #: The distance from W_max at which growth is smallest, as a part of it.
    smallest_at: float


@dataclass(frozen=True, slots=True)
class CubicShape:
    """CUBIC's windows after a loss."""

    w_max: float
    cwnd: list[float]
    k: float
    #: The window at K less W_max, packets.
    at_k: float
    #: The largest distance from W_max between 0.64 K and 1.36 K, as a part of it.
    plateau: float
    #: Second differences over K/16.
    second: list[float]


def bic_shape(window: Floats, w_max: float) -> BicShape:
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
    return BicShape(
        w_max=w_max,
        cwnd=window.tolist(),
        linear=linear,
        step=float(steps[0]),
        falls=bool(np.all(np.diff(falls) <= PACKET)),
        to_distance=float(np.corrcoef(falls, distance[below][linear:])[0, 1]),
        mirror=apart(middle),
        mirror_best=apart(best),
        shift=float(best - middle),
        smallest_at=float(abs(window[2:-3][int(np.argmin(smooth))] / w_max - 1)),
    )


def cubic_shape(epoch: tuple[Floats, Floats], window: Floats, w_max: float, kept: float) -> CubicShape:
    """Of CUBIC's windows in an epoch: K, the window there, the distance to W_max from 0.64 K to 1.36 K, second differences over K/16."""
    k = float(np.cbrt(w_max * (1 - kept) / C))
    near = sampled(epoch, np.arange(0.64 * k, 1.36 * k, 0.01))
    return CubicShape(
        w_max=w_max,
        cwnd=window.tolist(),
        k=k,
        at_k=float(sampled(epoch, np.array([k]))[0] - w_max),
        plateau=float(np.max(np.abs(near - w_max)) / w_max),
        second=np.diff(sampled(epoch, np.arange(0, 2 * k, k / 16)), 2).tolist(),
    )


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


def start_up_s(run: Result, mbps: float, mean_s: float) -> float:
    """Goodput in means of `mean_s`: the end of the first that is at least 0.9 of `mbps` and stays so for ten."""
    end_s = run.scenario.duration_s
    goodput = rates(run.cwnd, packet_bytes=1500, interval_s=mean_s, begin_s=0, end_s=end_s, of="delivered")
    return filled(goodput, 0.9 * mbps, hold_s=10 * mean_s)


def regain_s(run: Result, rtt_s: float) -> float:
    """Time from the first loss until the window before it is reached again, from a round trip later on."""
    lost, w_max = losses(run)[0]
    return reached(*windows(run), w_max, since_s=lost + rtt_s) - lost


def convex_growth(run: Result, freed_s: float) -> float:
    """Growth (packets/s) after half the link is freed, from the window before the last loss until then to one and a half times that."""
    w_max = [size for at, size in losses(run) if at < freed_s][-1]
    begin, end = (reached(*windows(run), part * w_max, since_s=freed_s) for part in (1, 1.5))
    return 0.5 * w_max / (end - begin)
