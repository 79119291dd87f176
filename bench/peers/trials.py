# SPDX-License-Identifier: MIT OR Apache-2.0
"""Trials: a scenario with one thing changed, which shows what a difference between the simulators comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cases import CASES, Case

BY_KEY = {case.key: case for case in CASES}


@dataclass(frozen=True, eq=False)
class Trial:
    what: str
    case: Case


def trial(key: str, what: str, **settings: dict[str, Any]) -> Trial:
    """`cwnd`, `ns2`, `ns3`: what is changed there; only those named are run."""
    names = {"cwnd": "cwnd", "ns2": "ns-2", "ns3": "ns-3"}
    changed = {names[name]: change for name, change in settings.items()}
    return Trial(what, replace(BY_KEY[key], settings=changed, simulators=tuple(changed)))


TRIALS: tuple[Trial, ...] = ()
