# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves
from cwnd.papers.leith2007.setups import backoffs, with_ssthresh
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: their windows at the loss, which comes when both have left slow start; the maximum random delay of departures, against phase effects; and the end of recovery.
WINDOWS, FIRST_LOST, OVERHEAD, RECOVERED_S = (4000, 1000), 20000, "20us", 0.6
#: The bench's BIC counts acknowledgements, as its CUBIC and HSTCP do.
BIC = "bic-2.6"
NAMES = {"cubic": "CUBIC", "highspeed": "HSTCP", "bic": "BIC", "htcp": "H-TCP", "sack": "SACK"}


@dataclass(frozen=True, slots=True)
class Sec4aAsymmetryNumbers:
    """What a run is reduced to."""

    ratio: float
    gains: list[float]
    before: list[int]
    time_s: list[float]
    gained: list[list[float]]


class Sec4aAsymmetry(Experiment[Sec4aAsymmetryNumbers]):
    """Section IV.A: after a common loss the larger CUBIC, HSTCP or BIC flow gains more than the smaller one; H-TCP's and SACK's gain the same.

    Two flows whose windows are four to one, on a link of 200 ms that never limits; both lose in one round trip. The experiment measures what each
    gains until the sum of their windows has recovered, which is when a bottleneck would drop again. Left open: windows, and the time over which "more aggressive" is meant.
    """

    title = "Two flows with unequal windows after a common loss: which gains more, 200 ms"
    cubic = "cubic-2.0"
    second = "cubic-2.6.18"

    def grid(self, setup: Setup) -> list[Point]:
        # Within one round trip, in which about 5000 packets arrive, every fiftieth of 4000: both flows lose, once.
        arrivals = range(FIRST_LOST, FIRST_LOST + 4000, 50)
        link: JsonObject = {"rate": "10Gbit/s", "rtt": "200ms", "loss": f"at:{','.join(map(str, arrivals))}"}

        def point(name: str) -> Point:
            cc = {"cubic": setup.cubic, "bic": BIC}.get(name, name)
            starts = [with_ssthresh(cc, size) if name == "cubic" else {"initial_ssthresh": size} for size in WINDOWS]
            end = 1500 if name == "sack" else 60
            flows: Sequence[JsonObject] = [{"cc": cc, "overhead": OVERHEAD, **start} for start in starts]
            scenario: JsonObject = {"duration": f"{end}s", "link": link, "flow": flows, "record": {"interval": "100ms"}}
            return Point(name, scenario, seeds=setup.seeds(full=10, short=2))

        return [point(name) for name in NAMES]

    def reduce(self, run: Result, point: Point) -> Sec4aAsymmetryNumbers:
        losses = [flow[-1] for flow in backoffs(run)]
        begin = max(time for time, _, _ in losses) + RECOVERED_S
        at = np.arange(begin, run.scenario.duration_s, 0.1)
        windows = list(curves(run.cwnd, at).values())
        back = np.flatnonzero(windows[0] + windows[1] >= sum(before for _, before, _ in losses))
        if not len(back) or abs(losses[0][0] - losses[1][0]) > RECOVERED_S:
            raise ValueError(f"{point.key}: no common loss, or the windows were not back")
        shown = np.linspace(0, back[0], 101).astype(int)
        gained = [(window - window[0])[shown] for window in windows]
        return Sec4aAsymmetryNumbers(
            ratio=float(gained[0][-1] / gained[1][-1]),
            gains=[float(gain[-1]) / (0.1 * float(back[0])) for gain in gained],
            before=[before for _, before, _ in losses],
            time_s=(0.1 * shown).round(1).tolist(),
            gained=[gain.round(1).tolist() for gain in gained],
        )

    def claims(self, results: Results[Sec4aAsymmetryNumbers]) -> dict[str, Answer]:
        def note(name: str) -> str:
            run = results[name][0]
            return f"first run: windows of {run.before[0]} and {run.before[1]} gain {run.gains[0]:.2f} and {run.gains[1]:.2f} packets/s"

        more = {"cubic": "cubic", "hstcp": "highspeed", "bic": "bic"}
        equal = {"htcp": "htcp", "sack": "sack"}
        return {
            **{
                f"{protocol}-larger-gains-more": Measured(results.values(name, "ratio"), note(name))
                for protocol, name in more.items()
            },
            **{
                f"{protocol}-equal": Measured(results.values(name, "ratio"), note(name))
                for protocol, name in equal.items()
            },
        }

    def plot(self, results: Results[Sec4aAsymmetryNumbers], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.0)
        for axes, (name, label) in zip(figure.subplots(2, 3).flat, NAMES.items()):
            run = results[name][0]
            for gained, before, dash in zip(run.gained, run.before, ("-", (0, (4, 1.2)))):
                axes.plot(run.time_s, gained, linestyle=dash, label=f"{before} before")
            axes.set(title=label, xlim=(0, None), ylim=(0, None))
            axes.legend()
        for axes in figure.axes[2:5]:
            axes.set_xlabel("after the loss (s)")
        for axes in figure.axes[::3]:
            axes.set_ylabel("gained (packets)")
        figure.axes[5].set_axis_off()
