# SPDX-License-Identifier: MIT OR Apache-2.0
"""The groups of a scenario's flows, and the names of its traffic."""

from __future__ import annotations

import json
from dataclasses import dataclass

from cwnd._native import Scenario


@dataclass(frozen=True, slots=True)
class FlowGroup:
    """A group of flows with the same settings."""

    name: str
    label: str
    cc: str
    flows: range


def groups(scenario: Scenario) -> list[FlowGroup]:
    """The groups of a scenario's flows, in order. Groups with the same label are named by their flows' numbers."""
    tables = json.loads(scenario.to_json()).get("flow", [])
    labels, names = scenario.labels, scenario.flow_names
    flow_groups: list[FlowGroup] = []
    begin = 0
    for table, label in zip(tables, labels):
        flows = range(begin, begin + table["count"])
        begin = flows.stop
        name = label
        if labels.count(label) > 1:
            name = names[flows.start]
            if len(flows) > 1:
                name += f" to {names[flows.stop - 1].rpartition(' ')[2]}"
        flow_groups.append(FlowGroup(name, label, table["cc"], flows))
    return flow_groups


def traffic(scenario: Scenario) -> list[str]:
    """The names of a scenario's groups of traffic, in the order of their numbers."""
    return [table["name"] for table in json.loads(scenario.to_json()).get("traffic", [])]


def seconds(text: str) -> float:
    """A time as a scenario writes it (`250ms`)."""
    digits = text.rstrip("smun")
    return float(digits) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[text.removeprefix(digits)]
