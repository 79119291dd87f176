# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from cwnd.metrics import curves
from cwnd.metrics.curve import reached
from cwnd.papers.leith2007.setups import backoffs
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded
from cwnd.reproduce.numbers import JsonObject

#: Unstated; the losses come at windows of about 480 and 430 packets.
RTT_S, LOST = 0.1, "at:20000,30000"
#: "Around", where the paper gives no error.
ABOUT = 0.1


@dataclass(frozen=True, slots=True)
class Algorithm1Numbers:
    """What a run is reduced to."""

    ssthresh: float
    acks_below: float
    acks_above: float
    doubling: list[float]
    kept: list[float]
    packets_per_s: float
    memory: float
    time_s: list[float]
    cwnd: list[float]
    lost_s: list[float]


class Algorithm1(Experiment[Algorithm1Numbers]):
    """Algorithm 1, the CUBIC of Linux 2.6.18 as the paper prints it: each labelled behaviour in a trace of every acknowledgement.

    One flow on a link that never limits; two of its packets are lost, the second before the window has recovered. Left open: the whole set-up.
    """

    title = "One flow, two losses: the behaviours that Algorithm 1 names"
    cubic = "cubic-2.6.18"
    second = "cubic-2.0"

    def grid(self, setup: Setup) -> list[Point]:
        scenario: JsonObject = {
            "duration": "50s",
            "link": {"rate": "1Gbit/s", "rtt": f"{RTT_S}s", "loss": LOST},
            "flow": [{"cc": setup.cubic, "ack_every": 1}],
            "record": {"per_ack": True, "inner": recorded(setup.cubic, "w_max")},
        }
        return [Point("trace", scenario)]

    def reduce(self, run: Result, point: Point) -> Algorithm1Numbers:
        time, window, limit = (run.cwnd[name].to_numpy(zero_copy_only=False) for name in ("time_s", "cwnd", "ssthresh"))
        first, (second, before, after) = backoffs(run)[0][:2]
        remembered = run.inner["value"].to_numpy()[run.inner["time_s"].to_numpy() > second]
        ssthresh = math.inf if limit[0] is None or not limit[0] < 2**30 else float(limit[0])
        # Acknowledgements per packet of growth, below 100 packets, and above until the first loss is detected.
        start, above = int(np.argmax(window >= 100)), int(np.argmax(time > first[0] - 2 * RTT_S))
        apart = [reached(time, window, size) for size in (100, 200, 400)]
        at = np.arange(second + 1, run.scenario.duration_s - 1, 0.1)
        grown = curves(run.cwnd, at + 1)[0] - curves(run.cwnd, at)[0]
        every = np.arange(0, run.scenario.duration_s, 0.25)
        return Algorithm1Numbers(
            ssthresh=ssthresh,
            acks_below=start / float(window[start] - window[0]),
            acks_above=(above - start) / max(float(window[above] - window[start]), 1e-9),
            doubling=[(later - sooner) / RTT_S for sooner, later in pairwise(apart)],
            kept=[first[2] / first[1], after / before],
            packets_per_s=float(grown.max()),
            memory=float(remembered[0]) / before,
            time_s=every.round(2).tolist(),
            cwnd=curves(run.cwnd, every)[0].round(1).tolist(),
            lost_s=[first[0], second],
        )

    def claims(self, results: Results[Algorithm1Numbers]) -> dict[str, Answer]:
        run = results["trace"][0]

        def near(value: float, wanted: float, part: float) -> bool:
            return abs(value / wanted - 1) <= part

        acks, clamp, kept = run.acks_above, run.packets_per_s, run.kept
        return {
            "initial-ssthresh": Holds(
                "the threshold is 100 packets at the start; one packet per acknowledgement below it, fewer above",
                run.ssthresh == 100 and run.acks_below < 1.05 and acks > 2,
                run.ssthresh,
            ),
            "acks-per-increment": Holds(
                "50 to 52 acknowledgements per packet above the threshold: 50 in the text; the printed test takes two more",
                49.5 <= acks <= 52.5,
                acks,
            ),
            "backoff": Holds("0.8 within 1 % at both losses", all(near(part, 0.8, 0.01) for part in kept), kept[0]),
            "clamp": Holds(
                f"largest growth over a second: 20 packets within {ABOUT:.0%}", near(clamp, 20, ABOUT), clamp
            ),
            "adaptation": Holds("0.9 within 1 % at the second loss", near(run.memory, 0.9, 0.01), run.memory),
            "doubling": Measured({"100 to 200": run.doubling[0], "200 to 400": run.doubling[1]}),
        }

    def plot(self, results: Results[Algorithm1Numbers], figure: Figure) -> None:
        axes, run = figure.subplots(), results["trace"][0]
        axes.plot(run.time_s, run.cwnd, label="cwnd")
        for number, time in enumerate(run.lost_s):
            axes.axvline(
                time, color="0.5", linewidth=0.8, linestyle=(0, (4, 2)), label="" if number else "a packet lost"
            )
        axes.set(xlabel="time (s)", ylabel="cwnd (packets)", xlim=(0, 50), ylim=(0, None))
        axes.legend()
