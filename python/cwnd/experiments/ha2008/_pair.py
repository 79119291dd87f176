# SPDX-License-Identifier: MIT OR Apache-2.0
"""What figures 5 a and 5 b share: one CUBIC and one SACK flow on 400 Mbit/s.

Section 5.2 stands before the testbed's description: that its background (15 %, both ways) and its buffer (one BDP) apply is our
reading. Left open beside these: durations, and start times.
"""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Figure, Point, Reduced, Result, Results, Setup
from cwnd.experiments.forms import recorded, variables
from cwnd.experiments.ha2008._losses import C
from cwnd.experiments.ha2008._testbed import OVERHEAD, background
from cwnd.experiments.iperf import shares
from cwnd.metrics import curves, reductions
from cwnd.metrics.series import by_flow

#: Unstated: both start within a second, and the first third of the run is not measured.
START = {"uniform": ["0s", "1s"]}
#: The inner variables of CUBIC that tell the TCP region.
READ = ("origin", "k", "w_tcp", "min_rtt", "epoch")


def pair(setup: Setup, rtt_ms: int, *, full: float, short: float, sample_ms: int) -> list[Point]:
    """The figure's one point."""
    end = setup.seconds(full=full, short=short)
    scenario = {
        "duration": f"{end:g}s",
        "measure": [f"{end / 3:g}s", f"{end:g}s"],
        "link": {"rate": "400Mbit/s", "rtt": f"{rtt_ms}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        "flow": [{"cc": name, "start": START, "overhead": OVERHEAD} for name in (setup.cubic, "sack")],
        "traffic": background(),
        "record": {"interval": f"{sample_ms}ms", "inner": recorded(setup.cubic, *READ)},
    }
    return [Point("pair", scenario, seeds=setup.seeds(full=10, short=3))]


def in_tcp_region(run: Result) -> float:
    """The part of the first flow's acknowledged packets at which W_tcp is above the cubic function one minimum RTT ahead."""
    begin, _ = run.scenario.measured_s
    _, (times, acked, windows) = next(by_flow(run.cwnd, "time_s", "delivered", "cwnd"))
    found = {name: by_number[0][1] for name, by_number in variables(run).items()}
    # An epoch begins with the first acknowledgement after the reduction: where there is one again, or the curve changes.
    began, start = np.empty(len(times)), 0.0
    reduced = np.searchsorted(reductions(run.events).get(0, np.empty(0)), times)
    for row, inside in enumerate(found["epoch"]):
        fresh = row == 0 or not found["epoch"][row - 1] or reduced[row] != reduced[row - 1]
        start = times[row] if fresh else start
        began[row] = start if inside else np.nan
    ahead = times - began + found["min_rtt"]
    cubic = found["origin"] + C * (ahead - found["k"]) ** 3
    packets = np.diff(acked, append=acked[-1])
    use = ~np.isnan(began) & (times >= begin) & (windows > 0)
    return float(packets[use & (found["w_tcp"] > cubic)].sum() / packets[use].sum())


def reduced(run: Result) -> Reduced:
    """Throughputs, windows, region, utilisation, and curves for the picture."""
    cubic, sack = run.summary["flows"]
    every = np.arange(0, run.scenario.duration_s, 0.5)
    return {
        "throughput": cubic["throughput_mbps"] / sack["throughput_mbps"],
        "windows": cubic["cwnd_mean"] / sack["cwnd_mean"],
        "sack": shares(run)[1],
        "region": in_tcp_region(run),
        "utilisation": run.summary["link"]["utilization"],
        "cwnd": [window.round(1) for window in curves(run.cwnd, every).values()],
    }


def draw(results: Results, figure: Figure) -> None:
    """Windows against time, as in the paper's panels."""
    from cwnd.plot.experiments import over_time

    axes = figure.subplots()
    windows = results["pair"][0]["cwnd"]
    over_time(axes, dict(zip(("CUBIC", "TCP-SACK"), windows)), 0.5, dashes=("-", (0, (4, 1.2))), linewidth=1.1)
    settled = max(max(window[len(window) // 3 :]) for window in windows)
    axes.set(xlabel="time (s)", xlim=(0, 0.5 * (len(windows[0]) - 1)))
    axes.set(ylabel="congestion window (packets)", ylim=(0, 1.2 * settled))
    axes.legend(ncols=2)
