# SPDX-License-Identifier: MIT OR Apache-2.0
"""The groups of a scenario's flows, and the names of what sends beside them."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cwnd._native import Scenario


@dataclass(frozen=True, slots=True)
class Group:
    """Like flows."""

    name: str
    label: str
    cc: str
    flows: range


def groups(scenario: Scenario) -> list[Group]:
    """The groups of a scenario's flows, in order: named by label, and by their flows' numbers where several are called alike."""
    tables = json.loads(scenario.to_json()).get("flow", [])
    labels, names = scenario.labels, scenario.flow_names
    found: list[Group] = []
    begin = 0
    for table, label in zip(tables, labels):
        flows = range(begin, begin + table["count"])
        begin = flows.stop
        name = label
        if labels.count(label) > 1:
            name = names[flows.start]
            if len(flows) > 1:
                name += f" to {names[flows.stop - 1].rpartition(' ')[2]}"
        found.append(Group(name, label, table["cc"], flows))
    return found


def traffic(scenario: Scenario) -> list[str]:
    """The names of a scenario's groups of traffic, in the order of their numbers."""
    return [table["name"] for table in json.loads(scenario.to_json()).get("traffic", [])]


def seconds(text: str) -> float:
    """A time as a scenario writes it (`250ms`)."""
    digits = text.rstrip("smun")
    return float(digits) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[text.removeprefix(digits)]
