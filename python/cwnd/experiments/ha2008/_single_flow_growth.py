# SPDX-License-Identifier: MIT OR Apache-2.0
"""Growth of a single flow: at start-up, back to the window before a loss, and beyond that window."""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Reduced, Result
from cwnd.metrics import rates
from cwnd.metrics.curve import filled, reached
from cwnd.metrics.series import Floats

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
