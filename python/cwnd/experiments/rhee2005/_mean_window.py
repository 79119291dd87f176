# SPDX-License-Identifier: MIT OR Apache-2.0
"""Mean windows at deterministic loss: a single flow that loses every 1/p-th packet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cwnd.experiments.rhee2005._simulation import flow_with_losses
from cwnd.metrics import reductions
from cwnd.metrics.trace import mean_epoch

if TYPE_CHECKING:
    from cwnd.experiments import Reduced, Result

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


def periodic_losses(cc: str, period: int, rtt_ms: float, losses: int, **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    """A flow that begins in congestion avoidance where its steady state loses, and loses at once and every `period`-th packet after."""
    top, mean = expected(cc, period, rtt_ms)
    window = max(2, round(top))
    at = ",".join(str(2 + n * period) for n in range(3 * losses))
    # Every loss takes another round trip, in which nothing grows.
    end = 1.1 * losses * (period / mean + 2) * rtt_ms / 1000
    return {
        **flow_with_losses(cc, window, rtt_ms, end, f"at:{at}", **keys),
        "record": {"interval": f"{rtt_ms / 4:g}ms"},
    }


def mean_window(run: Result) -> Reduced:
    """The mean over whole epochs, from one reduction to another, and how long they last."""
    time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
    reduction_times = reductions(run.events)[0]
    inside = (time >= reduction_times[SKIP]) & (time < reduction_times[-1])
    return {
        "mean": float(window[inside].mean()),
        "epoch_s": mean_epoch(reduction_times[SKIP:]),
        "losses": len(reduction_times) - SKIP - 1,
        "timeouts": run.summary["flows"][0]["timeouts_run"],
    }


def distance(window: float, other: float) -> float:
    """The distance of the logarithms of two windows."""
    return abs(math.log(window / other))
