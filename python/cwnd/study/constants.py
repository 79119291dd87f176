# SPDX-License-Identifier: MIT OR Apache-2.0
"""The settings that all points of a study have in common, in words, for captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from cwnd._native import Scenario
from cwnd.scenario.captions import Table, group_words, others_of, own_settings, queue_of, queue_words, traffic_of
from cwnd.scenario.keywords import NO_RATE
from cwnd.scenario.snapshot import scenario_document
from cwnd.study.points import Points

#: What stands for an algorithm that is an axis.
VARIED = "the variant"


@dataclass(frozen=True, slots=True)
class Group:
    """What the groups of one place have in common at all points."""

    #: The algorithm, or the name of traffic; none where there are several.
    name: str | None
    count: int | None
    own: Mapping[str, str]

    def __and__(self, other: Group) -> Group:
        return Group(
            self.name if self.name == other.name else None,
            self.count if self.count == other.count else None,
            {key: value for key, value in self.own.items() if other.own.get(key) == value},
        )

    def __str__(self) -> str:
        return group_words(self.name or VARIED, self.count or 1, self.own)


def groups_of(scenario: Scenario, document: Table) -> list[Group]:
    """The groups of a scenario, then its traffic."""
    tables = cast("Sequence[Table]", document.get("flow", []))
    flows = [
        Group(str(table["cc"]), len(group.flows), own)
        for table, group, own in zip(tables, scenario.groups, own_settings(document), strict=True)
    ]
    return [*flows, *(Group(words, 1, {}) for words in traffic_of(scenario, document))]


def settings_of(scenario: Scenario, document: Table) -> dict[str, str]:
    """The settings of a scenario that a caption names, but for its flows: of a network of several links only how many there are."""
    flows = cast("Sequence[Table]", document.get("flow", []))
    found: dict[str, str] = {}
    links = [link for link in scenario.links if not link.is_reverse]
    if len(links) == 1:
        found["rate"] = NO_RATE if scenario.rate_mbps is None else f"{scenario.rate_mbps:g} Mbit/s"
        if not any("rtt" in flow for flow in flows):
            found["rtt"] = f"{links[0].rtt_ms:g} ms"
        found["buffer" if links[0].queue is not None else "delay_limit"] = links[0].limit or ""
        found["loss"] = links[0].loss or ""
        found |= others_of(scenario, document)
    else:
        found["links"] = f"{len(links)} links"
    begin, end = scenario.measured_s
    found["duration"] = f"{scenario.duration_s:g} s"
    found["measured"] = "" if (begin, end) == (0, scenario.duration_s) else f"{begin:g} to {end:g} s"
    return {name: value for name, value in found.items() if value}


def flows_in_words(groups: Sequence[Group]) -> str:
    """Which flows are in each run, and whether they compete."""
    return f"{' + '.join(map(str, groups))} {'together' if len(groups) > 1 else 'alone'}"


def common_queue(queues: Sequence[Mapping[str, str]]) -> str:
    """What the managed ones of these queues have in common, in words; `droptail` where none is managed, and nothing where there is no queue."""
    managed = [queue for queue in queues if queue]
    if not managed:
        return "droptail" if queues else ""
    common = {key: value for key, value in managed[0].items() if all(each.get(key) == value for each in managed)}
    words = queue_words(common)
    return words if len(managed) == len(queues) or not words else f"{words} where it is not drop-tail"


def fixed_settings(points: Points) -> dict[str, str]:
    """Those settings that are the same at every point, by name: `rate`, `rtt`, `buffer` or `delay_limit`, `queue`, `loss`, `flows`, `duration`, `measured`."""
    common: dict[str, str] | None = None
    groups: list[Group] | None = None
    queues: list[dict[str, str]] = []
    for point in points.points:
        if point.scenario is None:
            continue
        document = scenario_document(point.scenario)
        settings, own = settings_of(point.scenario, document), groups_of(point.scenario, document)
        forward = [link for link in point.scenario.links if not link.is_reverse]
        # Of a network of several links none is named, and a link without a rate has no queue.
        if len(forward) == 1 and forward[0].queue is not None:
            queues.append(queue_of(document))
        if common is None or groups is None:
            common, groups = settings, own
        common = {name: value for name, value in common.items() if settings.get(name) == value}
        groups = [ours & theirs for ours, theirs in zip(groups, own, strict=True)] if len(groups) == len(own) else []
    queue = common_queue(queues)
    return {
        **(common or {}),
        **({"queue": queue} if queue else {}),
        **({"flows": flows_in_words(groups)} if groups else {}),
    }
