# SPDX-License-Identifier: MIT OR Apache-2.0
"""The two mechanisms of CUBIC that an experiment can use, and the names of their parameters and inner variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd import _native
from cwnd.metrics.series import by_flow
from cwnd.reproduce.numbers import JsonObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from cwnd.metrics.series import Floats
    from cwnd.result.result import Result

#: In real time (`crates/cwnd/src/algorithms/cubic`), and in the kernel's ticks and counts (`cubic/linux`).
REAL_TIME, KERNEL = "cubic", "cubic-linux"
#: Their inner variables by a common name; the kernel's smallest RTT is in ticks or in µs, which the set decides.
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
#: The common name of each recorded variable.
COMMON_NAME = {
    variable: name for names in VARIABLES.values() for name, variables in names.items() for variable in variables
}
#: Units of the recorded variables, in s; ticks are 1 ms, the simulated hosts' default.
UNITS = {"k_s_x1024": 1 / 1024, "min_rtt_us": 1e-6, "min_rtt_ticks": 1e-3}


def parameters(cc: str) -> tuple[str, Mapping[str, str]]:
    """The algorithm that a parameter set belongs to, and the set's values."""
    return next(
        (algorithm["name"], parameter_set["params"])
        for algorithm in _native.algorithms()
        for parameter_set in algorithm["sets"]
        if parameter_set["name"] == cc
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


def kept_fraction(cc: str) -> float:
    """β of a parameter set: the part of the window that is kept after a loss."""
    values = parameters(cc)[1]
    if "beta" not in values:
        raise ValueError(f'"{cc}" is not accepted in this experiment, which asks for its beta; expected a set of CUBIC')
    return float(values["beta"])


def recorded(cc: str, *names: str) -> list[str]:
    """The entries of `record.inner` that record these variables."""
    by_name, clock = VARIABLES[mechanism(cc)], parameters(cc)[1].get("clock")
    unused = "min_rtt_us" if mechanism(cc) == KERNEL and clock == "ticks" else "min_rtt_ticks"
    return [variable for name in names for variable in by_name[name] if variable != unused]


def variables(run: Result) -> dict[str, dict[int, tuple[Floats, Floats]]]:
    """The recorded inner variables by common name and flow: times and values; K and the smallest RTT in seconds."""
    rows: pa.Table = run.inner
    names = np.asarray(rows["name"])
    return {
        COMMON_NAME[variable]: {
            flow: (times, values.astype(float) * UNITS.get(variable, 1))
            for flow, (times, values) in by_flow(rows.filter(names == variable), "time_s", "value")
        }
        for variable in dict.fromkeys(names.tolist())
        if variable in COMMON_NAME
    }


def with_c(cc: str, c: float) -> JsonObject:
    """The set with another C, which the kernel's CUBIC has twice: for K and for the curve."""
    return {"cc": cc, "c": c, **({"curve_c": c} if mechanism(cc) == KERNEL else {})}


def kernels_alpha(beta: float) -> float:
    """Growth of the kernel's W_tcp per round trip, in packets, from its integers: 8 over 8 (1024 + β) / 3 / (1024 - β), β in 1/1024."""
    beta_x1024 = round(1024 * beta)
    return 8 / (8 * (1024 + beta_x1024) // 3 // (1024 - beta_x1024))
