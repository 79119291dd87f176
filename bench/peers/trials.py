# SPDX-License-Identifier: MIT OR Apache-2.0
"""Trials: a scenario with one thing changed, which shows what a difference between the simulators comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cases import CASES, Case, Group

BY_KEY = {case.key: case for case in CASES}
# One flow that loses nothing: 0.4 t³ segments above a threshold of 10, at 100 ms.
ALONE = Case(
    "alone",
    "one CUBIC, 100 Mbit/s, 100 ms, threshold 10, no loss",
    100,
    333,
    (Group("cubic", 100),),
    short=(10, 1),
    full=(10, 1),
    ssthresh=10,
)


@dataclass(frozen=True, eq=False)
class Trial:
    what: str
    case: Case


def trial(case: str | Case, what: str, **settings: dict[str, Any]) -> Trial:
    """`cwnd`, `ns2`, `ns3`: what is changed there; only those named are run."""
    names = {"cwnd": "cwnd", "ns2": "ns-2", "ns3": "ns-3"}
    changed = {names[name]: change for name, change in settings.items()}
    base = BY_KEY[case] if isinstance(case, str) else case
    return Trial(what, replace(base, settings=changed, simulators=tuple(changed)))


CUBIC_21 = {"cubic-2.2": {"cc": "cubic-2.1"}}
# Today's Linux with the 0.8 of the others.
LINUX_08 = {"cubic-2.2": {"cc": "cubic-linux", "beta": 0.8}}

TRIALS: tuple[Trial, ...] = (
    trial(ALONE, "nothing", cwnd={}, ns2={}, ns3={}),
    trial(ALONE, "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial(ALONE, "ours is `cubic-linux`", cwnd=LINUX_08, ns3={}),
    trial("late", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("late", "ours is `cubic-linux`, beta 0.8", cwnd=LINUX_08),
    trial("fig6", "`sack-prr`", cwnd={"recovery": "sack-prr"}),
    trial("fig6", "all from a threshold of 100", cwnd={"initial_ssthresh": 100}, ns2={"initial_ssthresh": 100}),
    trial("fig6", "every segment acknowledged", cwnd={"ack_every": 1}, ns2={"ack_every": 1}),
    trial("fig6", "ours is `cubic-linux`, beta 0.8", cwnd=LINUX_08),
    trial("rtt-16-160", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("rtt-40-80", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("rtt-40-80", "ours is `cubic-linux`, beta 0.8", cwnd=LINUX_08),
    trial("rtt-40-80", "ours without the Reno-friendly region", cwnd={"friendliness": "off"}),
    trial("rtt-40-240", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("rtt-40-240", "ours is `cubic-linux`, beta 0.8", cwnd=LINUX_08),
    trial("sack-82", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("lot", "ours is `cubic-2.1`", cwnd=CUBIC_21, ns2={}),
    trial("lot", "ours is `cubic-linux`, beta 0.8", cwnd=LINUX_08),
    trial("fast-20", "ours is `cubic-2.1`", cwnd=CUBIC_21),
    trial("fast-200", "ours is `cubic-2.1`", cwnd=CUBIC_21),
)
