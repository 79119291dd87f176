# SPDX-License-Identifier: MIT OR Apache-2.0
"""Every measure that a run's tables give by themselves, over its measured interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.change import coefficient_of_variation, smoothness
from cwnd.metrics.delay import sampled_queueing_delay
from cwnd.metrics.fairness import convergence_time, jain, min_max_ratio
from cwnd.metrics.loss import drop_runs, index_of_dispersion, loss_rate, mean_drop_run, synchronisation
from cwnd.metrics.series import Rates, drops, forwarded, rates, reductions
from cwnd.metrics.value import Measure, UndefinedError, attempt

if TYPE_CHECKING:
    from cwnd.result import Result


@dataclass(frozen=True, slots=True)
class Settings:
    """What the measures leave open."""

    #: Time scale of variation, smoothness and dispersion, s.
    scale_s: float = 1.0
    #: Convergence: means over `interval_s` within δ of fair for `hold_s`. 1/9 says of two flows that the smaller has 80 % of the larger.
    delta: float = 1 / 9
    interval_s: float = 10.0
    hold_s: float = 60.0


DEFAULT = Settings()


@dataclass(frozen=True, slots=True)
class Measures:
    """Of the link, and of each group of flows."""

    link: dict[str, Measure]
    groups: list[dict[str, Measure]]


def defined(one: Measure) -> float:
    """Its value; `UndefinedError` with its reason where there is none."""
    if one.value is None:
        raise UndefinedError(one.why)
    return one.value


def measures(result: Result, groups: Sequence[Sequence[int]], settings: Settings = DEFAULT) -> Measures:
    """The measures of a run: of the link (all flows) and of each group of flow numbers."""
    scenario, cwnd, events, queue = result.scenario, result.cwnd, result.events, result.queue
    begin_s, end_s = scenario.measured_s
    bottleneck = result.summary["flows"]
    starts = {number: flow["start_s"] for number, flow in enumerate(bottleneck)}
    lost_at, lost_by, positions = drops(events, begin_s, end_s)
    carried = forwarded(cwnd, begin_s, end_s) if cwnd.num_rows else None

    @cache
    def over(interval_s: float, from_s: float) -> Rates:
        return rates(cwnd, packet_bytes=scenario.packet_bytes, interval_s=interval_s, begin_s=from_s, end_s=end_s)

    def of_flows(flows: Sequence[int]) -> dict[str, Measure]:
        got = [bottleneck[flow]["throughput_mbps"] for flow in flows]
        last = max(starts[flow] for flow in flows)
        chosen = list(flows)

        def each(formula: Callable[[Sequence[float]], Measure], reduce: Callable[[list[float]], float]) -> float:
            fine = over(settings.scale_s, begin_s).only(chosen)
            return reduce([defined(formula(row)) for row in fine.mbps])

        def converged() -> float:
            if len(chosen) < 2:
                raise UndefinedError("fewer than two flows")
            coarse = over(settings.interval_s, last).only(chosen)
            return defined(convergence_time(coarse, delta=settings.delta, hold_s=settings.hold_s, since_s=last))

        def lost() -> float:
            if carried is None:
                raise UndefinedError("nothing was recorded")
            sent = sum(carried.get(flow, 0.0) for flow in chosen)
            return defined(loss_rate(int(np.isin(lost_by, chosen).sum()), sent))

        return {
            "jain": jain(got),
            "min_max_ratio": min_max_ratio(got),
            "variation": attempt(lambda: each(coefficient_of_variation, lambda found: float(np.mean(found))), ""),
            "smoothness": attempt(lambda: each(smoothness, max), ""),
            "convergence_s": attempt(converged, "s"),
            "loss_rate": attempt(lost, ""),
        }

    everyone = range(len(bottleneck))
    # Flow by flow, each in the order of time.
    order = np.argsort(lost_by, kind="stable")
    by_flow = np.split(positions[order], np.flatnonzero(np.diff(lost_by[order])) + 1)
    runs = [run for dropped in by_flow for run in drop_runs(dropped)]
    reduced = reductions(events)
    # As late as a flow notices: its round trip, and the longest queue.
    window_s = (max(flow["rtt_ms"] for flow in bottleneck) + result.summary["link"]["queue_max_ms"]) / 1e3
    measured = {flow: [time for time in reduced.get(flow, []) if begin_s <= time < end_s] for flow in everyone}
    delay = sampled_queueing_delay(queue, rate_mbps=scenario.rate_mbps, begin_s=begin_s, end_s=end_s)
    link = {
        **of_flows(everyone),
        "drop_run": mean_drop_run(runs),
        "drop_dispersion": index_of_dispersion(lost_at, window_s=settings.scale_s, begin_s=begin_s, end_s=end_s),
        "synchronisation": synchronisation(measured, window_s=window_s),
        "queue_p50_ms": delay["p50"],
        "queue_p95_ms": delay["p95"],
        "queue_p99_ms": delay["p99"],
    }
    return Measures(link, [of_flows(group) for group in groups])


def converged(result: Result, flows: Sequence[int] | None = None, settings: Settings = DEFAULT) -> float:
    """Seconds from the last start among `flows` (all) to their convergence; infinite when they do not converge within the run.

    With the settings not given: from then on, and for 60 s, the means over 10 s of every two are within 20 % of each other.
    """
    summary = result.summary["flows"]
    chosen = list(range(len(summary)) if flows is None else flows)
    since, end = max(summary[flow]["start_s"] for flow in chosen), result.scenario.duration_s
    bytes_ = result.scenario.packet_bytes
    found = rates(result.cwnd, packet_bytes=bytes_, interval_s=settings.interval_s, begin_s=since, end_s=end)
    time = convergence_time(found.only(chosen), delta=settings.delta, hold_s=settings.hold_s, since_s=since)
    return math.inf if time.value is None else time.value
