# SPDX-License-Identifier: MIT OR Apache-2.0
"""Mean windows at deterministic loss: a flow alone that loses every 1/p-th packet."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cwnd.experiments.rhee2005._bench import alone
from cwnd.metrics import reductions
from cwnd.metrics.trace import mean_epoch

if TYPE_CHECKING:
    from cwnd.experiments import Reduced, Result

#: Losses after which the mean is taken.
SKIP = 3


def expected(cc: str, period: int, rtt_ms: float) -> tuple[float, float]:
    """Windows to begin with (at a loss), and in the mean, by the published formulas: standard TCP's, RFC 3649's, CUBIC's."""
    mean = math.sqrt(1.5 * period)
    if cc == "highspeed":
        mean = max(mean, 0.12 * period**0.835)
        return mean * 1.3 if mean < 100 else mean * 1.15, mean
    if cc != "sack":
        cubic = 1.17 * (rtt_ms / 1000 * period) ** 0.75
        return (cubic * 4 / 3.8, cubic) if cubic > mean else (mean / 0.9, mean)
    return mean * 4 / 3, mean


def started(cc: str, period: int, rtt_ms: float, losses: int, **keys: Any) -> dict[str, Any]:  # noqa: ANN401
    """A flow that begins in congestion avoidance where its steady state loses, and loses at once and every `period`-th packet after."""
    top, mean = expected(cc, period, rtt_ms)
    window = max(2, round(top))
    at = ",".join(str(2 + n * period) for n in range(3 * losses))
    # Every loss takes a round trip more, in which nothing grows.
    end = 1.1 * losses * (period / mean + 2) * rtt_ms / 1000
    return {**alone(cc, window, rtt_ms, end, f"at:{at}", **keys), "record": {"interval": f"{rtt_ms / 4:g}ms"}}


def mean_window(run: Result) -> Reduced:
    """The mean over whole epochs, from one reduction to another, and how long they last."""
    time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy()
    found = reductions(run.events)[0]
    inside = (time >= found[SKIP]) & (time < found[-1])
    return {
        "mean": float(window[inside].mean()),
        "epoch_s": mean_epoch(found[SKIP:]),
        "losses": len(found) - SKIP - 1,
        "timeouts": run.summary["flows"][0]["timeouts_run"],
    }


def distance(one: float, other: float) -> float:
    """How far apart two windows are: of their logarithms."""
    return abs(math.log(one / other))
