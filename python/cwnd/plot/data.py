# SPDX-License-Identifier: MIT OR Apache-2.0
"""The data that the panels draw of a run, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.capacity import Capacity
from cwnd.result.lanes import SIM
from cwnd.scenario.captions import COMPARED_S, others_of, queues_of
from cwnd.scenario.snapshot import scenario_document

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.result.result import Result

#: Okabe and Ito's colours, which colour-blind people can distinguish; one per label.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
#: How lines are dashed, as matplotlib takes it: labels differ in them too.
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
# More flows than this are drawn thin, without a legend entry each.
NAMED = 12
# A panel with more marks than this is drawn without any.
MAX_MARKS = 12

Numbers = NDArray[np.float64]
Series = dict[int, tuple[Numbers, ...]]


#: A dash as matplotlib takes it: a name, or an offset and lengths.
Dash = str | tuple[float, Sequence[float]]


class LineStyle(TypedDict):
    """How a flow's curves are drawn, as keywords of matplotlib."""

    color: str
    linestyle: Dash
    alpha: float
    linewidth: float


@dataclass(frozen=True, slots=True)
class Mark:
    """An action on a flow or a link, and its time."""

    time_s: float
    text: str
    #: The link, if the action is on a link.
    link: str | None = None


def peaks(events: pa.Table) -> dict[int, tuple[float, float]]:
    """Per flow, time and size of the largest window in the table `events`."""
    flow, time_s, cwnd = (events[name].to_numpy() for name in ("flow", "time_s", "cwnd"))
    # Sorted so that the largest of each flow comes last, the earliest of equals.
    order = np.lexsort((-time_s, cwnd, flow))
    last = np.append(flow[order][1:] != flow[order][:-1], True) if flow.size else np.zeros(0, dtype=bool)
    return {int(flow[row]): (float(time_s[row]), float(cwnd[row])) for row in order[last]}


def ends(events: pa.Table) -> dict[int, tuple[float, float]]:
    """Per flow whose connection ended by a fault, time (s) and window of the end."""
    rows = np.flatnonzero(events["kind"].to_numpy(zero_copy_only=False) == "failure")
    flow, time_s, cwnd = (events[name].to_numpy()[rows] for name in ("flow", "time_s", "cwnd"))
    return {int(number): (float(at), float(window)) for number, at, window in zip(flow, time_s, cwnd)}


def transfer_ends(transfers: pa.Table) -> dict[int, float]:
    """Per flow with a size, when its last byte arrived (s)."""
    import pyarrow.compute as pc

    chosen = transfers.filter(pc.and_(pc.is_null(transfers["group"]), pc.is_valid(transfers["end_s"])))
    return dict(zip(chosen["number"].to_pylist(), chosen["end_s"].to_pylist(), strict=True))


