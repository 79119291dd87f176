# SPDX-License-Identifier: MIT OR Apache-2.0
"""The numbers of a run that both lanes are compared by, where the run is random."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cwnd._internal.summary_types import FlowSummary
from cwnd.fidelity.equivalence import Equivalence, NumberDocument
from cwnd.metrics.quantile import quantile
from cwnd.result.result import Result

#: Linux's states of loss recovery from this number on reduce the window: CWR, recovery, loss.
REDUCED = 2
#: Percentiles of completion times.
PERCENTILES = (50, 90, 99)
#: Values of a run by name: the kind, and for a group's number its label.
Numbers = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of number."""

    unit: str
    counts: bool = False


#: Every kind of number. Left out is what follows from these: shares (goodput over a constant) and drops (most are retransmitted).
KINDS = {
    "goodput": Kind("Mbit/s"),
    "cwnd mean": Kind("segments"),
    "retransmissions": Kind("packets", counts=True),
    "timeouts": Kind("", counts=True),
    "loss events": Kind("", counts=True),
    "queueing delay p50": Kind("ms"),
    "queueing delay p95": Kind("ms"),
    **{f"completion p{percentile}": Kind("s") for percentile in PERCENTILES},
    "unfinished": Kind("", counts=True),
}


def loss_events(result: Result) -> dict[int, int]:
    """Per flow: entries into CWR, recovery or loss in the measured interval."""
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


def completion_times(result: Result) -> dict[str, list[float]]:
    """By group of transfers: how long each took (s), infinite where it did not end. Of traffic, transfers that began in the measured interval."""
    begin, end = result.summary["measured_s"]
    names = [each["name"] for each in result.summary.get("traffic", ())]
    took: dict[str, list[float]] = defaultdict(list)
    for row in result.transfers.to_pylist():
        group = row["group"]
        if row["bytes"] is None or (group is not None and not begin <= row["start_s"] < end):
            continue
        name = result.summary["flows"][row["number"]]["label"] if group is None else names[group]
        took[name].append(np.inf if row["end_s"] is None else row["end_s"] - row["start_s"])
    return took


def numbers(result: Result) -> Numbers:
    """The numbers of a run by name.

    A group of transfers has percentiles of the completion times, `None` where the transfer of that rank did not end, and how many did not end.
    Any other group has goodput, window and events in the measured interval.
    """
    summary, events = result.summary, loss_events(result)
    link = summary["link"]
    found: Numbers = {
        "queueing delay p50": link["queue_p50_ms"],
        "queueing delay p95": link["queue_p95_ms"],
    }
    groups: dict[str, list[tuple[int, FlowSummary]]] = defaultdict(list)
    for number, flow in enumerate(summary["flows"]):
        groups[flow["label"]].append((number, flow))
    took = completion_times(result)
    for label, seconds in took.items():
        for percentile in PERCENTILES:
            value = quantile(seconds, percentile / 100)
            found[f"completion p{percentile}, {label}"] = value if np.isfinite(value) else None
        found[f"unfinished, {label}"] = float(np.isinf(seconds).sum())
    for label, members in groups.items():
        of = [flow for _, flow in members]
        found |= {
            f"retransmissions, {label}": sum(flow["retransmits"] for flow in of),
            f"timeouts, {label}": sum(flow["timeouts"] for flow in of),
        }
        if label not in took:
            found |= {
                f"goodput, {label}": sum(flow["goodput_mbps"] for flow in of),
                f"loss events, {label}": sum(events[number] for number, _ in members),
                f"cwnd mean, {label}": float(np.mean([flow["cwnd_mean"] for flow in of])),
            }
    return found


def compared(pairs: Sequence[tuple[Numbers, Numbers]], known: Mapping[str, str]) -> list[Equivalence]:
    """Each number that any run has, compared over pairs of runs: simulator, kernel. `known`: causes of differences, by name.

    A number that is 0 in every run is left out, and so is one that equals an earlier one in every run.
    """
    names = sorted({name for pair in pairs for each in pair for name in each}, key=place)
    seen: list[tuple[list[float | None], ...]] = []
    found = []
    for name in names:
        values = tuple([each[side].get(name) for each in pairs] for side in (0, 1))
        if values in seen or not any(any(side) for side in values):
            continue
        seen.append(values)
        kind = KINDS[name.partition(",")[0]]
        found.append(Equivalence.of(name, kind.unit, *values, counts=kind.counts, known=known.get(name, "")))
    return found


def titled(number: NumberDocument) -> str:
    """A number's name and unit."""
    return number["name"] + (f" ({number['unit']})" if number["unit"] else "")


def place(name: str) -> tuple[str, int]:
    """The place of a number in a table: by its group, then by its kind."""
    kind, _, label = name.partition(", ")
    return label, [*KINDS].index(kind)
