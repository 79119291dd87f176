# SPDX-License-Identifier: MIT OR Apache-2.0
"""The numbers of a run that both lanes are compared by."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from cwnd._internal.json_types import total_of
from cwnd._internal.summary_types import FlowSummary
from cwnd.result.result import Result

#: Numbers of Linux's states of loss recovery that reduce the window: CWR, recovery, loss.
REDUCED = 2


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far two means may be apart: by `absolute`, by `relative` of the kernel's, or the sums of all runs by `count`."""

    absolute: float = 0.0
    relative: float = 0.0
    count: int = 0

    def holds(self, simulated: float, measured: float, runs: int) -> bool:
        """Whether the means of so many runs are that near."""
        allowed = max(self.absolute, self.relative * abs(measured), self.count / runs)
        return abs(simulated - measured) <= allowed + 1e-12  # the difference is rounded


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of number."""

    unit: str
    tolerance: Tolerance


#: Every kind of number. For counts, a difference of one over all runs together is no difference.
KINDS = {
    "utilisation": Kind("", Tolerance(absolute=0.02)),
    "share": Kind("", Tolerance(absolute=0.05)),
    "drops": Kind("packets", Tolerance(relative=0.2, count=1)),
    "retransmits": Kind("packets", Tolerance(relative=0.2, count=1)),
    "timeouts": Kind("", Tolerance(relative=0.2, count=1)),
    "loss events": Kind("", Tolerance(relative=0.2, count=1)),
    "cwnd mean": Kind("segments", Tolerance(relative=0.05)),
    "cwnd amplitude": Kind("segments", Tolerance(absolute=1, relative=0.1)),
    "queueing delay p50": Kind("ms", Tolerance(relative=0.1)),
    "queueing delay p95": Kind("ms", Tolerance(relative=0.1)),
    "finished": Kind("", Tolerance(absolute=0.02)),
    "completion p50": Kind("s", Tolerance(relative=0.1)),
}


def loss_events(result: Result) -> dict[int, int]:
    """Per flow: how often its window was reduced in the measured interval, by entries into CWR, recovery or loss."""
    begin, end = result.summary["measured_s"]
    events = result.events
    counts: dict[int, int] = defaultdict(int)
    state: dict[int, int] = defaultdict(int)
    for time_s, flow, kind, value in zip(*(events[name].to_pylist() for name in ("time_s", "flow", "kind", "value"))):
        if kind != "state":
            continue
        if value >= REDUCED and (state[flow] < REDUCED or value > state[flow]) and begin <= time_s < end:
            counts[flow] += 1
        state[flow] = value
    return counts


def windows(result: Result, flows: list[int]) -> np.ndarray:
    """The recorded windows of these flows in the measured interval."""
    begin, end = result.summary["measured_s"]
    table = result.cwnd
    time_s, flow = table["time_s"].to_numpy(), table["flow"].to_numpy()
    return np.asarray(table["cwnd"].to_numpy()[(time_s >= begin) & (time_s < end) & np.isin(flow, flows)])


def numbers(result: Result) -> dict[str, float]:
    """The numbers of a run by name: a kind, and of what is a flow's the label of its group.

    A group of transfers has the part of them that finished in the whole run, and if any did, the median of their completion times. The
    amplitude of a window that is not recorded is left out.
    """
    summary, events = result.summary, loss_events(result)
    link = summary["link"]
    used = link["utilization"]
    found: dict[str, float] = {
        **({} if used is None else {"utilisation": used}),
        "queueing delay p50": link["queue_p50_ms"],
        "queueing delay p95": link["queue_p95_ms"],
    }
    groups: dict[str, list[tuple[int, FlowSummary]]] = defaultdict(list)
    for number, flow in enumerate(summary["flows"]):
        groups[flow["label"]].append((number, flow))
    took: dict[str, list[float | None]] = defaultdict(list)
    for row in result.transfers.to_pylist():
        if row["group"] is None:
            end_s = row["end_s"]
            took[summary["flows"][row["number"]]["label"]].append(None if end_s is None else end_s - row["start_s"])
    for label, members in groups.items():
        if label in took:
            finished = [seconds for seconds in took[label] if seconds is not None]
            found[f"finished, {label}"] = len(finished) / len(took[label])
            if finished:
                found[f"completion p50, {label}"] = float(np.median(finished))
            continue
        of = [flow for _, flow in members]
        window = windows(result, [number for number, _ in members])
        if (share := total_of(flow["share"] for flow in of)) is not None:
            found[f"share, {label}"] = share
        found |= {
            f"drops, {label}": sum(flow["drops"] for flow in of),
            f"retransmits, {label}": sum(flow["retransmits"] for flow in of),
            f"timeouts, {label}": sum(flow["timeouts"] for flow in of),
            f"loss events, {label}": sum(events[number] for number, _ in members),
            f"cwnd mean, {label}": float(np.mean([flow["cwnd_mean"] for flow in of])),
        }
        if window.size:
            found[f"cwnd amplitude, {label}"] = float(np.percentile(window, 95) - np.percentile(window, 5))
    return found
