# SPDX-License-Identifier: MIT OR Apache-2.0
"""The forms of CUBIC that can stand in an experiment: two mechanisms, whose parameters and inner variables have names of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from cwnd import _native
from cwnd.metrics.series import by_flow

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from cwnd.metrics.series import Floats
    from cwnd.result import Result

#: In real time (`crates/cwnd/src/algorithms/cubic`), and in the kernel's ticks and counts (`cubic/counted`).
REAL_TIME, KERNEL = "cubic", "cubic-linux"
#: Their inner variables by one name for both; the kernel's smallest RTT is in ticks or in µs, as its set says.
VARIABLES: dict[str, dict[str, tuple[str, ...]]] = {
    REAL_TIME: {
        "w_max": ("w_max",),
        "origin": ("origin",),
        "k": ("k_s_x1024",),
        "w_tcp": ("w_est",),
        "min_rtt": ("min_rtt_us",),
        "epoch": ("in_epoch",),
    },
    KERNEL: {
        "w_max": ("last_max",),
        "origin": ("origin",),
        "k": ("k_s_x1024",),
        "w_tcp": ("w_tcp",),
        "min_rtt": ("min_rtt_us", "min_rtt_ticks"),
        "epoch": ("epoch_start_ticks",),
    },
}
#: What a recorded name is called here, and its unit: ticks of 1 ms, the simulated hosts' default.
CALLED = {own: name for names in VARIABLES.values() for name, owns in names.items() for own in owns}
UNITS = {"k_s_x1024": 1 / 1024, "min_rtt_us": 1e-6, "min_rtt_ticks": 1e-3}


def parameters(cc: str) -> tuple[str, Mapping[str, Any]]:
    """The algorithm that a parameter set belongs to, and the set's values."""
    return next(
        (algorithm["name"], one["params"])
        for algorithm in _native.algorithms()
        for one in algorithm["sets"]
        if one["name"] == cc
    )


def mechanism(cc: str) -> str:
    """Which of the two mechanisms a parameter set is of; `ValueError` for one that is no CUBIC."""
    name, _ = parameters(cc)
    if name not in VARIABLES:
        raise ValueError(
            f'"{cc}" is not accepted in this experiment, which reads what only CUBIC has; expected a set of CUBIC'
        )
    return name


def from_linux(cc: str) -> bool:
    """Whether a parameter set is of the kernel's CUBIC, whose clamp and first threshold have other names."""
    return parameters(cc)[0] == KERNEL


def kept(cc: str) -> float:
    """The part of its window that a parameter set keeps after a loss."""
    values = parameters(cc)[1]
    if "beta" not in values:
        raise ValueError(f'"{cc}" is not accepted in this experiment, which asks for its beta; expected a set of CUBIC')
    return float(values["beta"])


def recorded(cc: str, *names: str) -> list[str]:
    """What `record.inner` lists so that these variables are kept."""
    owns, clock = VARIABLES[mechanism(cc)], parameters(cc)[1].get("clock")
    found = [own for name in names for own in owns[name]]
    other = "min_rtt_us" if mechanism(cc) == KERNEL and clock == "ticks" else "min_rtt_ticks"
    return [own for own in found if own != other]


def variables(run: Result) -> dict[str, dict[int, tuple[Floats, Floats]]]:
    """The recorded inner variables by their name here and by flow: times and values; K and the smallest RTT in seconds."""
    rows: pa.Table = run.inner
    names = np.asarray(rows["name"])
    return {
        CALLED[own]: {
            flow: (times, values.astype(float) * UNITS.get(own, 1))
            for flow, (times, values) in by_flow(rows.filter(names == own), "time_s", "value")
        }
        for own in dict.fromkeys(names.tolist())
        if own in CALLED
    }


def with_c(cc: str, c: float) -> dict[str, Any]:
    """The set with another C; the kernel's has it twice, for K and for the curve."""
    return {"cc": cc, "c": c, **({"curve_c": c} if mechanism(cc) == KERNEL else {})}


def kernels_alpha(kept: float) -> float:
    """Growth of the kernel's W_tcp per round trip, in packets: of its integers, 8 over 8 (1024 + β) / 3 / (1024 - β)."""
    beta = round(1024 * kept)
    return 8 / (8 * (1024 + beta) // 3 // (1024 - beta))
