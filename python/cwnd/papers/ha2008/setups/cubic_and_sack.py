# SPDX-License-Identifier: MIT OR Apache-2.0
"""One CUBIC and one SACK flow on 400 Mbit/s: figures 5 a and 5 b.

Section 5.2 comes before the testbed's description. That its background traffic (15 %, in both directions) and its buffer (one BDP)
apply is our reading. Also left open: durations and start times.
"""

from __future__ import annotations

import numpy as np

from cwnd.metrics import curves, reductions
from cwnd.metrics.series import by_flow
from cwnd.papers.ha2008.setups.prescribed_losses import C
from cwnd.papers.ha2008.setups.testbed import OVERHEAD, background
from cwnd.reproduce import Figure, Point, Reduced, Result, Results, Setup
from cwnd.reproduce.forms import recorded, variables
from cwnd.reproduce.iperf import shares

#: Unstated: both start within a second, and the first third of the run is not measured.
START = {"uniform": ["0s", "1s"]}
#: The inner variables of CUBIC that show the TCP region.
RECORDED = ("origin", "k", "w_tcp", "min_rtt", "epoch")


def points(setup: Setup, rtt_ms: int, *, full: float, short: float, sample_ms: int) -> list[Point]:
    """The figure's one point."""
    end = setup.seconds(full=full, short=short)
    scenario = {
        "duration": f"{end:g}s",
        "measure": [f"{end / 3:g}s", f"{end:g}s"],
        "link": {"rate": "400Mbit/s", "rtt": f"{rtt_ms}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        "flow": [{"cc": name, "start": START, "overhead": OVERHEAD} for name in (setup.cubic, "sack")],
        "traffic": background(),
        "record": {"interval": f"{sample_ms}ms", "inner": recorded(setup.cubic, *RECORDED)},
    }
    return [Point("pair", scenario, seeds=setup.seeds(full=10, short=3))]


def in_tcp_region(run: Result) -> float:
    """The part of the first flow's acknowledged packets at which W_tcp is above the cubic function one minimum RTT ahead."""
    begin, _ = run.scenario.measured_s
    _, (times, acked, windows) = next(by_flow(run.cwnd, "time_s", "delivered", "cwnd"))
    inner = {name: by_number[0][1] for name, by_number in variables(run).items()}
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
