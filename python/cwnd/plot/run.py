# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the panels draw of a run, as arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cwnd.groups import groups
from cwnd.metrics.capacity import Capacity

if TYPE_CHECKING:
    from cwnd.result import Result

# Okabe and Ito's colours, which the colour-blind can tell apart; one per kind of flow.
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
# More flows than this are drawn thin and without a legend entry each.
NAMED = 12
# More marks than this in one panel would hide what they explain.
MARKS = 12

Numbers = np.ndarray[Any, np.dtype[Any]]
Series = dict[int, tuple[Numbers, ...]]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that was done to a flow or a link, and when."""

    time_s: float
    text: str
    #: The link, where it was done to one.
    link: str | None = None


def seconds(text: str) -> float:
    """A time as a scenario writes it (`250ms`)."""
    digits = text.rstrip("smun")
    return float(digits) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[text.removeprefix(digits)]


class Run:
    """What the panels draw, as arrays per flow and per link."""

    def __init__(self, result: Result) -> None:
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
        kinds = list(dict.fromkeys(self.kind(number) for number in range(len(counts))))
        self.colour = {kind: COLOURS[place % len(COLOURS)] for place, kind in enumerate(kinds)}
        queue, rates = result.queue, result.rates
        at = queue["link"].to_numpy()
        #: Per link: times, packets, bytes.
        self.queues: list[tuple[Numbers, ...]] = [
            tuple(queue[name].to_numpy()[at == link] for name in ("time_s", "packets", "bytes"))
            for link in range(len(self.summary["links"]))
        ]
        self.capacity = [Capacity.of(rates, link) for link in range(len(self.summary["links"]))]
        self.marks = self._marks(result)

    def _marks(self, result: Result) -> list[Mark]:
        """Stops, switches, late starts, and what was done to links, in the order of time."""
        flows, events = self.summary["flows"], result.events
        kinds = events["kind"].to_numpy(zero_copy_only=False)
        times, who = events["time_s"].to_numpy(), events["flow"].to_numpy()
        found: dict[tuple[float, str], list[int]] = {}
        for row in np.flatnonzero(np.isin(kinds, ("start", "stop", "switch"))):
            # The starts at the begin are what a run is; a mark says what happens in its course.
            if kinds[row] != "start" or times[row] > 0.02 * self.scenario.duration_s:
                found.setdefault((float(times[row]), str(kinds[row])), []).append(int(who[row]))
        marks = [
            Mark(time, f"{kind} {flows[who[0]]['name'] if len(who) == 1 else f'of {len(who)} flows'}")
            for (time, kind), who in found.items()
        ]
        document = json.loads(self.scenario.to_json())
        for group, keys in zip(groups(self.scenario), document.get("flow", [])):
            if "stop" in keys:
                who = flows[group.flows.start]["name"] if len(group.flows) == 1 else f"of {len(group.flows)} flows"
                marks.append(Mark(seconds(keys["stop"]), f"stop {who}"))
        for action in document.get("action", []):
            for kind, keys in action.items():
                if kind in ("delay", "buffer"):
                    marks.append(Mark(seconds(keys["at"]), f"{kind} {keys['to']}", keys["link"]))
        for link, capacity in zip(self.summary["links"], self.capacity):
            changes = zip(capacity.times_s[1:], capacity.mbps[1:])
            marks += [Mark(float(at), f"{mbps:g} Mbit/s" if mbps else "outage", link["name"]) for at, mbps in changes]
        return sorted(marks, key=lambda mark: mark.time_s)

    def marks_of(self, link: str | None = None) -> list[Mark]:
        """The marks of flows and links, or of one link; those too close to be told apart on paper as one.

        None when there are more than can be read.
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
        return merged if len(merged) <= MARKS else []

    def kind(self, number: int) -> str:
        """What flows are grouped by: the algorithm, and the round trip where it differs."""
        flows = self.summary["flows"]
        many = len({flow["rtt_ms"] for flow in flows if flow["cc"] == flows[number]["cc"]}) > 1
        return f"{flows[number]['cc']}, {flows[number]['rtt_ms']:g} ms" if many else str(flows[number]["cc"])

    def style(self, number: int) -> dict[str, Any]:
        """Colour by kind, dashes and lightness by number within the kind."""
        kind = self.kind(number)
        place = [other for other in self.series if self.kind(other) == kind].index(number)
        few = len(self.series) <= NAMED
        return {
            "color": self.colour[kind],
            "linestyle": DASHES[place % len(DASHES)] if few else "-",
            "alpha": 1.0 - 0.15 * (place % 4) if few else 0.5,
            "linewidth": 1.1 if few else 0.6,
            "label": self.summary["flows"][number]["name"] if few else None,
        }
