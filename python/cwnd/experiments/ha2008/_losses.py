# SPDX-License-Identifier: MIT OR Apache-2.0
"""One flow whose only limit are its losses: what figures 1 and 3, algorithm 1 and equations 1, 2, 5 and 6 are about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from cwnd import _native
from cwnd.experiments import Held, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: A link that never limits, and no acknowledgement is delayed.
RATE, QUEUE = "100Gbit/s", {"kind": "droptail", "limit": "100000000packets"}


def kept(cc: str) -> float:
    """The part of its window that a parameter set of CUBIC keeps after a loss."""
    return next(
        float(one["params"]["beta"])
        for algorithm in _native.algorithms()
        for one in algorithm["sets"]
        if one["name"] == cc
    )


def lossy(
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
        "record": {"per_ack": True, **(record or {})},
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
    at = np.searchsorted(epoch[0], epoch[0][0] + times, side="right") - 1
    found: NDArray[np.float64] = epoch[1][np.maximum(at, 0)]
    return found


def inner(run: Result) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Times and values of each inner variable of the flow."""
    import pyarrow.compute as pc

    rows = run.inner
    found = {}
    for name in pc.unique(rows["name"]).to_pylist():
        mine = rows.filter(pc.equal(rows["name"], name))
        found[name] = (mine["time_s"].to_numpy(), mine["value"].to_numpy().astype(float))
    return found


def curved(second: list[float], sign: int, packet: float = 1) -> Held:
    """Whether second differences of the window over K/16 are all of a sign, but for whole packets."""
    words = (
        "before K is above 1 packet, and their sum is negative",
        "after K is below -1 packet, and their sum is positive",
    )
    return Held(
        f"over K/16 no second difference {words[sign > 0]}",
        all(sign * one >= -packet for one in second) and sign * sum(second) > 0,
        sum(second),
    )
