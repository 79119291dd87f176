# SPDX-License-Identifier: MIT OR Apache-2.0
"""Experiment 3: four flows at 220 ms and four of SACK at 20 ms share 2.5 Gbit/s behind 20 or 200 % of the BDP of the longer path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from cwnd.experiments import Point, Reduced, Result, Results, Setup
from cwnd.experiments.rhee2005._bench import SETS, around, background, host
from cwnd.metrics import coefficient_of_variation, jain, rates

if TYPE_CHECKING:
    from collections.abc import Sequence


#: Whose BDP the buffer is measured in is not stated: that of the path of 220 ms.
RATE_MBPS, LONG_MS, SHORT_MS = 2500, 220, 20
BUFFERS = (20, 200)
#: Unstated: slow start ends at an eighth of the link. Else one of the short paths fills 200 % of buffer with it, and holds it for minutes.
SSTHRESH = {rtt: int(RATE_MBPS / 12 * rtt / 8) for rtt in (LONG_MS, SHORT_MS)}
#: Unstated: time scales of the variation, s. The shortened run is too short for the last two.
SCALES, FEWEST = (1, 2, 5, 10, 20, 50, 100), 4


def points(setup: Setup, names: Sequence[str]) -> list[Point]:
    """Every protocol behind both buffers."""
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
                    host(cc, RATE_MBPS, rtt=rtt, initial_ssthresh=SSTHRESH[path])
                    for cc, path in ((sets[name], LONG_MS), ("sack", SHORT_MS))
                    for rtt in around(path, 4)
                ],
                "traffic": background(),
                "record": {"interval": "1s"},
            },
            seeds=setup.seeds(full=5, short=1),
            info={"name": name, "buffer": buffer},
        )
        for buffer in BUFFERS
        for name in names
    ]


def numbers(run: Result) -> Reduced:
    """Of the four long flows: throughput per second, and by time scale the mean coefficient of variation of one and Jain's index."""
    begin, end = run.scenario.measured_s
    scales = [scale for scale in SCALES if (end - begin) / scale >= FEWEST]
    found: Reduced = {"scales": scales, "variation": [], "jain": []}
    for scale in scales:
        mbps = (
            rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=scale, begin_s=begin, end_s=end)
            .only([0, 1, 2, 3])
            .mbps
        )
        found["variation"].append(float(np.mean([coefficient_of_variation(row).value or 0 for row in mbps])))
        found["jain"].append(float(np.mean([jain(column).value or 0 for column in mbps.T])))
    seconds = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=1, begin_s=0, end_s=end).mbps
    found["mbps"] = [row.round(1) for row in seconds[:8]]
    found["utilisation"] = run.summary["link"]["utilization"]
    return found


def variation(results: Results, name: str, buffer: int) -> dict[str, list[float]]:
    """The coefficient of variation by time scale."""
    key = f"{name}, {buffer} %"
    return {
        f"{scale} s": [run["variation"][place] for run in results[key]]
        for place, scale in enumerate(results[key][0]["scales"])
    }
