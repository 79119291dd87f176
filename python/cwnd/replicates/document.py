# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is kept of a run, and what is said over many: plain values, the same whatever the number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cwnd.groups import Group
from cwnd.metrics.run import Settings, measures
from cwnd.metrics.statistics import mean_interval, median_interval
from cwnd.metrics.value import Measure
from cwnd.result import Result

Document = dict[str, Any]
# Added up over a group's flows, averaged over them.
COUNTS = ("packets_sent", "retransmits", "timeouts", "drops", "drops_queue", "drops_early", "drops_loss")
SUMS = ("throughput_mbps", "goodput_mbps", "share", *COUNTS, *(f"{key}_run" for key in COUNTS))
MEANS = ("cwnd_mean",)
STARTED = ("transfers", "finished", "datagrams")
LOADS = ("offered_mbps", "carried_mbps", *STARTED, *(f"{key}_run" for key in STARTED))
COMPLETION = ("mean", "p50", "p95", "p99")
# A run in which this did not happen lasted longer than it did anywhere else: medians can take that, means cannot.
TIMES = ("convergence_s",)


def describe(result: Result, of: Sequence[Group]) -> Document:
    """The summary of one run, without what it cost, and with its measures."""
    settings = Settings.of(result.scenario)
    found = measures(result, [group.flows for group in of], settings)

    def said(measured: Mapping[str, Measure]) -> Document:
        return {name: one.document() for name, one in measured.items()}

    return {
        **result.summary,
        "perf": {"packets": result.summary["perf"]["packets"]},
        "measures": {
            "convergence": {"delta": settings.delta, "interval_s": settings.interval_s, "hold_s": settings.hold_s},
            "flows": said(found.everyone),
            "links": [said(link) for link in found.links],
            "groups": [said(group) for group in found.groups],
            "transfers": [
                {"of": one.of, "index": one.index, "direction": one.direction, **said(one.completion)}
                for one in found.transfers
            ],
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
            "label": group.label,
            "cc": group.cc,
            "flows": len(group.flows),
            **found,
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
        "groups": [group_values(index, group) for index, group in enumerate(of)],
        "traffic": over_traffic(runs),
        "transfers": over_transfers(runs),
        "runs": list(runs),
    }


def over_traffic(runs: Sequence[Document]) -> list[Document]:
    """Each group of traffic and way, over the runs; one that was still in a run carried nothing there."""

    def keyed(run: Document) -> dict[tuple[str, str, int], Document]:
        found: dict[tuple[str, str, int], Document] = {}
        for one in run["traffic"]:
            # Two groups may have one name.
            again = sum(key[:2] == (one["name"], one["direction"]) for key in found)
            found[one["name"], one["direction"], again] = one
        return found

    by_run = [keyed(run) for run in runs]
    rows = []
    for key in dict.fromkeys(key for found in by_run for key in found):
        those = [found.get(key, {}) for found in by_run]
        one = next(filter(None, those))
        rows.append(
            {name: one[name] for name in ("name", "direction", "asked", "asked_mbps")}
            | {name: mean_interval([it.get(name, 0) for it in those]).document("mean") for name in LOADS}
        )
    return rows


def over_transfers(runs: Sequence[Document]) -> list[Document]:
    """Each group of transfers and way, over the runs: how many, and how long they took."""

    def key(one: Document) -> tuple[str, int, str]:
        return one["of"], one["index"], one["direction"]

    counts = [{key(one): one for one in run["transfers"]} for run in runs]
    times = [{key(one): one for one in run["measures"]["transfers"]} for run in runs]
    none = Measure(None, "s", "no transfer started").document()
    rows = []
    for this in sorted({found for run in counts for found in run}):
        name = next(run[this]["name"] for run in counts if this in run)
        completion = {part: [run.get(this, {}).get(part, none) for run in times] for part in COMPLETION}
        rows.append(
            {"of": this[0], "index": this[1], "name": name, "direction": this[2]}
            | {
                count: mean_interval([run.get(this, {}).get(count, 0) for run in counts]).document("mean")
                for count in ("started", "finished")
            }
            | {"completion_s": {part: over_measure(part, those) for part, those in completion.items()}}
        )
    return rows


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
