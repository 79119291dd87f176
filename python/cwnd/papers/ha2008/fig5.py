# SPDX-License-Identifier: MIT OR Apache-2.0

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cwnd._internal.json_types import number
from cwnd.metrics import curves, reductions
from cwnd.metrics.series import by_flow
from cwnd.papers.ha2008.setups.prescribed_losses import C
from cwnd.papers.ha2008.setups.testbed import OVERHEAD, background
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded, variables
from cwnd.reproduce.iperf import shares
from cwnd.reproduce.numbers import JsonObject

#: Unstated: both start within a second, and the first third of the run is not measured.
START = {"uniform": ["0s", "1s"]}
#: The inner variables of CUBIC that show the TCP region.
RECORDED = ("origin", "k", "w_tcp", "min_rtt", "epoch")


def in_tcp_region(run: Result) -> float:
    """The part of the first flow's acknowledged packets at which W_tcp is above the cubic function one minimum RTT ahead."""
    begin, _ = run.scenario.measured_s
    _, (sampled, acked, windows) = next(by_flow(run.cwnd, "time_s", "delivered", "cwnd"))
    curves_of = {name: by_number[0] for name, by_number in variables(run).items()}
    times, inner = curves_of["epoch"][0], {name: values for name, (_, values) in curves_of.items()}
    # Lane live has inner variables from the end of the handshake on, and windows before.
    at = np.searchsorted(sampled, times, side="right") - 1
    acked, windows = acked[at], windows[at]
    # An epoch begins with the first acknowledgement after the reduction: where there is one again, or the curve changes.
    epoch_start, start = np.empty(len(times)), 0.0
    reduced = np.searchsorted(reductions(run.events).get(0, np.empty(0)), times)
    for row, inside in enumerate(inner["epoch"]):
        is_new = row == 0 or not inner["epoch"][row - 1] or reduced[row] != reduced[row - 1]
        start = times[row] if is_new else start
        epoch_start[row] = start if inside else np.nan
    ahead = times - epoch_start + inner["min_rtt"]
    cubic = inner["origin"] + C * (ahead - inner["k"]) ** 3
    packets = np.diff(acked, append=acked[-1])
    in_use = ~np.isnan(epoch_start) & (times >= begin) & (windows > 0)
    return float(packets[in_use & (inner["w_tcp"] > cubic)].sum() / packets[in_use].sum())


@dataclass(frozen=True, slots=True)
class Pair:
    """CUBIC alongside SACK."""

    #: Throughput and mean window of CUBIC over those of SACK.
    throughput: float
    windows: float
    #: SACK's share of the link, as payload.
    sack: float
    #: The part of CUBIC's packets that are acknowledged in the TCP region.
    region: float
    utilisation: float
    #: Windows of both, every 0.5 s.
    cwnd: list[list[float]]


class CubicBesideSack(Experiment[Pair]):
    """One CUBIC and one SACK flow on 400 Mbit/s."""

    rtt_ms: ClassVar[int]
    full_s: ClassVar[float]
    short_s: ClassVar[float]
    #: How often windows and inner variables are recorded.
    sample_ms: ClassVar[int]

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=self.full_s, short=self.short_s)
        scenario: JsonObject = {
            "duration": f"{end:g}s",
            "measure": [f"{end / 3:g}s", f"{end:g}s"],
            "link": {"rate": "400Mbit/s", "rtt": f"{self.rtt_ms}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
            "flow": [{"cc": name, "start": START, "overhead": OVERHEAD} for name in (setup.cubic, "sack")],
            "traffic": background(),
            "record": {"interval": f"{self.sample_ms}ms", "inner": recorded(setup.cubic, *RECORDED)},
        }
        return [Point("pair", scenario, seeds=setup.seeds(full=10, short=3))]

    def reduce(self, run: Result, point: Point) -> Pair:
        cubic, sack = run.summary["flows"]
        every = np.arange(0, run.scenario.duration_s, 0.5)
        return Pair(
            throughput=cubic["throughput_mbps"] / sack["throughput_mbps"],
            windows=cubic["cwnd_mean"] / sack["cwnd_mean"],
            sack=shares(run)[1],
            region=in_tcp_region(run),
            utilisation=number(run.summary["link"], "utilization"),
            cwnd=[window.round(1).tolist() for window in curves(run.cwnd, every).values()],
        )

    def plot(self, results: Results[Pair], figure: Figure) -> None:
        """Windows against time, as in the paper's panels."""
        from cwnd.plot.experiments import over_time

        axes = figure.subplots()
        windows = results["pair"][0].cwnd
        over_time(axes, dict(zip(("CUBIC", "TCP-SACK"), windows)), 0.5, dashes=("-", (0, (4, 1.2))), linewidth=1.1)
        settled = max(max(window[len(window) // 3 :]) for window in windows)
        axes.set(xlabel="time (s)", xlim=(0, 0.5 * (len(windows[0]) - 1)))
        axes.set(ylabel="congestion window (packets)", ylim=(0, 1.2 * settled))
        axes.legend(ncols=2)


class Fig5a(CubicBesideSack):
    """Figure 5 a: one CUBIC and one SACK flow on 400 Mbit/s, 8 ms.

    At this round trip "even TCP-SACK can use the full bandwidth of the path", and CUBIC, in its TCP-friendly mode, "shares the bandwidth fair"
    and keeps a window "similar with that of TCP-SACK". Section 5.2 comes before the testbed's
    description: that its background traffic (15 %, in both directions) and its buffer (one BDP) apply is our reading. Also left open: durations and start times.
    """

    title = "One CUBIC and one SACK flow, 400 Mbit/s, 8 ms"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    live = True
    figure = "fig5a"
    rtt_ms, full_s, short_s, sample_ms = 8, 300, 120, 20

    def claims(self, results: Results[Pair]) -> dict[str, Answer]:
        return {
            "throughput-ratio": Measured(results.values("pair", "throughput")),
            "windows-alike": Measured(results.values("pair", "windows")),
            "tcp-region": Measured(
                results.values("pair", "region"), "packets acknowledged while W_tcp is above the cubic function"
            ),
            "full": Measured(results.values("pair", "utilisation")),
        }


class Fig5b(CubicBesideSack):
    """Figure 5 b: one CUBIC and one SACK flow on 400 Mbit/s, 82 ms.

    "Where Standard TCP has the under-utilization problem", CUBIC "runs a cubic window growth function". Section 5.2 comes before the testbed's
    description: that its background traffic (15 %, in both directions) and its buffer (one BDP) apply is our reading. Also left open: durations and start times.
    """

    title = "One CUBIC and one SACK flow, 400 Mbit/s, 82 ms"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    figure = "fig5b"
    rtt_ms, full_s, short_s, sample_ms = 82, 600, 180, 50

    def claims(self, results: Results[Pair]) -> dict[str, Answer]:
        return {
            "cubic-region": Measured(
                results.values("pair", "region"), "packets acknowledged while W_tcp is above the cubic function"
            ),
            "sack-share": Measured(results.values("pair", "sack")),
        }
