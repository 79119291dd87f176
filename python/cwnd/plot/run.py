# SPDX-License-Identifier: MIT OR Apache-2.0
"""What the panels draw of a run, as arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cwnd.groups import groups, seconds, traffic
from cwnd.metrics.capacity import Capacity

if TYPE_CHECKING:
    import pyarrow as pa

    from cwnd.result import Result

# Okabe and Ito's colours, which the colour-blind can tell apart; one per label.
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


def turns(events: pa.Table) -> dict[int, tuple[float, float]]:
    """Per flow, when the largest window in the table `events` was, and how large."""
    flow, time_s, cwnd = (events[name].to_numpy() for name in ("flow", "time_s", "cwnd"))
    # The largest of each flow last, and of equals the first.
    order = np.lexsort((-time_s, cwnd, flow))
    last = np.append(flow[order][1:] != flow[order][:-1], True) if flow.size else np.zeros(0, dtype=bool)
    return {int(flow[row]): (float(time_s[row]), float(cwnd[row])) for row in order[last]}


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
        #: Per flow that has one, time and size of the largest window at an event: a window falls at a change of state, between samples.
        self.turns = turns(result.events)
        #: What each flow's group is called, by its number; one colour and dash for each.
        self.labels = [group.label for group in groups(self.scenario) for _ in group.flows]
        #: The flows of each label.
        self.kinds: dict[str, list[int]] = {}
        for number, label in enumerate(self.labels):
            self.kinds.setdefault(label, []).append(number)
        self.colour = {kind: COLOURS[place % len(COLOURS)] for place, kind in enumerate(self.kinds)}
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

    def style(self, number: int) -> dict[str, Any]:
        """Colour and dashes by label, lightness by number within it; dashes by number where all have one label."""
        label = self.labels[number]
        place = self.kinds[label].index(number) if len(self.labels) <= NAMED else 0
        group = list(self.kinds).index(label)
        few = len(self.labels) <= NAMED
        return {
            "color": self.colour[label],
            "linestyle": DASHES[(group if len(self.kinds) > 1 else place) % len(DASHES)],
            "alpha": 1.0 - 0.2 * (place % 4) if few else 0.5,
            "linewidth": 1.1 if few else 0.6,
        }

    @property
    def name(self) -> str:
        """The scenario's name; without one, what is in it."""
        kinds = ", ".join(f"{label} ({len(flows)})" for label, flows in self.kinds.items())
        return self.scenario.name or kinds or ", ".join(traffic(self.scenario))

    def setup(self, width: int) -> str:
        """What was simulated, in a line: rates, round trips, buffers, losses, seed. Where it is wider than `width` characters the losses
        are shortened."""
        document = json.loads(self.scenario.to_json())
        link = document["link"]
        links = link if isinstance(link, list) else [link]
        rates = [(float(one.mbps.min()), float(one.mbps.max())) for one in self.capacity[: len(links)]]
        parts = [f"{len(links)} links"] if len(links) > 1 else []
        parts.append(f"{between(min(low for low, _ in rates), max(high for _, high in rates))} Mbit/s")
        rtts = [flow["rtt_ms"] for flow in self.summary["flows"]]
        if rtts:
            parts.append(f"RTT {between(min(rtts), max(rtts))} ms")
        elif "rtt" in links[0]:
            parts.append(f"RTT {spaced(links[0]['rtt'])}")
        limits = list(dict.fromkeys(one["queue"]["limit"] for one in links))
        parts.append("buffer " + (" or ".join(map(spaced, limits)) if len(limits) <= 3 else f"of {len(limits)} sizes"))
        if any(one["queue"]["kind"] != "droptail" for one in links):
            parts.append(" and ".join(dict.fromkeys(one["queue"]["kind"].upper() for one in links)))
        losses = list(dict.fromkeys(one["loss"] for one in links if "loss" in one))
        seed = f"seed {self.scenario.seed}"
        shown = [f"loss {loss}" for loss in losses[:2]]
        if shown and len(", ".join([*parts, *shown, seed])) > width:
            room = (width - len(", ".join([*parts, seed]))) // len(shown) - len(", ")
            shown = [cut(loss, room) for loss in shown]
        return ", ".join([*parts, *shown, seed])


def cut(text: str, width: int) -> str:
    """The text in so many characters, cut after a comma where there is one."""
    if len(text) <= width:
        return text
    kept = text[: max(width - 1, len("loss"))]
    return kept[: kept.rfind(",") + 1 or None] + "…"


def between(low: float, high: float) -> str:
    """A value, or the two ends of a range."""
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def spaced(quantity: str) -> str:
    """`1.5bdp` as `1.5 BDP`, `100packets` as `100 packets`."""
    digits = quantity.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    return f"{digits} {quantity.removeprefix(digits).replace('bdp', 'BDP')}"
