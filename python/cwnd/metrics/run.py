# SPDX-License-Identifier: MIT OR Apache-2.0
"""All measures of a run, over its measured interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from cwnd._internal import drop_causes
from cwnd._internal.json_types import number as number_of
from cwnd._internal.json_types import optional_number
from cwnd.metrics.delay import queueing_delay
from cwnd.metrics.fairness import convergence_time, jain, min_max_ratio
from cwnd.metrics.loss import drop_runs, index_of_dispersion, loss_rate, mean_drop_run, synchronisation
from cwnd.metrics.measure_type import Distribution, Measure, UndefinedError, attempt
from cwnd.metrics.oscillation import coefficient_of_variation, smoothness
from cwnd.metrics.run_measures import FlowMeasures, LinkMeasures, Measures
from cwnd.metrics.series import TICK_S, Integers, Rates, drops, forwarded, rates, reductions
from cwnd.metrics.transfers import Transfers, transfers_by_group

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd._internal.summary_types import LinkSummary, MeasuredSummary
    from cwnd._native import Scenario


class MeasuredRun(Protocol):
    """What is measured of a run: `cwnd.Result` has it."""

    @property
    def scenario(self) -> Scenario: ...
    @property
    def summary(self) -> MeasuredSummary: ...
    @property
    def cwnd(self) -> pa.Table: ...
    @property
    def events(self) -> pa.Table: ...
    @property
    def waits(self) -> pa.Table: ...
    @property
    def transfers(self) -> pa.Table: ...


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the measures."""

    #: Time scale of variation, smoothness and dispersion, s.
    scale_s: float = 1.0
    #: Convergence: means over `interval_s` within δ of fair for `hold_s`. With 1/9, the smaller of two flows has 80 % of the larger.
    delta: float = 1 / 9
    interval_s: float = 10.0
    hold_s: float = 60.0

    @classmethod
    def of(cls, scenario: Scenario) -> Settings:
        """Settings for a scenario of any length: the hold is half of the measured time after the last start, at most the default.

        An interval is a sixth of the hold, in whole seconds, and at least `SHORTEST_S`.
        """
        default = cls()
        intervals = default.hold_s / default.interval_s
        span_s = scenario.measured_s[1] - last_start_s(scenario)
        interval_s = min(default.interval_s, max(SHORTEST_S, span_s / (2 * intervals) // 1))
        return cls(interval_s=interval_s, hold_s=intervals * interval_s)


# The shortest interval over which a rate is meaningful, s.
SHORTEST_S = 1.0
DEFAULT = Settings()
#: Why a link has no capacity at all.
NO_RATE = "no rate"
NO_DELAY = Measure(None, "ms", NO_RATE)
#: The queueing delay of a link without a rate.
WITHOUT_QUEUE: Distribution = {"mean": NO_DELAY, "p50": NO_DELAY, "p95": NO_DELAY, "p99": NO_DELAY}


def last_start_s(scenario: Scenario) -> float:
    """The latest start of the last flow under any seed."""
    return max((group.start_s[1] for group in scenario.groups), default=0.0)


def defined(measure: Measure) -> float:
    """The value of a measure; `UndefinedError` with its reason if there is none."""
    if measure.value is None:
        raise UndefinedError(measure.why)
    return measure.value


def measures(run: MeasuredRun, groups: Sequence[Sequence[int]], settings: Settings = DEFAULT) -> Measures:
    """The measures of a run: of all flows, of each link, and of each group of flow numbers."""
    scenario, cwnd, events = run.scenario, run.cwnd, run.events
    begin_s, end_s = scenario.measured_s
    flows, links = run.summary["flows"], run.summary["links"]
    lost_at, lost_by, positions = drops(events, begin_s, end_s)
    carried = forwarded(cwnd, begin_s, end_s) if cwnd.num_rows else None

    @cache
    def over(interval_s: float, from_s: float) -> Rates:
        return rates(cwnd, packet_bytes=scenario.packet_bytes, interval_s=interval_s, begin_s=from_s, end_s=end_s)

    def of_flows(chosen: Sequence[int]) -> FlowMeasures:
        throughputs = [flows[flow]["throughput_mbps"] for flow in chosen]
        last = max((flows[flow]["start_s"] for flow in chosen), default=0.0)
        chosen = list(chosen)

        def each(formula: Callable[[Sequence[float]], Measure], reduce: Callable[[list[float]], float]) -> float:
            if not chosen:
                raise UndefinedError("there is no flow")
            fine = over(settings.scale_s, begin_s).only(chosen)
            return reduce([defined(formula(row)) for row in fine.mbps])

        def converged() -> float:
            if len(chosen) < 2:
                raise UndefinedError("fewer than two flows")
            if (needed_s := last + 2 * settings.hold_s) > end_s and settings.hold_s < DEFAULT.hold_s:
                raise UndefinedError(f"run too short: needs {math.ceil(needed_s - TICK_S)} s or more")
            coarse = over(settings.interval_s, last).only(chosen)
            return defined(convergence_time(coarse, delta=settings.delta, hold_s=settings.hold_s, since_s=last))

        def lost() -> float:
            if carried is None:
                raise UndefinedError("nothing was recorded")
            if missing := [flow for flow in chosen if flow not in carried]:
                raise UndefinedError(f"flow {missing[0]} was not recorded")
            sent = sum(carried[flow] for flow in chosen)
            return defined(loss_rate(int(np.isin(lost_by, chosen).sum()), sent))

        return FlowMeasures(
            jain=jain(throughputs),
            min_max_ratio=min_max_ratio(throughputs),
            variation=attempt(lambda: each(coefficient_of_variation, lambda values: float(np.mean(values))), ""),
            smoothness=attempt(lambda: each(smoothness, max), ""),
            convergence_s=attempt(converged, "s"),
            loss_rate=attempt(lost, ""),
        )

    reduced = reductions(events)

    def synchronised(chosen: Sequence[int]) -> Measure:
        # The latest time at which a flow notices a loss: its round trip, and the longest queues on its path.
        paths = [{*flows[flow]["path"], *flows[flow]["back"]} for flow in chosen]
        late_ms = [
            flows[flow]["rtt_ms"] + sum(links[link]["queue_max_ms"] for link in path)
            for flow, path in zip(chosen, paths)
        ]
        measured = {flow: [time for time in reduced.get(flow, []) if begin_s <= time < end_s] for flow in chosen}
        return synchronisation(measured, window_s=max(late_ms, default=0.0) / 1e3)

    def of_link(number: int, link: LinkSummary) -> LinkMeasures:
        at, by, where = (lost_at, lost_by, positions) if len(links) == 1 else drops(events, begin_s, end_s, number)
        waits = queueing_delay(run.waits, number) if has_queue(link) else WITHOUT_QUEUE
        return LinkMeasures(
            utilization=Measure(link["utilization"], why=without_capacity(link)),
            loss_rate=loss_rate(
                sum(int(number_of(link, column)) for column in drop_causes.columns_of(link)), link["packets"]
            ),
            drop_run=mean_drop_run(runs_of_drops(by, where)),
            drop_dispersion=index_of_dispersion(at, window_s=settings.scale_s, begin_s=begin_s, end_s=end_s),
            synchronisation=synchronised([flow for flow, row in enumerate(flows) if number in row["path"]]),
            # The summary's mean is exact; that of the histogram is not.
            queue_mean_ms=Measure(link["queue_mean_ms"], "ms") if waits["mean"].value is not None else waits["mean"],
            queue_p50_ms=waits["p50"],
            queue_p95_ms=waits["p95"],
            queue_p99_ms=waits["p99"],
        )

    return Measures(
        of_flows(range(len(flows))),
        [of_link(number, link) for number, link in enumerate(links)],
        [of_flows(group) for group in groups],
        transfers_of(run),
    )


def has_queue(link: LinkSummary) -> bool:
    """Whether packets wait at a link: those with a rate have a queue."""
    return link["capacity_mbps"] is not None


def number_of_link(link: LinkSummary, key: str) -> float | None:
    """A number of a link's summary; none of a queue that it has not, for which the summary has 0."""
    return None if key.startswith("queue_") and not has_queue(link) else optional_number(link, key)


def without_capacity(link: LinkSummary) -> str:
    """Why a link has no utilization; empty where it has one."""
    if link["capacity_mbps"] is None:
        return NO_RATE
    return "" if link["capacity_mbps"] else "no capacity"


def runs_of_drops(by: Integers, positions: Integers) -> list[int]:
    """Lengths of the runs of consecutive positions dropped, flow by flow."""
    order = np.argsort(by, kind="stable")  # each flow's drops stay in the order of time
    by_flow = np.split(positions[order], np.flatnonzero(np.diff(by[order])) + 1)
    return [run for dropped in by_flow for run in drop_runs(dropped)]


def transfers_of(run: MeasuredRun) -> list[Transfers]:
    """The transfers of a run, group by group: those of flows and lists, and those of other traffic that started in the measured interval."""
    begin_s, end_s = run.scenario.measured_s
    names = run.scenario.traffic_names
    listed = {group["name"] for group in run.summary["traffic"] if group["asked"] == "list"}
    return transfers_by_group(
        run.transfers,
        begin_s=begin_s,
        end_s=end_s,
        flows=[(group.name, group.flows) for group in run.scenario.groups],
        traffic=names,
        lists=[index for index, name in enumerate(names) if name in listed],
    )


def converged(run: MeasuredRun, flows: Sequence[int] | None = None, settings: Settings = DEFAULT) -> float:
    """Seconds from the last start among `flows` (all) to their convergence; infinite when they do not converge within the run.

    With the default settings: for 60 s, the means over 10 s of each two flows are within 20 % of each other.
    """
    summary = run.summary["flows"]
    chosen = list(range(len(summary)) if flows is None else flows)
    since, end = max(summary[flow]["start_s"] for flow in chosen), run.scenario.duration_s
    bytes_ = run.scenario.packet_bytes
    flow_rates = rates(run.cwnd, packet_bytes=bytes_, interval_s=settings.interval_s, begin_s=since, end_s=end)
    time = convergence_time(flow_rates.only(chosen), delta=settings.delta, hold_s=settings.hold_s, since_s=since)
    return math.inf if time.value is None else time.value
