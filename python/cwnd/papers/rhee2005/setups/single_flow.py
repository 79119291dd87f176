# SPDX-License-Identifier: MIT OR Apache-2.0
"""A single flow: the shapes of its windows after one loss (figures 1 and 2), and its mean window at deterministic loss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics import reductions
from cwnd.metrics.curve import reached
from cwnd.metrics.trace import mean_epoch
from cwnd.papers.rhee2005.setups.simulation import flow_with_losses
from cwnd.reproduce import Holds
from cwnd.reproduce.numbers import Json, JsonObject

if TYPE_CHECKING:
    from cwnd.metrics.series import Floats
    from cwnd.reproduce import Result


#: BIC's largest step, packets per round trip, by its own paper; distances from W_max at which its curve is compared with its mirror image.
S_MAX, DISTANCES = 32, (5, 10, 20, 40, 80, 160)


@dataclass(frozen=True, slots=True)
class AfterLoss:
    """Windows from two round trips after a reduction on."""

    #: W_max as the algorithm remembers it, and the window after the reduction.
    w_max: float
    kept: float
    #: Since the reduction.
    time_s: list[float]
    cwnd: list[float]
    #: Packets/s between two round trips, far below W_max.
    slope: float | None = None


def curve(run: AfterLoss) -> tuple[float, Floats, Floats]:
    """W_max, times (s) and windows."""
    return run.w_max, np.array(run.time_s), np.array(run.cwnd)


def linear(rounds: Floats, top: float) -> bool:
    steps, far = np.diff(rounds), top - rounds[:-1] > 3 * S_MAX
    return bool(far.any()) and bool((abs(steps[far] - S_MAX) <= 1).all())


def logarithmic(rounds: Floats, top: float) -> bool:
    gap = top - rounds[:-1]
    near = (gap <= 2 * S_MAX) & (gap >= 2)
    straight = np.corrcoef(np.arange(near.sum()), np.log(gap[near]))[0, 1] if near.sum() > 2 else 0
    return bool(straight <= -0.98)


def mirrored(run: AfterLoss, rtt_s: float) -> bool:
    top, time, window = curve(run)
    distances = [distance for distance in DISTANCES if distance < top - run.kept]
    before, beyond = (
        np.array([reached(time, window, top + sign * distance) for distance in distances]) for sign in (-1, 1)
    )
    approach, leave = before[0] - before, beyond - beyond[0]
    return bool((abs(leave - approach) <= np.maximum(rtt_s, 0.25 * approach)).all())


def bic_properties(run: AfterLoss, rtt_s: float) -> dict[str, Holds]:
    """Of BIC's windows, sampled ten times per round trip: linear, logarithmic, a mirror image, smallest step at W_max."""
    top, _, window = curve(run)
    rounds = window[::10]
    turn = rounds[np.argmin(np.diff(rounds))]
    return {
        "bic-linear": Holds(
            f"while W_max is more than 3 S_max away, each round trip adds {S_MAX} packets, plus or minus one",
            linear(rounds, top),
        ),
        "bic-logarithmic": Holds(
            "from 2 S_max to 2 packets below W_max, the logarithm of the distance falls linearly, with a correlation of at most -0.98",
            logarithmic(rounds, top),
        ),
        "bic-mirror": Holds(
            "from 5 to 10, 20, 40, 80 and 160 packets from W_max, the window takes as long above as below, within 25 % or a round trip",
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


#: Losses after which the mean is taken.
SKIP = 3


def expected(cc: str, period: int, rtt_ms: float) -> tuple[float, float]:
    """The window at a loss and the mean window, by the published formulas of standard TCP, RFC 3649 and CUBIC."""
    mean = math.sqrt(1.5 * period)
    if cc == "highspeed":
        mean = max(mean, 0.12 * period**0.835)
        return mean * 1.3 if mean < 100 else mean * 1.15, mean
    if cc != "sack":
        cubic = 1.17 * (rtt_ms / 1000 * period) ** 0.75
        return (cubic * 4 / 3.8, cubic) if cubic > mean else (mean / 0.9, mean)
    return mean * 4 / 3, mean


def periodic_losses(cc: str, period: int, rtt_ms: float, losses: int, **keys: Json) -> JsonObject:
    """A flow that begins in congestion avoidance where its steady state loses, and loses at once and every `period`-th packet after."""
    top, mean = expected(cc, period, rtt_ms)
    window = max(2, round(top))
    at = ",".join(str(2 + n * period) for n in range(3 * losses))
    # Every loss takes another round trip, without growth.
    end = 1.1 * losses * (period / mean + 2) * rtt_ms / 1000
    return {
        **flow_with_losses(cc, window, rtt_ms, end, f"at:{at}", **keys),
        "record": {"interval": f"{rtt_ms / 4:g}ms"},
    }


@dataclass(frozen=True, slots=True)
class MeanWindow:
    """Whole epochs, from one reduction to another."""

    mean: float
    epoch_s: float
    losses: int
    timeouts: int


def mean_window(run: Result) -> MeanWindow:
    """The mean over whole epochs, from one reduction to another, and how long they last."""
    time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
    reduction_times = reductions(run.events)[0]
    inside = (time >= reduction_times[SKIP]) & (time < reduction_times[-1])
    return MeanWindow(
        mean=float(window[inside].mean()),
        epoch_s=mean_epoch(reduction_times[SKIP:]),
        losses=len(reduction_times) - SKIP - 1,
        timeouts=run.summary["flows"][0]["timeouts_run"],
    )


def distance(window: float, other: float) -> float:
    """The distance of the logarithms of two windows."""
    return abs(math.log(window / other))
