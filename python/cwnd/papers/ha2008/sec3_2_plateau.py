# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, drops
from cwnd.metrics.curve import last_at
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded, variables
from cwnd.reproduce.numbers import JsonObject

#: Unstated: the path, outside CUBIC's TCP region, with a buffer of one BDP.
MBPS, RTT_MS = 100, 100
COUNTS = (1, 2, 4)
#: Unstated: the steady state begins here.
WARM_UP_S = 100
#: Losses closer than this are one congestion event: the round trip with a full buffer.
EVENT_S = 2 * RTT_MS / 1e3


@dataclass(frozen=True, slots=True)
class Sec3_2PlateauNumbers:
    """What a run is reduced to."""

    lost: int
    events: int
    per_event: float
    cwnd: list[float]
    near: float | None = None


class Sec3_2Plateau(Experiment[Sec3_2PlateauNumbers]):
    """Section 3.2, the plateau: most window samples are close to W_max, and few packets are lost at a time.

    "Under steady state, most window size samples of CUBIC are close to W_max"; protocols with convex growth have their largest increment at the
    saturation point, "introducing a large burst of packet losses". W_max is the remembered window that the current epoch's curve aims at. Left open:
    path, number of flows, what close means. One, two and four flows of CUBIC, STCP or HSTCP; no background traffic.
    """

    title = "CUBIC, STCP and HSTCP: the plateau at W_max, and packets lost at a time"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=250), setup.seeds(full=10, short=3)

        def scenario(cc: str, count: int) -> JsonObject:
            return {
                "duration": f"{end:g}s",
                "measure": [f"{WARM_UP_S}s", f"{end:g}s"],
                "link": {"rate": f"{MBPS}Mbit/s", "rtt": f"{RTT_MS}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                "flow": [{"cc": cc, "count": count, "start": {"uniform": ["0s", "10s"]}, "overhead": "120us"}],
                "record": {"interval": "100ms", "inner": recorded(cc, "w_max") if cc == setup.cubic else False},
            }

        sets = {"CUBIC": setup.cubic, "STCP": "scalable", "HSTCP": "highspeed"}
        return [
            Point(f"{name}, {count}", scenario(cc, count), seeds=seeds, info={"name": name, "count": count})
            for count in COUNTS
            for name, cc in sets.items()
        ]

    def reduce(self, run: Result, point: Point) -> Sec3_2PlateauNumbers:
        begin, end = run.scenario.measured_s
        lost_at, _, _ = drops(run.events, begin, end)
        events = 1 + int(np.sum(np.diff(lost_at) > EVENT_S)) if len(lost_at) else 0
        times = np.arange(begin, end, 0.1)
        windows = curves(run.cwnd, times)
        shown = windows[0][:600].round(1).tolist()
        near = None
        if run.scenario.records_inner:
            memory = {flow: last_at(at, w_max, times) for flow, (at, w_max) in variables(run)["w_max"].items()}
            near = float(np.mean([np.mean(window > 0.9 * memory[flow]) for flow, window in windows.items()]))
        lost = len(lost_at)
        return Sec3_2PlateauNumbers(lost=lost, events=events, per_event=lost / max(events, 1), cwnd=shown, near=near)

    def claims(self, results: Results[Sec3_2PlateauNumbers]) -> dict[str, Answer]:
        def below(other: str) -> Measured:
            return Measured(
                {
                    f"{count} flows": results.ratio(f"CUBIC, {count}", f"{other}, {count}", "per_event")
                    for count in COUNTS
                }
            )

        return {
            "time-near-wmax": Measured(
                {f"{count} flows": results.values(f"CUBIC, {count}", "near") for count in COUNTS}
            ),
            "loss-burst-below-stcp": below("STCP"),
            "loss-burst-below-hstcp": below("HSTCP"),
        }

    def plot(self, results: Results[Sec3_2PlateauNumbers], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 6.4)
        panels = figure.subplots(3, 1, sharex=True, sharey=True)
        for axes, name in zip(panels, ("CUBIC", "STCP", "HSTCP")):
            run = results[f"{name}, 1"][0]
            over_time(axes, {name: run.cwnd}, 0.1)
            axes.set(title=f"{name}: {run.per_event:.0f} packets lost per event", ylabel="window (packets)")
            axes.set(xlim=(0, 60), ylim=(0, None))
        panels[-1].set_xlabel("time (s)")
