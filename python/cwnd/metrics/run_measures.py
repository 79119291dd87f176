# SPDX-License-Identifier: MIT OR Apache-2.0
"""The measures of a run by name: as objects, in the document of a run, and in the document over many runs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypedDict, cast

from cwnd._internal.json_types import IntervalDocument
from cwnd.metrics.measure_type import Measure, MeasureDocument
from cwnd.metrics.transfers import Transfers


@dataclass(frozen=True, slots=True)
class FlowMeasures:
    """Measures of all flows together, or of a group of them, over the measured interval."""

    #: Jain's index of their throughputs: 1 when all are equal
    jain: Measure
    #: the smallest of their throughputs over the largest, 0 to 1
    min_max_ratio: Measure
    #: coefficient of variation of their rates over a second, mean over the flows
    variation: Measure
    #: largest ratio between the rates of two consecutive seconds, of any of them
    smoothness: Measure
    #: from the last start until all have fair shares and keep them (s)
    convergence_s: Measure
    #: their data packets dropped, at any link, over all of them, 0 to 1
    loss_rate: Measure


@dataclass(frozen=True, slots=True)
class LinkMeasures:
    """Measures of a link over the measured interval."""

    #: wire bits that left it over what it could send in the interval, 0 to 1
    utilization: Measure
    #: packets dropped over all that came to it, 0 to 1
    loss_rate: Measure
    #: mean length of runs of a flow's consecutive packets dropped (packets)
    drop_run: Measure
    #: variance over mean of the drops per second: 1 Poisson, above it bursts
    drop_dispersion: Measure
    #: part of the flows that reduce their window at a congestion event, mean over the events, 0 to 1
    synchronisation: Measure
    #: mean queueing delay, without the packet's own serialisation (ms)
    queue_mean_ms: Measure
    #: median of the queueing delay (ms)
    queue_p50_ms: Measure
    #: its 95th percentile (ms)
    queue_p95_ms: Measure
    #: its 99th percentile (ms)
    queue_p99_ms: Measure


@dataclass(frozen=True, slots=True)
class Measures:
    """The measures of a run: `measures.link.queue_p95_ms.value` is a number, or `None` where `.why` says why."""

    #: of all flows together
    flows: FlowMeasures
    #: of each link, in the order of the summary
    links: list[LinkMeasures]
    #: of each group of flows, in the order of the scenario
    groups: list[FlowMeasures]
    #: completion times of each group of transfers and direction
    transfers: list[Transfers]

    @property
    def link(self) -> LinkMeasures:
        """Those of the first link."""
        return self.links[0]


def by_name(measures: FlowMeasures | LinkMeasures) -> dict[str, Measure]:
    """The measures by their names."""
    return {field.name: cast("Measure", getattr(measures, field.name)) for field in fields(measures)}


class FlowMeasureDocuments(TypedDict):
    """`FlowMeasures` as JSON."""

    jain: MeasureDocument
    min_max_ratio: MeasureDocument
    variation: MeasureDocument
    smoothness: MeasureDocument
    convergence_s: MeasureDocument
    loss_rate: MeasureDocument


class LinkMeasureDocuments(TypedDict):
    """`LinkMeasures` as JSON."""

    utilization: MeasureDocument
    loss_rate: MeasureDocument
    drop_run: MeasureDocument
    drop_dispersion: MeasureDocument
    synchronisation: MeasureDocument
    queue_mean_ms: MeasureDocument
    queue_p50_ms: MeasureDocument
    queue_p95_ms: MeasureDocument
    queue_p99_ms: MeasureDocument


class FlowMeasureIntervals(TypedDict):
    """`FlowMeasures` over several runs."""

    jain: IntervalDocument
    min_max_ratio: IntervalDocument
    variation: IntervalDocument
    smoothness: IntervalDocument
    convergence_s: IntervalDocument
    loss_rate: IntervalDocument


class LinkMeasureIntervals(TypedDict):
    """`LinkMeasures` over several runs."""

    utilization: IntervalDocument
    loss_rate: IntervalDocument
    drop_run: IntervalDocument
    drop_dispersion: IntervalDocument
    synchronisation: IntervalDocument
    queue_mean_ms: IntervalDocument
    queue_p50_ms: IntervalDocument
    queue_p95_ms: IntervalDocument
    queue_p99_ms: IntervalDocument
