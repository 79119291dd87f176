# SPDX-License-Identifier: MIT OR Apache-2.0
"""Trials: a scenario with one thing changed, which shows what a difference between the simulators comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tools.peers.cases import CASES, LINUX_314, NS2_RULES, NS3_RULES, Case, CaseGroup, Rules, Setting

BY_KEY = {case.key: case for case in CASES}
# One flow that loses nothing: 0.4 t³ segments above a threshold of 10, at 100 ms.
ALONE = Case(
    "alone",
    "one CUBIC, 100 Mbit/s, 100 ms, threshold 10, no loss",
    100,
    333,
    (CaseGroup("cubic", 100),),
    short=(10, 1),
    full=(10, 1),
    ssthresh=10,
)


@dataclass(frozen=True, eq=False)
class Trial:
    what: str
    case: Case


def trial(case: str | Case, what: str, settings: Mapping[str, Rules]) -> Trial:
    """What is changed, by simulator; only those named are run."""
    base = BY_KEY[case] if isinstance(case, str) else case
    return Trial(what, replace(base, settings=settings, simulators=tuple(settings)))


def ours(**change: Setting) -> Rules:
    """A change of our CUBIC flows."""
    return {"cubic-2.2": change}


# What CUBIC does before its first loss, when it has no W_max: Linux 2.6.22 grows by one packet in 50 acknowledgements,
# Linux 3.14 by at least one in 20, the paper's and RFC 9438's along the curve from the start of the epoch.
FREE_22 = ours(cc="cubic-2.1", unknown="at_most", unknown_count=1000)
BARE_22 = ours(cc="cubic-2.1", unknown="at_most", unknown_count=1000, clamp="off")
BARE_314 = ours(
    cc="cubic-linux", recovery="sack", beta=0.8, slow_start="standard", unknown_count=1000, friendliness=False
)
FREE_314 = ours(cc="cubic-linux", recovery="sack", beta=0.8, slow_start="standard", unknown_count=1000)

WITHOUT_PRR: Rules = {"recovery": "sack", "cubic-2.2": {**LINUX_314, "recovery": "sack"}}


def before_the_first_loss(key: str) -> tuple[Trial, ...]:
    return (
        trial(key, "`cubic-2.1`, no rule of 50", {"cwnd": FREE_22}),
        trial(key, "`cubic-2.1`, no rule of 50, no clamp", {"cwnd": BARE_22}),
        trial(key, "`cubic-linux`, 0.8, no rule of 20", {"cwnd": FREE_314}),
        trial(key, "the same without the Reno-friendly region", {"cwnd": BARE_314}),
    )


TRIALS: tuple[Trial, ...] = (
    trial(ALONE, "nothing", {"cwnd": {}, "cwnd as ns-2": NS2_RULES, "ns-2": {}, "cwnd as ns-3": NS3_RULES, "ns-3": {}}),
    *before_the_first_loss("rtt-40-80"),
    *before_the_first_loss("late"),
    *before_the_first_loss("fast-200"),
    trial("fig6", "recovery without PRR", {"cwnd as ns-3": {**NS3_RULES, **WITHOUT_PRR}, "ns-3": {"prr": 0}}),
    trial(
        "fig6",
        "from a threshold of 100",
        {
            "cwnd": {"initial_ssthresh": 100},
            "cwnd as ns-2": {**NS2_RULES, "initial_ssthresh": 100},
            "ns-2": {"initial_ssthresh": 100},
            "cwnd as ns-3": {**NS3_RULES, "initial_ssthresh": 100},
            "ns-3": {"initial_ssthresh": 100},
        },
    ),
)
