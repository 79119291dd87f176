# SPDX-License-Identifier: MIT OR Apache-2.0
"""Experiment 3: four flows at 220 ms and four of SACK at 20 ms share 2.5 Gbit/s behind 20 or 200 % of the BDP of the longer path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from cwnd._internal.json_types import number
from cwnd.metrics import Rates, coefficient_of_variation, jain, rates
from cwnd.papers.rhee2005.setups.simulation import SETS, background, host_flow, varied_rtts
from cwnd.reproduce import Experiment, Point, Result, Results, Setup

if TYPE_CHECKING:
    pass


#: Unstated: the path whose BDP the buffer refers to; that of 220 ms.
RATE_MBPS, LONG_MS, SHORT_MS = 2500, 220, 20
BUFFERS = (20, 200)
#: Unstated: slow start ends at an eighth of the link. Otherwise a flow of the short path fills the buffer of 200 % and keeps it full for minutes.
SSTHRESH = {rtt: int(RATE_MBPS / 12 * rtt / 8) for rtt in (LONG_MS, SHORT_MS)}
#: Unstated: time scales of the variation, s. The shortened run is too short for the last two.
SCALES, FEWEST = (1, 2, 5, 10, 20, 50, 100), 4


@dataclass(frozen=True, slots=True)
class Variation:
    """Of the four long flows, by time scale."""

    #: Time scales, s.
    scales: list[int]
    #: The mean coefficient of variation of one, and Jain's index.
    variation: list[float]
    jain: list[float]
    #: Throughput of all eight flows, per second.
    mbps: list[list[float]]
    utilisation: float


def variation(results: Results[Variation], name: str, buffer: int) -> dict[str, list[float]]:
    """The coefficient of variation by time scale."""
    key = f"{name}, {buffer} %"
    return {
        f"{scale} s": [run.variation[index] for run in results[key]]
        for index, scale in enumerate(results[key][0].scales)
    }


class Stability(Experiment[Variation]):
    """Every protocol with both buffers."""

    protocols: ClassVar = ("cubic", "stcp", "htcp")

    def grid(self, setup: Setup) -> list[Point]:
        sets = {**SETS, "cubic": setup.cubic}
        end, warm_up = (setup.seconds(full=1100, short=75), setup.seconds(full=100, short=20))
        return [
            Point(
                f"{name}, {buffer} %",
                {
                    "duration": f"{end:g}s",
                    "measure": [f"{warm_up:g}s", f"{end:g}s"],
                    "link": {
                        "rate": f"{RATE_MBPS}Mbit/s",
                        "rtt": f"{LONG_MS}ms",
                        "queue": {"kind": "droptail", "limit": f"{buffer / 100:g}bdp"},
                    },
                    "flow": [
                        host_flow(cc, RATE_MBPS, rtt=rtt, initial_ssthresh=SSTHRESH[path])
                        for cc, path in ((sets[name], LONG_MS), ("sack", SHORT_MS))
                        for rtt in varied_rtts(path, 4)
                    ],
                    "traffic": background(),
                    "record": {"interval": "1s"},
                },
                seeds=setup.seeds(full=5, short=1),
                info={"name": name, "buffer": buffer},
            )
            for buffer in BUFFERS
            for name in self.protocols
        ]

    def reduce(self, run: Result, point: Point) -> Variation:
        begin, end = run.scenario.measured_s
        scales = [scale for scale in SCALES if (end - begin) / scale >= FEWEST]

        def throughputs(scale: float, begin_s: float) -> Rates:
            size = run.scenario.packet_bytes
            return rates(run.cwnd, packet_bytes=size, interval_s=scale, begin_s=begin_s, end_s=end)

        by_scale = [throughputs(scale, begin).only([0, 1, 2, 3]).mbps for scale in scales]
        return Variation(
            scales=scales,
            variation=[float(np.mean([coefficient_of_variation(row).value or 0 for row in mbps])) for mbps in by_scale],
            jain=[float(np.mean([jain(column).value or 0 for column in mbps.T])) for mbps in by_scale],
            mbps=[row.round(1).tolist() for row in throughputs(1, 0).mbps[:8]],
            utilisation=number(run.summary["link"], "utilization"),
        )
