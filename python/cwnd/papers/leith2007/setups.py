# SPDX-License-Identifier: MIT OR Apache-2.0
"""The testbed of Leith, Shorten and McCullagh: its link, versions with other clamps, epochs of a run, and long flows with and without sessions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cwnd.metrics import curves, rates
from cwnd.metrics.run import converged
from cwnd.metrics.series import forwarded
from cwnd.reproduce import Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import from_linux
from cwnd.reproduce.numbers import Json, JsonObject

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Unstated: how long the first flow has been alone; as in figure 2.
ALONE = {"uniform": ["100s", "150s"]}
#: H-TCP with the backoff factor of CUBIC, as in figure 9.
HTCP_08: JsonObject = {"cc": "htcp", "beta_min": 0.8, "beta_max": 0.8}
#: Linux's numbers of the states of recovery and of repair after a timeout.
DISORDER, RECOVERY, LOSS = 1, 3, 4


def testbed(rate: float, end: float, flows: Sequence[JsonObject], **more: Json) -> JsonObject:
    """`flows` for `end` seconds through `rate` Mbit/s, 200 ms, a queue of one BDP; against phase effects packets leave up to a packet's time late."""
    flows = [{"overhead": f"{12_000_000 / rate:.0f}ns", **flow} for flow in flows]
    link: JsonObject = {"rate": f"{rate:g}Mbit/s", "rtt": "200ms", "queue": {"kind": "droptail", "limit": "1bdp"}}
    return {"duration": f"{end:g}s", "link": link, "flow": flows, "record": {"interval": "1s"}, **more}


def two_flows(cc: Json, **keys: Json) -> Sequence[JsonObject]:
    """Two flows of one algorithm; the second joins later."""
    return [{"cc": cc, **keys}, {"cc": cc, "start": ALONE, **keys}]


def with_clamp(cubic: str, per_s: int | None) -> JsonObject:
    """The version with an increase of at most `per_s` packets a second, or without such a limit."""
    if not from_linux(cubic):
        return {"cc": cubic, "max_increment": per_s or 0}
    return (
        {"cc": cubic, "clamp": "off"}
        if per_s is None
        else {"cc": cubic, "clamp": "always", "max_increment": per_s // 10}
    )


def with_ssthresh(cubic: str, packets: int) -> JsonObject:
    """Slow start that ends at `packets`."""
    first_threshold = {"start_ssthresh": packets} if from_linux(cubic) else {"initial_ssthresh": packets}
    return {**first_threshold, "slow_start": "standard"}


def backoffs(run: Result) -> list[list[tuple[float, int, int]]]:
    """The reductions of each flow: time, and window before and after."""
    reductions: list[list[tuple[float, int, int]]] = [[] for _ in run.summary["flows"]]
    before = [0] * len(reductions)
    for row in run.events.to_pylist():
        if row["kind"] != "state":
            continue
        flow, state = row["flow"], row["value"]
        if state == DISORDER:
            before[flow] = row["cwnd"]
        elif state in (RECOVERY, LOSS):
            reductions[flow].append((row["time_s"], max(before[flow], row["cwnd"]), row["cwnd"]))
            before[flow] = 0
    return reductions


def epoch_curves(
    run: Result, flow: int, step: float, since: float = 0.0
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Times and windows of the flow's epochs from one reduction to the next that begin after `since`; a second at each end is left out."""
    times = [time for time, _, _ in backoffs(run)[flow] if time >= since]
    epochs = []
    for begin, end in pairwise(times):
        if end - begin > 4:
            at = np.arange(begin + 1, end - 1, step)
            epochs.append((at, curves(run.cwnd, at)[flow]))
    return epochs


def deviation_from_line(window: NDArray[np.float64]) -> float:
    """The largest distance of a curve from the straight line between its ends, as a part of its growth."""
    chord = np.linspace(window[0], window[-1], len(window))
    growth = abs(window[-1] - window[0])
    return float(np.abs(window - chord).max() / growth) if growth else 1.0


@dataclass(frozen=True, slots=True)
class Convergence:
    """Convergence of a second flow with one that has been alone."""

    #: A run that does not converge counts as its remaining duration.
    seconds: float
    #: The second flow's part of both, every 10 s after its start.
    share: list[float]


class SecondFlow(Experiment[Convergence]):
    """Two flows in several forms, the second later, at two of figure 2's rates."""

    #: Unstated: two of figure 2's rates, Mbit/s.
    rates: ClassVar = (10, 250)
    #: How many seeds the shortened run has.
    few: ClassVar[int]
    #: Labels of the forms.
    labels: ClassVar[dict[str, str]]

    @abstractmethod
    def flows(self, setup: Setup) -> dict[str, Sequence[JsonObject]]:
        """Both flows in each form."""

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=3000, short=1500), setup.seeds(full=10, short=self.few)
        return [
            Point(f"{form}, {rate}", testbed(rate, end, flows), seeds=seeds)
            for rate in self.rates
            for form, flows in self.flows(setup).items()
        ]

    def reduce(self, run: Result, point: Point) -> Convergence:
        since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s
        mbps = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=10, begin_s=since, end_s=end).mbps
        return Convergence(
            seconds=min(converged(run), end - since), share=(mbps[1] / mbps.sum(axis=0)).round(4).tolist()
        )

    def sooner(self, results: Results[Convergence], form: str, other_form: str) -> Measured:
        """The time of a form over that of another."""
        ratios = {
            f"{rate} Mbit/s": results.ratio(f"{form}, {rate}", f"{other_form}, {rate}", "seconds")
            for rate in self.rates
        }
        return Measured(ratios, "a run that does not converge counts as its whole length")

    def plot(self, results: Results[Convergence], figure: Figure) -> None:
        from cwnd.plot import DASHES

        figure.set_size_inches(6.4, 6.0)
        panels = figure.subplots(2, 1, sharex=True)
        for axes, rate in zip(panels, self.rates):
            for (form, label), dash in zip(self.labels.items(), DASHES):
                share = 100 * np.array(results[f"{form}, {rate}"][0].share)
                axes.plot(10 * np.arange(len(share)) + 5, share, linestyle=dash, label=label)
            axes.set(title=f"{rate} Mbit/s", ylabel="second flow's share (%)", ylim=(0, 100), xlim=(0, None))
            axes.axhline(50, color="0.5", linewidth=0.8)
        panels[1].set_xlabel("time after the second start (s)")
        panels[0].legend(ncols=len(self.labels))


