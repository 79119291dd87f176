# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section 4.2, CUBIC's hooks: what a timeout resets, what undo returns, what an initial ssthresh is good for.

Called one by one, in the module's integer form (Linux 2.6.22, `cubic-2.1`) and in that of Algorithm 1. By the text undo returns max(cwnd, last_max),
"which is the congestion window before the drop". After fast convergence last_max is 0.9 of it by Algorithm 1, and 0.8 of it by section 4.2's own
`recalc_ssthresh`. Left open: what a well-set initial ssthresh is (ours: half of what link and buffer hold, and the BDP) and on which path.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cwnd import _native
from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup

TITLE = "What a timeout resets, what undo returns, and start-up with an initial ssthresh"
CUBIC = None
FORMS = {"Linux 2.6.22": "cubic-2.1", "Algorithm 1": "cubic-2.2"}
#: Inner variables that cubic_reset() sets to 0, by the names that each form has for them.
RESET = {
    "cubic-2.1": ("last_max", "origin", "k_s_x1024", "w_tcp", "epoch_start_ticks"),
    "cubic-2.2": ("w_max", "origin", "k_s_x1024", "in_epoch"),
}
RTT_US = 100_000
LOSS = 4
#: Unstated: the path, with one BDP of buffer; the algorithm that starts up.
MBPS, RTT_MS, START = 100, 100, "cubic-2.2"
BDP = MBPS * RTT_MS * 1000 // 8 // 1500
SSTHRESH = {"not set": 0, "set to the BDP": BDP, "set to twice the BDP": 2 * BDP}


def grid(setup: Setup) -> list[Point]:
    calls = [
        Point(f"{name}, {form}", call=called, args=(cc, losses))
        for form, cc in FORMS.items()
        for losses, name in enumerate(("timeout", "first loss", "second loss"))
    ]

    def scenario(ssthresh: int) -> dict[str, Any]:
        start = {"initial_ssthresh": ssthresh} if ssthresh else {}
        return {
            "duration": "40s",
            "link": {
                "rate": f"{MBPS}Mbit/s",
                "rtt": f"{RTT_MS}ms",
                "queue": {"kind": "droptail", "limit": "1bdp"},
            },
            "flow": [{"cc": START, "overhead": "120us", **start}],
            "record": {"interval": "50ms"},
        }

    seeds = setup.seeds(full=10, short=5)
    return calls + [Point(f"start, {name}", scenario(ssthresh), seeds=seeds) for name, ssthresh in SSTHRESH.items()]


def called(cc: str, losses: int) -> Reduced:
    """What undo returns after one loss, or after a second below the first (fast convergence); or what a timeout leaves."""
    hooks = _native.Hooks(cc)
    for name, value in (("cwnd", 200), ("ssthresh", 200), ("now_us", 10_000_000)):
        hooks.set(name, value)
    hooks.init()
    hooks.fill()

    def rounds(count: int) -> None:
        for _ in range(count):
            for _ in range(hooks.get("cwnd")):
                hooks.set("now_us", hooks.get("now_us") + RTT_US // hooks.get("cwnd"))
                hooks.ack(1, RTT_US)

    rounds(10)
    for _ in range(losses):
        before = hooks.get("cwnd")
        hooks.loss()
        after, memory = hooks.get("cwnd"), hooks.get(RESET[cc][0])
        rounds(5 if losses > 1 else 0)
    if losses == 0:
        hooks.loss()
        rounds(5)
        hooks.ssthresh()
        hooks.set_state(LOSS)
        left = {name: hooks.get(name) for name in RESET[cc]}
        names = ", ".join(f"{name} {value}" for name, value in left.items() if value)
        return {"left": sum(map(bool, left.values())), "names": names} | (
            {"delay_min": hooks.get("min_rtt_ticks")} if cc == FORMS["Linux 2.6.22"] else {}
        )
    return {"before": before, "after": after, "memory": memory, "undo": hooks.undo_cwnd()}


def reduce(run: Result, point: Point) -> Reduced:
    rows, seconds = run.cwnd, np.arange(0, run.scenario.duration_s, 0.5)
    carried = np.diff(np.interp(seconds, rows["time_s"].to_numpy(), rows["delivered"].to_numpy().astype(float)))
    # Goodput in means of half a second, from the first that is at least 0.9 of the capacity and stays so for five seconds.
    full = carried * 2 * 1500 * 8 / 1e6 >= 0.9 * MBPS
    stays = [seconds[n + 1] for n in range(len(full) - 10) if full[n : n + 10].all()]
    return {"start_up_s": float(stays[0]) if stays else math.inf, "cwnd": rows["cwnd"].to_numpy()[:400]}


def claims(results: Results) -> dict[str, Answer]:
    first, second, timeout = (
        {form: results[f"{name}, {form}"][0] for form in FORMS} for name in ("first loss", "second loss", "timeout")
    )
    linux = timeout["Linux 2.6.22"]
    left = "; ".join(f"{form}: {run['names'] or 'nothing'} left" for form, run in timeout.items())
    return {
        "timeout-resets-all": Held(
            "in the module's form every inner variable of cubic_reset() is 0", linux["left"] == 0, linux["left"], left
        ),
        "timeout-resets-delay-min": Held(
            "in the module's form the minimum delay is 0", linux["delay_min"] == 0, linux["delay_min"]
        ),
        "undo-value": Held(
            "in both forms undo after a first loss returns max(cwnd, last_max), and that is the window before the drop",
            all(run["undo"] == max(run["after"], run["memory"]) == run["before"] for run in first.values()),
            first["Linux 2.6.22"]["undo"],
        ),
        "undo-after-fast-convergence": Measured(
            {f"literal, {form}": max(run["after"], run["memory"]) / run["before"] for form, run in second.items()}
            | {f"as it is, {form}": run["undo"] / run["before"] for form, run in second.items()}
        ),
        "initial-ssthresh": Measured(results.ratio("start, set to the BDP", "start, not set", "start_up_s")),
    }


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    for name, dash in zip(SSTHRESH, ("-", "--", ":")):
        window = results[f"start, {name}"][0]["cwnd"]
        label = f"initial ssthresh {name}: {results.mean(f'start, {name}', 'start_up_s'):.1f} s"
        axes.plot([0.05 * n for n in range(len(window))], window, linestyle=dash, label=label)
    axes.set(xlabel="time (s)", ylabel="cwnd (packets)", xlim=(0, 20), ylim=(0, None))
    axes.legend()
