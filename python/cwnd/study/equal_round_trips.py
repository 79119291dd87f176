# SPDX-License-Identifier: MIT OR Apache-2.0
"""Points that differ in nothing but the delay of a dumbbell's link. It is a part of `rtt`, so their round trip times are the same."""

from __future__ import annotations

import json

from cwnd._native import Scenario
from cwnd.scenario.snapshot import scenario_document
from cwnd.study.keys import full, parts_of
from cwnd.study.points import Point, Points
from cwnd.study.results import place


def equal_round_trips(points: Points) -> list[str]:
    """A note that names the first of such points, if there are any."""
    if not any(parts_of(full(key))[-1][0] in ("delay", "netem") for key in points.design.axes):
        return []
    groups: dict[str, dict[str, Point]] = {}
    for point in points.points:
        if point.scenario is not None and (split := without_delay(point.scenario)) is not None:
            others, delay = split
            groups.setdefault(others, {})[delay] = point
    equal = [point for group in groups.values() if len(group) > 1 for point in group.values()]
    if not equal:
        return []
    named = f"{place(equal[0].factors)}; {place(equal[1].factors)}{' and others' if equal[2:] else ''}"
    return [
        f"{len(equal)} points differ from another point only in the link's delay, which is part of rtt, so their round trip times are equal: {named}"
    ]


def without_delay(scenario: Scenario) -> tuple[str, str] | None:
    """A dumbbell without the constant delays of its link, and these delays; nothing for other networks."""
    document = scenario_document(scenario)
    link = document.get("link")
    if not isinstance(link, dict):
        return None
    delays = []
    for table in (link, link.get("reverse")):
        if isinstance(table, dict) and isinstance(table.get("delay"), str):
            delays.append(table.pop("delay"))
    return json.dumps(document, sort_keys=True), json.dumps(delays)
