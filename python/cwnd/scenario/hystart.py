# SPDX-License-Identifier: MIT OR Apache-2.0
"""Flows whose slow start HyStart++ limits because their acknowledgements are rare, and what that costs. RFC 9406, section 4.2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypedDict

from cwnd._native import Scenario

#: What `python -m tools.hystart_cost` has measured.
RECORD = Path(__file__).with_name("hystart_cost.json")


class HystartCost(TypedDict):
    """The use of a link by one flow, by how many segments an acknowledgement is for."""

    algorithm: str
    path: str
    #: per cent of the link, by `ack_every`
    utilisation: dict[str, float]
    #: the same at one `ack_every` without the limit (`l=0`), and with pacing
    compared_at: str
    without_limit: float
    paced: float


def limit_notes(scenario: Scenario) -> list[str]:
    """A line for each group of flows that HyStart++ limits."""
    return [
        f"{label}: an acknowledgement may be for {ack_every} segments, and HyStart++ lets it add {limit} to the window of a flow that is not paced "
        f"(l, RFC 9406 §4.2): slow start grows by as little as {100 * limit / ack_every:.0f} % a round trip, not by 100 %"
        for label, ack_every, limit in scenario.slow_start_limits
    ]


def cost_lines() -> list[str]:
    """The measured cost, in words."""
    cost: HystartCost = json.loads(RECORD.read_text(encoding="utf-8"))
    used = ", ".join(f"{part:.1f} % with one for every {every}" for every, part in cost["utilisation"].items())
    return [
        "HyStart++ lets an acknowledgement add at most l segments in slow start, unless the flow is paced (RFC 9406 §4.2): with rare acknowledgements the window grows slowly",
        f"{cost['algorithm']} on {cost['path']} uses {used} segments; with one for every {cost['compared_at']} and l=0 {cost['without_limit']:.1f} %, paced {cost['paced']:.1f} %",
    ]
