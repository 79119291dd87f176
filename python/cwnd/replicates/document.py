# SPDX-License-Identifier: MIT OR Apache-2.0
"""The document of a run, and the document over many runs: plain values, which do not depend on the number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cwnd import drop_causes
from cwnd.groups import FlowGroup
from cwnd.metrics.measure_type import Measure
from cwnd.metrics.run import Settings, measures
from cwnd.metrics.statistics import mean_interval, median_interval
from cwnd.result import Result

Document = dict[str, Any]
# Summed over a group's flows, and averaged over them.
COUNTS = ("packets_sent", "retransmits", "timeouts", "drops", *drop_causes.COLUMNS)
SUMS = ("throughput_mbps", "goodput_mbps", "share", *COUNTS, *(f"{key}_run" for key in COUNTS))
MEANS = ("cwnd_mean",)
STARTED = ("transfers", "finished", "datagrams")
LOADS = ("offered_mbps", "carried_mbps", *STARTED, *(f"{key}_run" for key in STARTED))
COMPLETION = ("mean", "p50", "p95", "p99")
# Times that are infinite in a run that did not reach them: a median allows that, a mean does not.
TIMES = ("convergence_s",)


def describe(result: Result, flow_groups: Sequence[FlowGroup]) -> Document:
    """The summary of one run with its measures, without its processor time."""
    settings = Settings.of(result.scenario)
    run_measures = measures(result, [group.flows for group in flow_groups], settings)

    def as_json(measured: Mapping[str, Measure]) -> Document:
        return {name: measure.document() for name, measure in measured.items()}

    return {
        **result.summary,
        "perf": {"packets": result.summary["perf"]["packets"]},
        "measures": {
            "convergence": {"delta": settings.delta, "interval_s": settings.interval_s, "hold_s": settings.hold_s},
            "flows": as_json(run_measures.everyone),
            "links": [as_json(link) for link in run_measures.links],
            "groups": [as_json(group) for group in run_measures.groups],
            "transfers": [
                {"of": group.of, "index": group.index, "direction": group.direction, **as_json(group.completion)}
                for group in run_measures.transfers
            ],
        },
    }


def combine(flow_groups: Sequence[FlowGroup], runs: Sequence[Document], asked: int) -> Document:
    """Means with 95 % confidence intervals over the runs, medians of times, and the runs themselves."""
    first = runs[0]

    def over(value: Callable[[Document], Any]) -> Document:
        return mean_interval([value(run) for run in runs]).document("mean")

    def group_values(index: int, group: FlowGroup) -> Document:
        def total(key: str) -> Callable[[Document], float]:
            return lambda run: math.fsum(run["flows"][flow][key] for flow in group.flows)

        sums = {key: over(total(key)) for key in SUMS}
        for key in MEANS:
            sums[key] = over(lambda run, key=key: total(key)(run) / len(group.flows))  # type: ignore[misc]
        return {
            "name": group.name,
            "label": group.label,
            "cc": group.cc,
            "flows": len(group.flows),
            **sums,
            "measures": over_measures([run["measures"]["groups"][index] for run in runs]),
        }

    def link_values(index: int, link: Document) -> Document:
        numbers = [key for key, value in link.items() if isinstance(value, int | float)]
        return {
            "name": link["name"],
            **{key: over(lambda run, key=key: run["links"][index][key]) for key in numbers},  # type: ignore[misc]
            "measures": over_measures([run["measures"]["links"][index] for run in runs]),
        }

    links = [link_values(index, link) for index, link in enumerate(first["links"])]
    return {
        "lane": first["lane"],
        "duration_s": first["duration_s"],
        "measured_s": first["measured_s"],
        "asked": asked,
        "seeds": [run["seed"] for run in runs],
        "identical": identical(runs),
        "link": links[0],
        "links": links,
        "jain": over(lambda run: run["jain"]),
        "convergence": first["measures"]["convergence"],
        "measures": over_measures([run["measures"]["flows"] for run in runs]),
        "groups": [group_values(index, group) for index, group in enumerate(flow_groups)],
        "traffic": over_traffic(runs),
        "transfers": over_transfers(runs),
        "runs": list(runs),
    }


def over_traffic(runs: Sequence[Document]) -> list[Document]:
    """Each group of traffic and direction, over the runs; one that is missing in a run carried nothing there."""

    def keyed(run: Document) -> dict[tuple[str, str, int], Document]:
        by_key: dict[tuple[str, str, int], Document] = {}
        for group in run["traffic"]:
            # Two groups may have the same name.
            same = sum(key[:2] == (group["name"], group["direction"]) for key in by_key)
            by_key[group["name"], group["direction"], same] = group
        return by_key

    by_run = [keyed(run) for run in runs]
    rows = []
    for key in dict.fromkeys(key for groups in by_run for key in groups):
        over_runs = [groups.get(key, {}) for groups in by_run]
        present = next(filter(None, over_runs))
        rows.append(
            {name: present[name] for name in ("name", "direction", "asked", "asked_mbps")}
            | {name: mean_interval([group.get(name, 0) for group in over_runs]).document("mean") for name in LOADS}
        )
    return rows


def over_transfers(runs: Sequence[Document]) -> list[Document]:
    """Each group of transfers and direction, over the runs: how many, and their completion times."""

    def key(group: Document) -> tuple[str, int, str]:
        return group["of"], group["index"], group["direction"]

    counts = [{key(group): group for group in run["transfers"]} for run in runs]
    times = [{key(group): group for group in run["measures"]["transfers"]} for run in runs]
    none = Measure(None, "s", "no transfer started").document()
    rows = []
    for group_key in sorted({each for run in counts for each in run}):
        name = next(run[group_key]["name"] for run in counts if group_key in run)
        completion = {part: [run.get(group_key, {}).get(part, none) for run in times] for part in COMPLETION}
        rows.append(
            {"of": group_key[0], "index": group_key[1], "name": name, "direction": group_key[2]}
            | {
                count: mean_interval([run.get(group_key, {}).get(count, 0) for run in counts]).document("mean")
                for count in ("started", "finished")
            }
            | {"completion_s": {part: over_measure(part, values) for part, values in completion.items()}}
        )
    return rows


def over_measures(runs: Sequence[Document]) -> Document:
    """Each measure over the runs in which it is defined, with the number of the others and the reason."""
    return {name: over_measure(name, [run[name] for run in runs]) for name in runs[0]}


def over_measure(name: str, measured: Sequence[Document]) -> Document:
    """One measure over the runs."""
    values = [measure["value"] for measure in measured if measure["value"] is not None]
    reasons = [measure["why"] for measure in measured if measure["value"] is None]
    if name in TIMES and values:
        document = median_interval([*values, *([math.inf] * len(reasons))]).document("median")
    else:
        document = mean_interval(values).document("mean")
    document["unit"] = measured[0]["unit"]
    if reasons:
        document |= {"undefined": len(reasons), "why": reasons[0]}
    return document


def identical(runs: Sequence[Document]) -> bool:
    """Whether several runs are all the same: then nothing in the scenario is random, and the intervals mean nothing."""
    plain = [{key: value for key, value in run.items() if key != "seed"} for run in runs]
    return len(runs) > 1 and all(run == plain[0] for run in plain)
