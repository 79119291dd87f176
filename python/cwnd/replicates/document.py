# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is kept of a run, and what is said over many: plain values, the same whatever the number of threads."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cwnd._native import Scenario
from cwnd.metrics.run import measures
from cwnd.metrics.statistics import mean_interval, median_interval
from cwnd.result import Result

Document = dict[str, Any]
# Added up over a group's flows, averaged over them.
SUMS = ("throughput_mbps", "goodput_mbps", "share", "retransmits", "timeouts", "drops")
MEANS = ("cwnd_mean",)
# A run in which this did not happen lasted longer than it did anywhere else: medians can take that, means cannot.
TIMES = ("convergence_s",)


@dataclass(frozen=True, slots=True)
class Group:
    """Like flows."""

    name: str
    cc: str
    flows: range


def groups(scenario: Scenario) -> list[Group]:
    """The groups of a scenario's flows, in order: named by algorithm, and by their flows' numbers where that is not unique."""
    tables = json.loads(scenario.to_json())["flow"]
    algorithms = [table["cc"] for table in tables]
    names = scenario.flow_names
    found: list[Group] = []
    begin = 0
    for table in tables:
        flows = range(begin, begin + table["count"])
        begin = flows.stop
        name = table["cc"]
        if algorithms.count(name) > 1:
            name = names[flows.start]
            if len(flows) > 1:
                name += f" to {names[flows.stop - 1].rpartition(' ')[2]}"
        found.append(Group(name, table["cc"], flows))
    return found


def describe(result: Result, of: Sequence[Group]) -> Document:
    """The summary of one run, without what it cost, and with its measures."""
    found = measures(result, [group.flows for group in of])
    return {
        **result.summary,
        "perf": {"packets": result.summary["perf"]["packets"]},
        "measures": {
            "link": {name: one.document() for name, one in found.link.items()},
            "groups": [{name: one.document() for name, one in group.items()} for group in found.groups],
        },
    }


def combine(of: Sequence[Group], runs: Sequence[Document], asked: int) -> Document:
    """Means with 95 % confidence intervals over the runs, medians of times, and the runs themselves."""
    first = runs[0]

    def over(value: Callable[[Document], Any]) -> Document:
        return mean_interval([value(run) for run in runs]).document("mean")

    def group_values(index: int, group: Group) -> Document:
        def total(key: str) -> Callable[[Document], float]:
            return lambda run: math.fsum(run["flows"][flow][key] for flow in group.flows)

        found = {key: over(total(key)) for key in SUMS}
        for key in MEANS:
            found[key] = over(lambda run, key=key: total(key)(run) / len(group.flows))  # type: ignore[misc]
        return {
            "name": group.name,
            "cc": group.cc,
            "flows": len(group.flows),
            **found,
            "measures": over_measures([run["measures"]["groups"][index] for run in runs]),
        }

    return {
        "lane": first["lane"],
        "duration_s": first["duration_s"],
        "measured_s": first["measured_s"],
        "asked": asked,
        "seeds": [run["seed"] for run in runs],
        "identical": identical(runs),
        "link": {key: over(lambda run, key=key: run["link"][key]) for key in numbers(first["link"])},  # type: ignore[misc]
        "jain": over(lambda run: run["jain"]),
        "measures": over_measures([run["measures"]["link"] for run in runs]),
        "groups": [group_values(index, group) for index, group in enumerate(of)],
        "runs": list(runs),
    }


def numbers(row: Document) -> list[str]:
    """The keys of a row that a mean is taken of: not its name, nor what it has no value of."""
    return [key for key, value in row.items() if isinstance(value, int | float)]


def over_measures(runs: Sequence[Document]) -> Document:
    """Each measure over the runs that have it, and how many have not, and why."""
    return {name: over_measure(name, [run[name] for run in runs]) for name in runs[0]}


def over_measure(name: str, found: Sequence[Document]) -> Document:
    """One measure over the runs."""
    values = [one["value"] for one in found if one["value"] is not None]
    reasons = [one["why"] for one in found if one["value"] is None]
    if name in TIMES and values:
        document = median_interval([*values, *([math.inf] * len(reasons))]).document("median")
    else:
        document = mean_interval(values).document("mean")
    document["unit"] = found[0]["unit"]
    if reasons:
        document |= {"undefined": len(reasons), "why": reasons[0]}
    return document


def identical(runs: Sequence[Document]) -> bool:
    """Whether several runs all came out the same: then nothing in the scenario is random, and intervals mean nothing."""
    plain = [{key: value for key, value in run.items() if key != "seed"} for run in runs]
    return len(runs) > 1 and all(run == plain[0] for run in plain)