#: The round trips of the testbed, ms.
RTTS_MS = (16, 40, 80, 160, 200)
#: Figure 13: the round trips of its two flows.
LONG_MS, SHORT_MS = 162, 16
#: Its start times, unstated: ten or more, at uneven distances, against periods of the first flow.
STARTS_S = (0, 7, 13, 21, 29, 34, 45, 52, 61, 68, 77, 93)
TEN_MINUTES = 600


def long_flows(
    flows: Sequence[JsonObject],
    rate: str,
    rtt_ms: float,
    seconds: float,
    *,
    begin: float,
    queue: str = "1bdp",
    **keys: Json,
) -> JsonObject:
    """Flows (tables of the scenario) without web traffic; `rtt_ms`: that of flows without one, and of the BDP."""
    return {
        "duration": f"{seconds:g}s",
        "measure": [f"{begin:g}s", f"{seconds:g}s"],
        "link": {"rate": rate, "rtt": f"{rtt_ms:g}ms", "queue": {"kind": "droptail", "limit": queue}},
        "flow": [dict(flow) for flow in flows],
        "record": {"interval": "1s"},
        **keys,
    }


def unsynchronised(flow: JsonObject, seconds: float) -> JsonObject:
    """250 Mbit/s, 200 ms, one BDP, three flows, 25 on-off sessions; the first 100 s are not measured."""
    flows: Sequence[JsonObject] = [{**flow, "count": 3, "start": {"uniform": ["0s", "10s"]}}]
    return long_flows(flows, "250Mbit/s", 200, seconds, begin=100, traffic=[{"preset": "leith2007-fig6"}])


def joined_later(flow: JsonObject, rate: int, start: int) -> JsonObject:
    """Figure 13: `flow` alone, and from `start` seconds on alongside a flow of the shorter round trip, for twenty minutes."""
    flows: Sequence[JsonObject] = [flow, {**flow, "rtt": f"{SHORT_MS}ms", "start": f"{start}s"}]
    return long_flows(flows, f"{rate}Mbit/s", LONG_MS, start + 2 * TEN_MINUTES, begin=start)


def ratio_over_ten_minutes(run: Result, begin_s: float) -> float:
    """The throughput of the first flow over that of the second in the ten minutes from `begin_s` on; the last second is left out."""
    sent = forwarded(run.cwnd, begin_s, begin_s + TEN_MINUTES - 1)
    return sent[0] / sent[1]
