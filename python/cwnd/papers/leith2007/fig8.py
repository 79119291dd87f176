# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.metrics.trace import growth
from cwnd.papers.leith2007.setups import HTCP_08, backoffs, with_clamp, with_ssthresh
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: the BDP of 250 Mbit/s and 200 ms, which is half of what two flows have at a loss; and how long growth is recorded.
W, RTT_S, SHOWN_S = 4166, 0.2, 40
#: Our reading of "the steep part": more packets a second than this.
STEEP = 100
NAMES = {"0.9 W": "CUBIC, W_max = 0.9 W", "W": "CUBIC, W_max = W", "htcp": "H-TCP"}


@dataclass(frozen=True, slots=True)
class Fig8Numbers:
    """What a run is reduced to."""

    since_s: list[float]
    cwnd: list[float]
    before: int
    after: int


def inflection(run: Fig8Numbers, part: float) -> float:
    """The time at which the curve reaches that part of W."""
    return float(np.interp(part * run.before, run.cwnd, run.since_s))


def steep(run: Fig8Numbers, since: float) -> float:
    """The time at which growth exceeds `STEEP`, after the inflection; infinite if it never does."""
    at, per_s = np.array(run.since_s[5:]), np.subtract(run.cwnd[5:], run.cwnd[:-5]) / (5 * RTT_S)
    return next((float(time) for time in at[(at > since) & (per_s > STEEP)]), np.inf)


class Fig8(Experiment[Fig8Numbers]):
    """Figure 8: the increase after missing a drop, CUBIC with its inflection at 0.9 W and at W, and H-TCP.

    The paper computes the curves (equation 1, which has no clamp); here the algorithms draw them, without the clamp, on a link that never limits: one loss
    at a window W, and for 0.9 W a second one before the window has recovered. H-TCP keeps 0.8, as in figure 9, which this figure introduces. Left open: W,
    round trip, the time shown (the caption is lost; its legend prints 0.8 W twice).
    """

    title = "Growth after missing a drop: CUBIC with its inflection at 0.9 W and W, and H-TCP"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        def point(key: str, flow: JsonObject, window: int, second: bool) -> Point:
            # Slow start to the threshold sends about two windows; the second loss is detected about five round trips after the first.
            lost = f"at:{3 * window}" + (f",{8 * window}" if second else "")
            scenario: JsonObject = {
                "duration": f"{SHOWN_S + 15}s",
                "link": {"rate": "10Gbit/s", "rtt": f"{RTT_S}s", "loss": lost},
                "flow": [{**flow, "ack_every": 1}],
                "record": {"interval": "100ms"},
            }
            return Point(key, scenario)

        cubic = with_clamp(setup.cubic, None)
        return [
            # The second loss comes at about 0.85 of the first one's window.
            point("0.9 W", {**cubic, **with_ssthresh(setup.cubic, round(W / 0.87))}, round(W / 0.87), True),
            point("W", {**cubic, **with_ssthresh(setup.cubic, W)}, W, False),
            point("htcp", {**HTCP_08, "initial_ssthresh": W}, W, False),
        ]

    def reduce(self, run: Result, point: Point) -> Fig8Numbers:
        begin, before, after = backoffs(run)[0][-1]
        since = np.arange(RTT_S, SHOWN_S, RTT_S)
        window = curves(run.cwnd, begin + since)[0]
        return Fig8Numbers(since_s=since.round(2).tolist(), cwnd=window.round(1).tolist(), before=before, after=after)

    def claims(self, results: Results[Fig8Numbers]) -> dict[str, Answer]:
        runs = {key: results[key][0] for key in NAMES}
        turn = {"0.9 W": inflection(runs["0.9 W"], 0.9), "W": inflection(runs["W"], 1.0)}

        def slope(key: str, at: float) -> float:
            """To the right of the inflection: from it on, for as long as it took to reach it."""
            return growth(runs[key].since_s, runs[key].cwnd, at, at)

        cubic = {key: slope(key, at) for key, at in turn.items()}
        htcp = {key: slope("htcp", at) for key, at in turn.items()}
        sooner = steep(runs["0.9 W"], turn["0.9 W"]) / steep(runs["W"], turn["W"])
        note = ", ".join(f"inflection at {key}: {cubic[key]:.0f} and {htcp[key]:.0f} packets/s" for key in turn)
        return {
            "slope-0-9": Measured(cubic["0.9 W"] / htcp["0.9 W"], note),
            "slope-1-0": Measured(cubic["W"] / htcp["W"], note),
            "htcp-slower": Measured({key: htcp[key] / cubic[key] for key in turn}, note),
            "steep-sooner": Measured(sooner, f"steep: above {STEEP} packets/s"),
        }

    def plot(self, results: Results[Fig8Numbers], figure: Figure) -> None:
        from cwnd.plot import DASHES

        axes = figure.subplots()
        for (key, label), dash in zip(NAMES.items(), DASHES):
            run = results[key][0]
            axes.plot(run.since_s, np.divide(run.cwnd, run.before), linestyle=dash, label=label)
        axes.set(xlabel="time since the last reduction (s)", ylabel="cwnd / W", xlim=(0, SHOWN_S), ylim=(0.5, 4))
        axes.legend()
