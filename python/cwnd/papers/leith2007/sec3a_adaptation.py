# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section III.A and IV.C: the adaptation of W_max, which the CUBIC of 2005 does not have, improves the convergence rate.

Two flows, the second later, as in figure 2 (no web traffic: their losses are nearly synchronised). Left open: the set-up. The two versions
differ in more than the adaptation (clamp, start, what is counted), so the later one runs without it too.
"""

from __future__ import annotations

import numpy as np

from cwnd.metrics import rates
from cwnd.metrics.run import converged
from cwnd.papers.leith2007.setups import testbed, two_flows
from cwnd.reproduce import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup

TITLE = "Two flows, the second later: with the adaptation of W_max, without it, and the CUBIC of 2005"
CUBIC, SECOND = "cubic-2.0", "cubic-2.6.18"
#: Unstated: two of figure 2's rates, Mbit/s.
RATES = (10, 250)
FORMS = {"adapting": "as it is", "fixed": "without the adaptation", "2005": "CUBIC of 2005"}


def grid(setup: Setup) -> list[Point]:
    end = setup.seconds(full=3000, short=1500)
    flows = {
        "adapting": two_flows(setup.cubic),
        "fixed": two_flows(setup.cubic, fast_convergence=False),
        "2005": two_flows("cubic-2005"),
    }
    seeds = setup.seeds(full=10, short=2)
    return [Point(f"{form}, {rate}", testbed(rate, end, flows[form]), seeds=seeds) for rate in RATES for form in FORMS]


def reduce(run: Result, point: Point) -> Reduced:
    since, end = run.summary["flows"][1]["start_s"], run.scenario.duration_s
    mbps = rates(run.cwnd, packet_bytes=run.scenario.packet_bytes, interval_s=10, begin_s=since, end_s=end).mbps
    # Not converged within the run: it took longer than what was left of it.
    return {"seconds": min(converged(run), end - since), "share": (mbps[1] / mbps.sum(axis=0)).round(4)}


def claims(results: Results) -> dict[str, Answer]:
    ratios = {f"{rate} Mbit/s": results.ratio(f"adapting, {rate}", f"2005, {rate}", "seconds") for rate in RATES}
    return {"sooner": Measured(ratios, "a run that does not converge counts with its whole length")}


def plot(results: Results, figure: Figure) -> None:
    from cwnd.plot import DASHES

    figure.set_size_inches(6.4, 6.0)
    panels = figure.subplots(2, 1, sharex=True)
    for axes, rate in zip(panels, RATES):
        for (form, label), dash in zip(FORMS.items(), DASHES):
            share = 100 * np.array(results[f"{form}, {rate}"][0]["share"])
            axes.plot(10 * np.arange(len(share)) + 5, share, linestyle=dash, label=label)
        axes.set(title=f"{rate} Mbit/s", ylabel="second flow's share (%)", ylim=(0, 100), xlim=(0, None))
        axes.axhline(50, color="0.5", linewidth=0.8)
    panels[1].set_xlabel("time after the second start (s)")
    panels[0].legend(ncols=3)
