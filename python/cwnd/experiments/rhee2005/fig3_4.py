# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figures 3 and 4: windows of two CUBIC and two SACK flows, 500 Mbit/s, 100 ms, with background traffic both ways.

The CUBIC windows have plateaus around W_max; the two flows converge "nicely around 220 seconds", very smooth; the link is used to 98 %, CUBIC having 78,
SACK 11, the background 9 %. Left open: buffer, start times, duration, background, and what plateaus and smooth mean.
"""

from __future__ import annotations

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.rhee2005._bench import background, host
from cwnd.metrics import curves, reductions
from cwnd.metrics.run import converged

TITLE = "Two CUBIC and two SACK flows, 500 Mbit/s, 100 ms, with background traffic"
CUBIC = "cubic-2005"
RATE_MBPS, RTT_MS = 500, 100
#: Unstated: a buffer of one BDP as in section III; the second CUBIC flow comes 50 s later, or nothing had to converge; SACK begins with the first.
LIMIT, STARTS = "1bdp", ("0s", "50s", "0s", "0s")
#: Unstated: the first 50 s, with one CUBIC flow, are not measured.
WARM_UP_S = 50
#: Plateaus: this much of the time above this part of W_max, the window before the last reduction. Smooth: one reduction to 0.8 within a second.
FLAT, PART, SMOOTH = 0.7, 0.9, 1.25


def grid(setup: Setup) -> list[Point]:
    end = setup.seconds(full=600, short=350)
    flows = [host(cc, RATE_MBPS, start=start) for cc, start in zip((setup.cubic, setup.cubic, "sack", "sack"), STARTS)]
    scenario = {
        "duration": f"{end:g}s",
        "measure": [f"{WARM_UP_S}s", f"{end:g}s"],
        "link": {"rate": f"{RATE_MBPS}Mbit/s", "rtt": f"{RTT_MS}ms", "queue": {"kind": "droptail", "limit": LIMIT}},
        "flow": flows,
        "traffic": background(),
    }
    return [Point("two and two", scenario, seeds=setup.seeds(full=10, short=2))]


def plateau(run: Result, flow: int, end: float) -> float:
    """Share of the samples above `PART` of the window before the last reduction, from the second reduction after the warm-up on."""
    times = reductions(run.events)[flow]
    times = times[times > WARM_UP_S]
    at = np.arange(times[1] + 0.3, end, 0.1) if len(times) > 1 else np.empty(0)
    windows, before = curves(run.cwnd, at)[flow], curves(run.cwnd, times - 0.15)[flow]
    last = before[np.searchsorted(times, at, side="right") - 1]
    return float(np.mean(windows >= PART * last)) if len(at) else 0.0


def reduce(run: Result, point: Point) -> Reduced:
    flows, (begin, end) = run.summary["flows"], run.scenario.measured_s
    shares = [flow["share"] for flow in flows]
    seconds = np.arange(0, end, 1)
    sent = curves(run.cwnd, np.append(seconds, end), "forwarded")
    mbps = [np.diff(sent[flow]) * 0.012 for flow in range(4)]
    later = [one[int(begin) + 10 :] for one in mbps[:2]]
    changes = [np.maximum(one[1:], one[:-1]) / np.maximum(1e-9, np.minimum(one[1:], one[:-1])) for one in later]
    return {
        "cubic": sum(shares[:2]),
        "sack": sum(shares[2:4]),
        "utilisation": run.summary["link"]["utilization"],
        "converged_s": converged(run, [0, 1]),
        "smooth": float(np.mean([np.mean(one <= SMOOTH) for one in changes])),
        "largest_change": float(max(one.max() for one in changes)),
        "plateau": float(np.mean([plateau(run, flow, end) for flow in (0, 1)])),
        "cwnd": [one.round(1) for one in curves(run.cwnd, np.arange(0, end, 1)).values()][:4],
    }


def claims(results: Results) -> dict[str, Answer]:
    key = "two and two"
    changes, flat = results.values(key, "largest_change"), results.values(key, "plateau")
    return {
        "plateaus": Held(
            f"at least {100 * FLAT:.0f} % of the time the window is above {PART} of that before the last reduction",
            [one >= FLAT for one in flat],
            flat,
        ),
        "convergence-time": Measured(results.values(key, "converged_s"), "From the second flow's start."),
        "smooth": Held(
            f"from one second to the next neither flow's throughput changes by more than a factor of {SMOOTH}",
            [one <= SMOOTH for one in changes],
            changes,
        ),
        "utilisation": Measured(results.values(key, "utilisation")),
        "cubic-share": Measured(results.values(key, "cubic")),
        "sack-share": Measured(results.values(key, "sack")),
        "background-share": Measured(results.at(key, lambda run: run["utilisation"] - run["cubic"] - run["sack"])),
    }


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 7)
    run = results["two and two"][0]
    for axes, until in zip(figure.subplots(2, 1), (100, len(run["cwnd"][0]))):
        for number, window in enumerate(run["cwnd"]):
            label = ("CUBIC 1", "CUBIC 2", "TCP-SACK 1", "TCP-SACK 2")[number]
            axes.plot(window[:until], linewidth=1.1, linestyle=("-", "--", "-.", ":")[number], label=label)
        top = max(max(window[20:until]) for window in run["cwnd"])
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, until), ylim=(0, 1.1 * top))
    figure.axes[0].legend(ncols=4, fontsize="small")


WHY = {
    "smooth": "fig3_4-smooth.md",
    ("convergence-time", "plateaus"): "fig3_4-convergence-time.md",
}
