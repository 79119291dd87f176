# SPDX-License-Identifier: MIT OR Apache-2.0
"""The phases of Algorithm 1 (sections 3.2 to 3.7) in the record of a run, acknowledgement by acknowledgement."""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Reduced, Result
from cwnd.experiments.forms import variables
from cwnd.experiments.ha2008._prescribed_losses import BETA, C, epochs, sampled
from cwnd.metrics.curve import last_at


def tcp_region(run: Result) -> Reduced:
    """The largest distance of the window from W_tcp, packets, and the largest ratio of the cubic to the window, from 2 s after a loss on."""
    (_, before), (times, window) = epochs(run)[:2]
    acked, w_tcp = variables(run)["w_tcp"][0]
    seconds, w_max = times - times[0], before[-1]
    cubic = C * (seconds - np.cbrt(w_max * BETA / C)) ** 3 + w_max
    behind = np.abs(window - w_tcp[acked >= times[0]][: len(window)])
    late = seconds > 2
    return {"behind": float(behind[late].max()), "cubic": float(np.max(cubic[late] / window[late]))}


def phases(run: Result, ssthresh: int) -> Reduced:
    """Of a flow with three losses and then a timeout: slow start, the epoch after the first loss, each loss, the timeout."""
    inner, flow_epochs = variables(run), epochs(run)

    def at(name: str, moment: float) -> float:
        return float(last_at(*inner[name][0], np.array(moment)))

    start = flow_epochs[0][1]
    slow = start[: int(np.argmax(start >= ssthresh)) + 1]
    begins, before = [float(times[0]) for times, _ in flow_epochs], [window[-1] for _, window in flow_epochs]
    # The epoch after the first loss.
    begin, left = begins[1], float(flow_epochs[1][1][0])
    w_max, k = at("w_max", begin), at("k", begin)
    second = np.diff(sampled(flow_epochs[1], np.arange(0, 2 * k, k / 16)), 2)
    rows = run.cwnd["time_s"].to_numpy()
    timeout = next(row["time_s"] for row in run.events.to_pylist() if row["kind"] == "timeout")
    next_ack = float(rows[np.searchsorted(rows, timeout)])
    every = np.arange(0, run.scenario.duration_s, 0.2)
    return {
        "slow_steps": sorted({int(step) for step in np.diff(slow)}),
        "after_ssthresh": float(start[min(len(slow) + ssthresh, len(start) - 1)] / ssthresh),
        "epoch": [float(at("epoch", begin) > 0), at("origin", begin) - w_max, at("w_tcp", begin) - left],
        "k_error": k - float(np.cbrt((w_max - left) / C)),
        "w_max": w_max,
        "k": k,
        "concave": second[:14],
        "convex": second[16:],
        "drops": [float(flow_epochs[n + 1][1][0] / before[n]) for n in range(3)],
        "memory": [at("w_max", begins[n + 1]) / before[n] for n in range(3)],
        "after_timeout": [at(name, next_ack) for name in ("w_max", "k", "origin", "epoch")],
        "cwnd": last_at(rows, run.cwnd["cwnd"].to_numpy(), every),
    }