class RunData:
    """The data that the panels draw, as arrays per flow and per link."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.summary = result.summary
        self.scenario = result.scenario
        table = result.cwnd
        flow = table["flow"].to_numpy()
        columns = [table[name].to_numpy() for name in ("time_s", "cwnd", "forwarded")]
        order = np.argsort(flow, kind="stable")
        counts = np.bincount(flow, minlength=len(self.summary["flows"]))
        bounds = np.concatenate(([0], np.cumsum(counts)))
        parts = [column[order] for column in columns]
        self.series: Series = {
            number: tuple(part[bounds[number] : bounds[number + 1]] for part in parts) for number in range(len(counts))
        }
        #: Per flow with events, time and size of the largest window at an event: windows fall at changes of state, between samples.
        self.peaks = peaks(result.events)
        #: Per flow whose connection ended by a fault, when it did and its window then.
        self.ends = ends(result.events)
        #: Per flow that has ended, when: its connection by a fault, or its transfer with the last byte.
        self.until = transfer_ends(result.transfers) | {flow: at for flow, (at, _) in self.ends.items()}
        #: The label of each flow's group, by the flow's number; one colour and dash for each label.
        self.labels = [group.label for group in self.scenario.groups for _ in group.flows]
        #: The flows of each label.
        self.flows_of: dict[str, list[int]] = {}
        for number, label in enumerate(self.labels):
            self.flows_of.setdefault(label, []).append(number)
        self.colour = {label: COLOURS[index % len(COLOURS)] for index, label in enumerate(self.flows_of)}
        queue, rates = result.queue, result.rates
        at = queue["link"].to_numpy()
        #: Per link: times, packets, bytes.
        self.queues: list[tuple[Numbers, ...]] = [
            tuple(queue[name].to_numpy()[at == link] for name in ("time_s", "packets", "bytes"))
            for link in range(len(self.summary["links"]))
        ]
        #: Per link; none of a link without a rate.
        self.capacity = [
            None if each["capacity_mbps"] is None else Capacity.of(rates, link)
            for link, each in enumerate(self.summary["links"])
        ]
        #: The links that have a queue: those with a rate.
        self.queued = [link for link, capacity in enumerate(self.capacity) if capacity is not None]
        self.marks = self._marks(result)

    def window(self, number: int) -> tuple[Numbers, Numbers]:
        """Times (s) and windows of a flow, until it has ended: later samples say nothing of it."""
        time, cwnd, _ = self.series[number]
        if number not in self.until:
            return time, cwnd
        end_s = self.until[number]
        before = time < end_s
        last = self.ends[number][1:] if number in self.ends else cwnd[before][-1:]
        return np.append(time[before], end_s)[: before.sum() + len(last)], np.append(cwnd[before], last)

    def times_of(self, kind: str, value: int | None = None) -> Numbers:
        """The times of the events of a kind, with this value if one is given (s)."""
        events = self.result.events
        chosen = events["kind"].to_numpy(zero_copy_only=False) == kind
        if value is not None:
            chosen &= events["value"].to_numpy() == value
        times: Numbers = events["time_s"].to_numpy()[chosen]
        return times

    def _marks(self, result: Result) -> list[Mark]:
        """Stops, switches, late starts and actions on links, in the order of time."""
        flows, events = self.summary["flows"], result.events
        kinds = events["kind"].to_numpy(zero_copy_only=False)
        times, flow = events["time_s"].to_numpy(), events["flow"].to_numpy()
        starts_s = {number: group.start_s for group in self.scenario.groups for number in group.flows}
        flows_at: dict[tuple[float, str], list[int]] = {}
        for row in np.flatnonzero(np.isin(kinds, ("start", "stop", "switch"))):
            # Starts at the beginning of the run, and random default starts, get no mark.
            if kinds[row] != "start" or (
                times[row] > 0.02 * self.scenario.duration_s and starts_s[int(flow[row])] != COMPARED_S
            ):
                flows_at.setdefault((float(times[row]), str(kinds[row])), []).append(int(flow[row]))
        marks = [
            Mark(time, f"{kind} {flows[numbers[0]]['name'] if len(numbers) == 1 else f'of {len(numbers)} flows'}")
            for (time, kind), numbers in flows_at.items()
        ]
        marks += [
            Mark(action.at_s, f"{action.kind} {action.to}", action.on)
            for action in self.scenario.actions
            if action.kind in ("delay", "buffer")
        ]
        for link, capacity in zip(self.summary["links"], self.capacity):
            if capacity is None or self.has_many_changes(capacity):
                continue
            changes = zip(capacity.times_s[1:], capacity.mbps[1:])
            marks += [Mark(float(at), f"{mbps:g} Mbit/s" if mbps else "outage", link["name"]) for at, mbps in changes]
        return sorted(marks, key=lambda mark: mark.time_s)

    def marks_of(self, link: str | None = None) -> list[Mark]:
        """The marks of flows and links, or of one link; marks that are too close to each other are merged.

        An empty list if there are too many to be read.
        """
        chosen = [mark for mark in self.marks if link is None or mark.link == link]
        merged: list[Mark] = []
        for mark in chosen:
            text = (
                mark.text
                if link is not None or mark.link is None or len(self.queues) == 1
                else f"{mark.link}: {mark.text}"
            )
            if merged and mark.time_s - merged[-1].time_s < 0.015 * self.scenario.duration_s:
                merged[-1] = Mark(merged[-1].time_s, f"{merged[-1].text}, {text}")
            else:
                merged.append(Mark(mark.time_s, text))
        return merged if len(merged) <= MAX_MARKS and len(chosen) <= 4 * MAX_MARKS else []

    def style(self, number: int) -> LineStyle:
        """Colour by label, lightness by number within it. Dashes by flow if there are enough, so that a grey copy is readable; else by label, or by number if all flows have the same label."""
        label = self.labels[number]
        index = self.flows_of[label].index(number) if len(self.labels) <= NAMED else 0
        group = list(self.flows_of).index(label)
        few = len(self.labels) <= NAMED
        dash = number if len(self.labels) <= len(DASHES) else group if len(self.flows_of) > 1 else index
        return {
            "color": self.colour[label],
            "linestyle": DASHES[dash % len(DASHES)],
            "alpha": 1.0 - 0.2 * (index % 4) if few else 0.5,
            "linewidth": 1.1 if few else 0.6,
        }

    @property
    def name(self) -> str:
        """The scenario's name; if it has none, its labels or its traffic."""
        labels = ", ".join(f"{label} ({len(flows)})" for label, flows in self.flows_of.items())
        return self.scenario.name or labels or ", ".join(self.scenario.traffic_names)

    @staticmethod
    def has_many_changes(capacity: Capacity) -> bool:
        """Whether a rate has more changes than can be marked, such as that of a trace."""
        return len(capacity.times_s) > 4 * MAX_MARKS

    def rates_of(self, capacity: Capacity) -> tuple[float, float]:
        """The lowest and the highest rate of a link, Mbit/s; of one with many changes, such as one with a trace, the mean over the run for both."""
        if self.has_many_changes(capacity):
            mean = float(capacity.mean_mbps(np.array([0.0, self.scenario.duration_s]))[0])
            return float(f"{mean:.4g}"), float(f"{mean:.4g}")
        return float(capacity.mbps.min()), float(capacity.mbps.max())

    def others(self) -> list[str]:
        """The causes of packet delay other than queues, in words: jitter, reordering, the reverse path."""
        found = others_of(self.scenario, scenario_document(self.scenario))
        return [found[name] for name in ("jitter", "reorder", "reverse_path") if name in found]

    def setup(self, width: int, *, brief: bool = True) -> str:
        """The scenario in one line: rates, round trips, buffers, jitter, losses, seed. If it is longer than `width`, the losses are shortened; with `brief` queues have no parameters; without it the caller adds `others_of`."""
        links = [link for link in self.scenario.links if not link.is_reverse]
        rates = [self.rates_of(capacity) for capacity in self.capacity[: len(links)] if capacity is not None]
        parts = [f"{len(links)} links"] if len(links) > 1 else []
        if rates:
            parts.append(f"{between(min(low for low, _ in rates), max(high for _, high in rates))} Mbit/s")
        if len(rates) < len(links):
            parts.append("no rate" if len(links) - len(rates) == 1 else f"{len(links) - len(rates)} without a rate")
        rtts = [flow["rtt_ms"] for flow in self.summary["flows"]]
        if rtts:
            parts.append(f"RTT {between(min(rtts), max(rtts))} ms")
        else:
            parts.append(f"RTT {links[0].rtt_ms:g} ms")
        limits_said = (
            (True, "buffer {}", "buffer of {} sizes"),
            (False, "at most {} on the link", "{} limits of the packets on the link"),
        )
        for queues, form, form_of_many in limits_said:
            chosen = [link.limit for link in links if (link.queue is not None) == queues]
            limits = list(dict.fromkeys(limit for limit in chosen if limit is not None))
            if limits:
                many = len(limits) > 3
                parts.append(form_of_many.format(len(limits)) if many else form.format(" or ".join(limits)))
        if managed := queues_of(scenario_document(self.scenario), brief=brief):
            parts.append(managed)
        parts += self.others() if brief else []
        losses = list(dict.fromkeys(link.loss for link in links if link.loss is not None))
        lane = self.summary["lane"]
        seed = f"seed {self.scenario.seed}" + (f", lane {lane}" if lane != SIM else "")
        shown = [f"loss {loss}" for loss in losses[:2]]
        if shown and len(", ".join([*parts, *shown, seed])) > width:
            room = (width - len(", ".join([*parts, seed]))) // len(shown) - len(", ")
            shown = [cut(loss, room) for loss in shown]
        return ", ".join([*parts, *shown, seed])


def cut(text: str, width: int) -> str:
    """The text, shortened to `width` characters, after a comma if there is one."""
    if len(text) <= width:
        return text
    shortened = text[: max(width - 1, len("loss"))]
    return shortened[: shortened.rfind(",") + 1 or None] + "…"


def between(low: float, high: float) -> str:
    """A value, or the two ends of a range."""
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
