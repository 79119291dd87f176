# SPDX-License-Identifier: MIT OR Apache-2.0
"""The settings that all points of a study have in common, in words, for captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from cwnd._native import Scenario
from cwnd.stored_scenario import scenario_document
from cwnd.study.points import Points


def settings_of(scenario: Scenario) -> dict[str, str]:
    """The settings of a scenario that a caption names: of a network of several links only how many there are."""
    document = scenario_document(scenario)
    flows = cast("Sequence[Mapping[str, object]]", document.get("flow", []))
    found: dict[str, str] = {}
    links = [link for link in scenario.links if not link.is_reverse]
    if len(links) == 1:
        found["rate"] = f"{scenario.rate_mbps:g} Mbit/s"
        if not any("rtt" in flow for flow in flows):
            found["rtt"] = f"{links[0].rtt_ms:g} ms"
        found["buffer"] = links[0].limit
        found["queue"] = links[0].queue
        found["loss"] = links[0].loss or ""
    else:
        found["links"] = f"{len(links)} links"
    found["flows"] = ", ".join(
        group.name if len(group.flows) == 1 else f"{len(group.flows)} {group.name}" for group in scenario.groups
    )
    begin, end = scenario.measured_s
    found["duration"] = f"{scenario.duration_s:g} s"
    found["measured"] = "" if (begin, end) == (0, scenario.duration_s) else f"{begin:g} to {end:g} s"
    return {name: value for name, value in found.items() if value}


def fixed_settings(points: Points) -> dict[str, str]:
    """Those settings that are the same at every point, by name: `rate`, `rtt`, `buffer`, `queue`, `loss`, `flows`, `duration`, `measured`."""
    common: dict[str, str] | None = None
    for point in points.points:
        if point.scenario is None:
            continue
        settings = settings_of(point.scenario)
        if common is None:
            common = settings
        common = {name: value for name, value in common.items() if settings.get(name) == value}
    return common or {}
