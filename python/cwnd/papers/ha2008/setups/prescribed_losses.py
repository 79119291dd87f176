# SPDX-License-Identifier: MIT OR Apache-2.0
"""One flow whose only limit are prescribed losses: figures 1 and 3, algorithm 1, and equations 1, 2, 5 and 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.curve import last_at
from cwnd.reproduce import Holds, Result
from cwnd.reproduce.forms import variables
from cwnd.reproduce.numbers import JsonObject

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: The paper's constants (Algorithm 1 and section 5): packets/s³, and the part of the window given up at a loss.
C, BETA = 0.4, 0.2
#: RFC 3649, equations 2 and 7 (section 5): standard TCP, and HSTCP below the loss rate at which it leaves standard TCP.
TCP = 1.2
HSTCP, HSTCP_POWER, HSTCP_P = 0.12, 0.835, 1e-3
#: A link that never limits, and no acknowledgement is delayed.
RATE, QUEUE = "100Gbit/s", {"kind": "droptail", "limit": "100000000packets"}


def average_window(beta: float, rtt_s: float, p: float) -> float:
    """Equation 5: the average window under deterministic loss at a rate of p, packets."""
    return float((C * (4 - beta) / (4 * beta) * (rtt_s / p) ** 3) ** 0.25)


def response(name: str, p: float, rtt_s: float, beta: float = BETA) -> float:
    """The average window of figure 3 at a loss rate of p, packets: standard TCP's and HSTCP's by RFC 3649, CUBIC's by equations 6 and 4."""
    tcp: float = TCP / p**0.5
    if name == "hstcp":
        return float(HSTCP / p**HSTCP_POWER) if p < HSTCP_P else tcp
    return max(tcp, average_window(beta, rtt_s, p)) if name == "cubic" else tcp


def flow_with_losses(
    flow: JsonObject,
    rtt_ms: float,
    lost: list[int],
    seconds: float,
    *,
    window: int | None = None,
    record: JsonObject | None = None,
) -> JsonObject:
    """A flow that loses the packets with these numbers, in congestion avoidance from `window` on (or in slow start)."""
    start = {} if window is None else {"initial_cwnd": window, "initial_ssthresh": window}
    return {
        "duration": f"{seconds:.3f}s",
        "link": {"rate": RATE, "rtt": f"{rtt_ms}ms", "queue": QUEUE, "loss": "at:" + ",".join(map(str, lost))},
        "flow": [{"ack_every": 1, **start, **flow}],
        # The expected size of the tables follows from the link's rate, of which the flow uses a small part.
        "record": {"per_ack": True, "limit": "none", **(record or {})},
    }


def epochs(run: Result) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Times and windows of the flow between recoveries, acknowledgement by acknowledgement (`per_ack`)."""
    import pyarrow.compute as pc

    rows = run.cwnd
    normal = pc.is_in(rows["ca_state"], pc.pa.array(["open", "disorder"])).to_numpy()
    times, windows = rows["time_s"].to_numpy(), rows["cwnd"].to_numpy().astype(float)
    edges = np.flatnonzero(np.diff(normal.astype(int))) + 1
    parts = zip(np.split(normal, edges), np.split(times, edges), np.split(windows, edges))
    return [(time, window) for is_normal, time, window in parts if is_normal[0]]


def sampled(epoch: tuple[NDArray[np.float64], NDArray[np.float64]], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The windows of an epoch at these times after its beginning."""
    return last_at(*epoch, epoch[0][0] + times)


def one_sided(second: list[float], sign: int, packet: float = 1) -> Holds:
    """Whether all second differences of the window over K/16 have one sign, up to a packet."""
    words = (
        "before K is above 1 packet, and their sum is negative",
        "after K is below -1 packet, and their sum is positive",
    )
    return Holds(
        f"over K/16 no second difference {words[sign > 0]}",
        all(sign * difference >= -packet for difference in second) and sign * sum(second) > 0,
        sum(second),
    )


@dataclass(frozen=True, slots=True)
class Short:
    """A flow of a short round trip, from 2 s after a loss on."""

    #: The largest distance of the window from W_tcp, packets.
    behind: float
    #: The largest ratio of the cubic to the window.
    cubic: float


@dataclass(frozen=True, slots=True)
class Trace:
    """A flow with three losses and then a timeout."""

    #: Packets that acknowledgements of slow start add.
    slow_steps: list[int]
    #: The window one window of acknowledgements after the threshold, over the threshold.
    after_ssthresh: float
    #: Of the epoch after the first loss: whether it has begun, its origin less W_last_max, W_tcp less the window.
    epoch: list[float]
    k_error: float
    w_max: float
    k: float
    #: Second differences of the window over K/16, before and after K.
    concave: list[float]
    convex: list[float]
    #: The part kept at each loss, and W_last_max over the window before it.
    drops: list[float]
    memory: list[float]
    #: W_last_max, K, origin and epoch at the first acknowledgement after the timeout.
    after_timeout: list[float]
    cwnd: list[float]


def tcp_region(run: Result) -> Short:
    """The largest distance of the window from W_tcp, packets, and the largest ratio of the cubic to the window, from 2 s after a loss on."""
    (_, before), (times, window) = epochs(run)[:2]
    acked, w_tcp = variables(run)["w_tcp"][0]
    seconds, w_max = times - times[0], before[-1]
    cubic = C * (seconds - np.cbrt(w_max * BETA / C)) ** 3 + w_max
    behind = np.abs(window - w_tcp[acked >= times[0]][: len(window)])
    late = seconds > 2
    return Short(behind=float(behind[late].max()), cubic=float(np.max(cubic[late] / window[late])))


def phases(run: Result, ssthresh: int) -> Trace:
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
    return Trace(
        slow_steps=sorted({int(step) for step in np.diff(slow)}),
        after_ssthresh=float(start[min(len(slow) + ssthresh, len(start) - 1)] / ssthresh),
        epoch=[float(at("epoch", begin) > 0), at("origin", begin) - w_max, at("w_tcp", begin) - left],
        k_error=k - float(np.cbrt((w_max - left) / C)),
        w_max=w_max,
        k=k,
        concave=second[:14].tolist(),
        convex=second[16:].tolist(),
        drops=[float(flow_epochs[n + 1][1][0] / before[n]) for n in range(3)],
        memory=[at("w_max", begins[n + 1]) / before[n] for n in range(3)],
        after_timeout=[at(name, next_ack) for name in ("w_max", "k", "origin", "epoch")],
        cwnd=last_at(rows, run.cwnd["cwnd"].to_numpy(), every).tolist(),
    )
