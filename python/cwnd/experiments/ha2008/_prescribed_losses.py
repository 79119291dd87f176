# SPDX-License-Identifier: MIT OR Apache-2.0
"""One flow whose only limit are prescribed losses: figures 1 and 3, algorithm 1, and equations 1, 2, 5 and 6."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cwnd.experiments import Holds, Result
from cwnd.metrics.curve import last_at

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
    flow: Mapping[str, Any],
    rtt_ms: float,
    lost: list[int],
    seconds: float,
    *,
    window: int | None = None,
    record: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
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
