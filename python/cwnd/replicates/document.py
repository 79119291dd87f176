# SPDX-License-Identifier: MIT OR Apache-2.0
"""The document of a run, and the document over many runs: plain values, which do not depend on the number of threads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from cwnd._internal import drop_causes
from cwnd._internal.json_types import IntervalDocument, number, optional_number, total_of
from cwnd._internal.summary_types import FlowIntervals, LinkIntervals, LinkSummary, TrafficIntervals, TrafficSummary
from cwnd._native import FlowGroup
from cwnd.metrics.confidence_intervals import mean_interval, median_interval
from cwnd.metrics.fairness import NOT_CONVERGED
from cwnd.metrics.measure_type import Measure, MeasureDocument
from cwnd.metrics.rates import NONE_STARTED
from cwnd.metrics.run import Settings, measures, number_of_link, without_capacity
from cwnd.metrics.run_measures import (
    FlowMeasureDocuments,
    FlowMeasureIntervals,
    LinkMeasureDocuments,
    LinkMeasureIntervals,
    by_name,
)
from cwnd.metrics.transfers import SIZE_CLASSES, SizeClass, Transfers, TransfersSummary
from cwnd.replicates.left_out import mean_of_others, reason_of
from cwnd.result.typed_summary import Packets, SeedSummary

if TYPE_CHECKING:
    from cwnd.result.result import Result

MeasureDocuments = Mapping[str, MeasureDocument]
Intervals = Mapping[str, IntervalDocument]


class ConvergenceRule(TypedDict):
    """When flows count as converged: within `delta` of fair for `hold_s`, by means over `interval_s`."""

    delta: float
    interval_s: float
    hold_s: float


class SizeMeasures(TypedDict):
    """Completion times of the transfers of a group in one direction whose size is of a class."""

    size: str
    mean: MeasureDocument
    p50: MeasureDocument
    p95: MeasureDocument
    p99: MeasureDocument


class TransferMeasures(TypedDict):
    """Completion times of a group of transfers in one direction."""

    of: str
    index: int
    direction: str
    mean: MeasureDocument
    p50: MeasureDocument
    p95: MeasureDocument
    p99: MeasureDocument
    by_size: list[SizeMeasures]


class RunMeasures(TypedDict):
    """The measures of one run: of all flows, of each link, of each group of flows, of each group of transfers."""

    convergence: ConvergenceRule
    flows: FlowMeasureDocuments
    links: list[LinkMeasureDocuments]
    groups: list[FlowMeasureDocuments]
    transfers: list[TransferMeasures]


class RunDocument(SeedSummary):
    """The summary of one run with its measures."""

    perf: Packets
    measures: RunMeasures


class LinkOverRuns(LinkIntervals):
    """A link over the runs, with an interval for each number of its summary."""

    name: str
    measures: LinkMeasureIntervals


class GroupOverRuns(FlowIntervals):
    """A group of flows over the runs, with an interval for each of `SUMS` and `MEANS`."""

    name: str
    measures: FlowMeasureIntervals
    label: str
    cc: str
    #: how many
    flows: int


class TrafficOverRuns(TrafficIntervals):
    """A group of traffic in one direction over the runs, with an interval for each of `LOADS`."""

    name: str
    #: algorithm and settings of the senders; empty for datagrams
    senders: str
    direction: str
    asked: str
    asked_mbps: float | None


class CompletionIntervals(TypedDict):
    """Completion times of a group of transfers over the runs (s)."""

    mean: IntervalDocument
    p50: IntervalDocument
    p95: IntervalDocument
    p99: IntervalDocument


class SizeOverRuns(TypedDict):
    """The transfers of a group in one direction whose size is of a class, over the runs."""

    size: str
    completion_s: CompletionIntervals


class TransfersOverRuns(TypedDict):
    """A group of transfers in one direction over the runs."""

    of: str
    index: int
    name: str
    direction: str
    started: IntervalDocument
    finished: IntervalDocument
    ended_before: IntervalDocument
    completion_s: CompletionIntervals
    #: the same by classes of sizes, those that have transfers
    by_size: list[SizeOverRuns]


class ReplicatesDocument(TypedDict):
    """The document over all runs, as `cwnd compare --seeds --json` prints it."""

    lane: str
    duration_s: float
    measured_s: list[float]
    #: how many seeds were asked for, and those that are done
    asked: int
    seeds: list[int]
    #: several runs are all the same
    identical: bool
    #: the first link
    link: LinkOverRuns
    links: list[LinkOverRuns]
    jain: IntervalDocument
    convergence: ConvergenceRule
    measures: FlowMeasureIntervals
    groups: list[GroupOverRuns]
    traffic: list[TrafficOverRuns]
    transfers: list[TransfersOverRuns]
    runs: list[RunDocument]


def measure_documents(measures: FlowMeasureDocuments | LinkMeasureDocuments) -> MeasureDocuments:
    """The measures of one run by their names."""
    return cast("MeasureDocuments", measures)


def intervals_of(measures: FlowMeasureIntervals | LinkMeasureIntervals | CompletionIntervals) -> Intervals:
    """Measures over the runs by their names."""
    return cast("Intervals", measures)


def interval_of(values: Mapping[str, object], key: str) -> IntervalDocument:
    """A number over the runs, by a key that is known only when the program runs."""
    return cast("IntervalDocument", values[key])


# Summed over a group's flows, and averaged over them.
COUNTS = ("packets_sent", "retransmits", "timeouts", "drops", *drop_causes.COLUMNS)
SUMS = ("throughput_mbps", "goodput_mbps", "share", *COUNTS, *(f"{key}_run" for key in COUNTS))
MEANS = ("cwnd_mean",)
STARTED = ("transfers", "finished", "datagrams")
LOADS = ("offered_mbps", "carried_mbps", *STARTED, *(f"{key}_run" for key in STARTED))
COMPLETION: tuple[Literal["mean", "p50", "p95", "p99"], ...] = ("mean", "p50", "p95", "p99")
# Why a flow has no share.
NO_SHARE = "no link on the path has a capacity"
# Times that are infinite in a run that did not reach them: a median allows that, a mean does not.
TIMES = ("convergence_s",)


def is_never(measure: str, why: str) -> bool:
    """Whether this reason for no value says that a time was not reached within the run: it is later than all others."""
    return measure in TIMES and why.startswith(NOT_CONVERGED)


def describe(result: Result, flow_groups: Sequence[FlowGroup]) -> RunDocument:
    """The summary of one run with its measures, without its processor time."""
    settings = Settings.of(result.scenario)
    run_measures = measures(result, [group.flows for group in flow_groups], settings)

    def as_json(measured: Mapping[str, Measure]) -> MeasureDocuments:
        return {name: measure.document() for name, measure in measured.items()}

    def completion(transfers: Transfers | SizeClass) -> MeasureDocuments:
        return as_json({part: transfers.completion[part] for part in COMPLETION})

    document = {
        **result.summary,
        "perf": {"packets": result.summary["perf"]["packets"]},
        "measures": {
            "convergence": {"delta": settings.delta, "interval_s": settings.interval_s, "hold_s": settings.hold_s},
            "flows": as_json(by_name(run_measures.flows)),
            "links": [as_json(by_name(link)) for link in run_measures.links],
            "groups": [as_json(by_name(group)) for group in run_measures.groups],
            "transfers": [
                {
                    "of": group.of,
                    "index": group.index,
                    "direction": group.direction,
                    **completion(group),
                    "by_size": [{"size": each.size, **completion(each)} for each in group.by_size],
                }
                for group in run_measures.transfers
            ],
        },
    }
    return cast("RunDocument", document)


def combine(flow_groups: Sequence[FlowGroup], runs: Sequence[RunDocument], asked: int) -> ReplicatesDocument:
    """Means with 95 % confidence intervals over the runs, medians of times, and the runs themselves."""
    first = runs[0]

    def over(value: Callable[[RunDocument], float | None], why: str = "") -> IntervalDocument:
        values = [value(run) for run in runs]
        known = [each for each in values if each is not None]
        document = mean_interval(known).document("mean")
        return (
            document if len(known) == len(values) else {**document, "undefined": len(values) - len(known), "why": why}
        )

    def group_values(index: int, group: FlowGroup) -> GroupOverRuns:
        def total(run: RunDocument, key: str) -> float | None:
            return total_of(optional_number(run["flows"][flow], key) for flow in group.flows)

        def mean(run: RunDocument, key: str) -> float:
            return math.fsum(number(run["flows"][flow], key) for flow in group.flows) / len(group.flows)

        sums = {key: over(lambda run, key=key: total(run, key), NO_SHARE) for key in SUMS}  # type: ignore[misc]
        for key in MEANS:
            sums[key] = over(lambda run, key=key: mean(run, key))  # type: ignore[misc]
        values = {
            "name": group.name,
            "label": group.label,
            "cc": group.cc,
            "flows": len(group.flows),
            **sums,
            "measures": over_measures([measure_documents(run["measures"]["groups"][index]) for run in runs]),
        }
        return cast("GroupOverRuns", values)

    def link_values(index: int, link: LinkSummary) -> LinkOverRuns:
        why = without_capacity(link)
        numbers = [key for key, value in link.items() if value is None or isinstance(value, int | float)]
        values = {
            "name": link["name"],
            **{key: over(lambda run, key=key: number_of_link(run["links"][index], key), why) for key in numbers},  # type: ignore[misc]
            "measures": over_measures([measure_documents(run["measures"]["links"][index]) for run in runs]),
        }
        return cast("LinkOverRuns", values)

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
        "measures": cast(
            "FlowMeasureIntervals", over_measures([measure_documents(run["measures"]["flows"]) for run in runs])
        ),
        "groups": [group_values(index, group) for index, group in enumerate(flow_groups)],
        "traffic": over_traffic(runs),
        "transfers": over_transfers(runs),
        "runs": list(runs),
    }


def over_traffic(runs: Sequence[RunDocument]) -> list[TrafficOverRuns]:
    """Each group of traffic and direction, over the runs; one that is missing in a run carried nothing there."""

    def keyed(run: RunDocument) -> dict[tuple[str, str, int], TrafficSummary]:
        by_key: dict[tuple[str, str, int], TrafficSummary] = {}
        for group in run["traffic"]:
            # Two groups may have the same name.
            same = sum(key[:2] == (group["name"], group["direction"]) for key in by_key)
            by_key[group["name"], group["direction"], same] = group
        return by_key

    by_run = [keyed(run) for run in runs]
    rows = []
    for key in dict.fromkeys(key for groups in by_run for key in groups):
        over_runs = [groups.get(key) for groups in by_run]
        present = next(filter(None, over_runs))
        loads = {name: [number(group, name) if group else 0 for group in over_runs] for name in LOADS}
        row = {
            "name": present["name"],
            "senders": present["senders"],
            "direction": present["direction"],
            "asked": present["asked"],
            "asked_mbps": present["asked_mbps"],
            **{name: mean_interval(values).document("mean") for name, values in loads.items()},
        }
        rows.append(cast("TrafficOverRuns", row))
    return rows


def over_transfers(runs: Sequence[RunDocument]) -> list[TransfersOverRuns]:
    """Each group of transfers and direction, over the runs: how many, and their completion times."""

    def key(group: TransfersSummary | TransferMeasures) -> tuple[str, int, str]:
        return group["of"], group["index"], group["direction"]

    counts = [{key(group): group for group in run["transfers"]} for run in runs]
    times = [{key(group): group for group in run["measures"]["transfers"]} for run in runs]
    rows = []
    for group_key in sorted({each for run in counts for each in run}):
        groups = [run.get(group_key) for run in counts]
        measured = [run.get(group_key) for run in times]
        present = next(filter(None, groups))

        def over_groups(name: str, groups: list[TransfersSummary | None] = groups) -> IntervalDocument:
            return mean_interval([number(group, name) if group else 0 for group in groups]).document("mean")

        by_size = [{each["size"]: each for each in group["by_size"]} if group else {} for group in measured]
        row: TransfersOverRuns = {
            "of": group_key[0],
            "index": group_key[1],
            "name": present["name"],
            "direction": group_key[2],
            "started": over_groups("started"),
            "finished": over_groups("finished"),
            "ended_before": over_groups("ended_before"),
            "completion_s": completion_over(measured),
            "by_size": [
                {"size": size, "completion_s": completion_over([run.get(size) for run in by_size])}
                for _, size in SIZE_CLASSES
                if any(size in run for run in by_size)
            ],
        }
        rows.append(row)
    return rows


def completion_over(runs: Sequence[TransferMeasures | SizeMeasures | None]) -> CompletionIntervals:
    """Completion times over the runs; none in a run without such a transfer."""
    none = Measure(None, "s", NONE_STARTED).document()
    parts = {part: over_measure(part, [run[part] if run else none for run in runs]) for part in COMPLETION}
    return cast("CompletionIntervals", parts)


def over_measures(runs: Sequence[MeasureDocuments]) -> Intervals:
    """Each measure over the runs in which it is defined, with the number of the others and the reason."""
    return {name: over_measure(name, [run[name] for run in runs]) for name in runs[0]}


def over_measure(name: str, measured: Sequence[MeasureDocument]) -> IntervalDocument:
    """One measure over the runs."""
    values = [measure["value"] for measure in measured if measure["value"] is not None]
    reasons = [measure["why"] for measure in measured if measure["value"] is None]
    why = reason_of(reasons)
    if name in TIMES and values:
        document = median_interval([*values, *([math.inf] * len(reasons))]).document("median")
    else:
        document = mean_of_others(values, why).document("mean")
    document["unit"] = measured[0]["unit"]
    if reasons:
        document["undefined"] = len(reasons)
        document["why"] = why
    return document


def identical(runs: Sequence[RunDocument]) -> bool:
    """Whether several runs are all the same: then nothing in the scenario is random, and the intervals have no meaning."""
    plain = [{key: value for key, value in run.items() if key != "seed"} for run in runs]
    return len(runs) > 1 and all(run == plain[0] for run in plain)
