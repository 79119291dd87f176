# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.metrics.curve import reached
from cwnd.papers.ha2008.setups.hook_calls import connection
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Of the path in section 1.
MBPS, RTT_S, PACKET_B = 10_000, 0.1, 1250
#: The simulated path is so many times slower in the shortened run.
SCALE = 100


@dataclass(frozen=True, slots=True)
class Calls:
    """The climb, call by call."""

    rtts: int
    #: Every thousand round trips.
    cwnd: list[int]


@dataclass(frozen=True, slots=True)
class Simulated:
    """The climb on a link."""

    seconds: float
    time_s: list[float]
    cwnd: list[float]


def climb(half: int, every: bool) -> Calls:
    """Round trips from a window of `half` segments to twice that, through the algorithm's own hook."""
    hooks = connection("sack" if every else "reno", half, half)
    rtts, windows = 0, [half]
    while hooks.get("cwnd") < 2 * half:
        hooks.rounds(1) if every else hooks.cong_avoid(hooks.get("cwnd"))
        hooks.fill()
        rtts += 1
        if rtts % 1000 == 0:
            windows.append(hooks.get("cwnd"))
    return Calls(rtts=rtts, cwnd=windows)


class Sec1Sluggishness(Experiment[Calls | Simulated]):
    """Section 1, sluggishness: how long standard TCP takes from half the BDP to the BDP of a path of 10 Gbit/s, 100 ms.

    The packets have 1250 bytes, so the BDP is 100 000 packets; one packet per round trip makes 50 000 round trips, 5000 s. Every acknowledgement of
    the climb is a call of the algorithm; the shortened run makes one call per round trip, for all acknowledged packets. The full run also simulates
    the path; the shortened run simulates a path with a hundredth of the rate, whose climb must take a hundredth of the time. Left open: delayed
    acknowledgements (none here, as the text counts one packet per round trip).
    """

    title = "Standard TCP from half the BDP to the BDP, 10 Gbit/s, 100 ms"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        mbps = setup.pick([MBPS], [MBPS // SCALE])[0]
        half = round(mbps * 1e6 * RTT_S / 8 / PACKET_B / 2)
        scenario: JsonObject = {
            "duration": f"{1.1 * half * RTT_S:g}s",
            "packet_size": f"{PACKET_B}B",
            "link": {"rate": f"{mbps}Mbit/s", "rtt": "100ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
            "flow": [{"cc": "sack", "ack_every": 1, "initial_cwnd": half, "initial_ssthresh": half}],
        }
        return [
            Point("calls", call=climb, args=(round(MBPS * 1e6 * RTT_S / 8 / PACKET_B / 2), setup.full)),
            Point("simulated", scenario, info={"half": half, "scale": MBPS / mbps}),
        ]

    def reduce(self, run: Result, point: Point) -> Calls | Simulated:
        seconds = reached(run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy(), 2 * point.number("half"))
        times = np.linspace(0, run.scenario.duration_s, 100, endpoint=False)
        return Simulated(seconds=seconds, time_s=times.tolist(), cwnd=curves(run.cwnd, times)[0].tolist())

    def claims(self, results: Results[Calls | Simulated]) -> dict[str, Answer]:
        scale = results.points["simulated"].number("scale")
        seconds = {
            "the path itself, round trips of 100 ms": [rtts * RTT_S for rtts in results.values("calls", "rtts")],
            f"simulated at 1/{scale:g} of the rate, times {scale:g}": [
                seconds * scale for seconds in results.values("simulated", "seconds")
            ],
        }
        return {"rtts": Measured(results.values("calls", "rtts")), "seconds": Measured(seconds)}

    def plot(self, results: Results[Calls | Simulated], figure: Figure) -> None:
        axes = figure.subplots()
        counted, simulated = results.of(Calls, "calls"), results.of(Simulated, "simulated")
        scale = results.points["simulated"].number("scale")
        axes.plot([100 * n for n in range(len(counted.cwnd))], counted.cwnd, label="the algorithm, call by call")
        times, windows = (np.multiply(scale, values) for values in (simulated.time_s, simulated.cwnd))
        axes.plot(times, windows, linestyle="--", label=f"simulated, scaled by {scale:g}")
        axes.set(xlabel="time (s)", ylabel="window (packets)", xlim=(0, None), ylim=(0, None))
        axes.legend()
