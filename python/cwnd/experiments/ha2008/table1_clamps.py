# SPDX-License-Identifier: MIT OR Apache-2.0
"""Table 1, the clamps: CUBIC 2.0 (increase clamped throughout, initial ssthresh), 2.1 (in the convex region only), 2.2 (nowhere).

"Clamped the maximum window increment to 32 packets per RTT"; 2.1 "enhances the scalability of CUBIC over very large BDP network paths" and starts
up faster, 2.2 "improves its convergence speed while maintaining its fairness and TCP friendliness". The three are the kernel's integer form
with the clamp of the text and nothing else changed. Left open: the path (ours: 400 Mbit/s, 320 ms, one BDP of buffer), and every number.
After a first look, runs that had not come to their end were lengthened: 720 s for 420 (joins), 180 s for 120 (freed).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.metrics import jain
from cwnd.metrics.run import DEFAULT, converged

TITLE = "CUBIC 2.0, 2.1 and 2.2 on 400 Mbit/s, 320 ms: what the clamps change"
CUBIC = None
CLAMP = {"max_increment": 10}
FORMS: dict[str, dict[str, Any]] = {
    "2.0": {"cc": "cubic-2.0", **CLAMP},
    "2.1": {"cc": "cubic-2.1", **CLAMP},
    "2.2": {"cc": "cubic-2.1", "clamp": "off"},
}
MBPS, RTT_S = 400, 0.32
BDP = round(MBPS * 1e6 * RTT_S / 8 / 1500)
ALONE = {"uniform": ["60s", "90s"]}
FREED_S = 40


def grid(setup: Setup) -> list[Point]:
    def scenario(
        flows: list[dict[str, Any]], seconds: float, loss: int = 0, more: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        queue = {"kind": "droptail", "limit": "1bdp"}
        link = {"rate": f"{MBPS}Mbit/s", "rtt": f"{1e3 * RTT_S:g}ms", "queue": queue}
        return {
            "duration": f"{seconds:g}s",
            "link": link | ({"loss": f"at:{loss}"} if loss else {}),
            "flow": [{**flow, "overhead": "30us"} for flow in flows],
            "record": {"interval": "100ms"},
            **(more or {}),
        }

    points = []
    full, joined = setup.seeds(full=10, short=2), setup.seconds(full=1200, short=720)
    for version, form in FORMS.items():
        whole = {**form, "initial_cwnd": BDP, "initial_ssthresh": BDP}
        half = {**form, "initial_cwnd": BDP // 2, "initial_ssthresh": BDP // 2}
        datagrams = [{"model": "udp", "rate": f"{MBPS // 2}Mbit/s", "stop": f"{FREED_S}s"}]
        shared = [{**flow, "count": 2, "start": {"uniform": ["0s", "10s"]}} for flow in (form, {"cc": "sack"})]
        begin, end = 60, setup.seconds(full=600, short=150)
        points += [
            Point(f"regain, {version}", scenario([whole], 60, 2 * BDP)),
            Point(f"freed, {version}", scenario([half], 180, more={"traffic": datagrams})),
            Point(f"start, {version}", scenario([form], 90)),
            Point(
                f"shared, {version}", scenario(shared, end, more={"measure": [f"{begin}s", f"{end:g}s"]}), seeds=full
            ),
        ]
        if version != "2.0":
            points.append(Point(f"joins, {version}", scenario([form, {**form, "start": ALONE}], joined), seeds=full))
    return points


def reduce(run: Result, point: Point) -> Reduced:
    kind = point.key.partition(",")[0]
    rows, flows = run.cwnd, run.summary["flows"]
    if kind == "joins":
        return {"converged_s": converged(run) + DEFAULT.interval_s}
    if kind == "shared":
        return {
            "jain": jain([flow["throughput_mbps"] for flow in flows[:2]]).value,
            "sack": sum(flow["share"] for flow in flows[2:]),
        }
    time, window = rows["time_s"].to_numpy(), rows["cwnd"].to_numpy().astype(float)
    shown = {"cwnd": window[::5]}
    if kind == "start":
        # Goodput in means of a second, from the first that is at least 0.9 of the capacity and stays so for ten.
        carried = np.diff(np.interp(np.arange(0, 90), time, rows["delivered"].to_numpy().astype(float)))
        full = carried * 1500 * 8 / 1e6 >= 0.9 * MBPS
        stays = [second for second in range(len(full) - 10) if full[second : second + 10].all()]
        return {"start_up_s": float(stays[0] + 1) if stays else math.inf, **shown}
    begun = [row["time_s"] for row in run.events.to_pylist() if row["kind"] == "state" and row["value"] == 3]
    losses = [(at, float(window[np.searchsorted(time, at) - 1])) for at in begun]
    if kind == "regain":
        lost, w_max = losses[0]
        reached = time[(time > lost + RTT_S) & (window >= w_max)]
        return {"regain_s": float(reached[0] - lost) if len(reached) else math.inf, "w_max": w_max, **shown}
    # The last loss before the datagrams stop, the first crossing of its window after that, and one and a half times that.
    w_max = [size for at, size in losses if at < FREED_S][-1]
    later = time > FREED_S
    begin, end = (time[later & (window >= part * w_max)][0] for part in (1, 1.5))
    return {"growth": float(0.5 * w_max / (end - begin)), "w_max": w_max, **shown}


def claims(results: Results) -> dict[str, Answer]:
    def ratio(kind: str, new: str, old: str, name: str) -> Measured:
        return Measured(results.ratio(f"{kind}, {new}", f"{kind}, {old}", name))

    def change(new: str, old: str, name: str) -> Measured:
        return Measured(results.each(lambda run: run[f"shared, {new}"][name] - run[f"shared, {old}"][name]))

    late, early = (results.values(f"joins, {version}", "converged_s") for version in ("2.2", "2.1"))
    pairs = [1.0 if a == b else a / b if math.isfinite(b) else 0.0 for a, b in zip(late, early)]
    return {
        "regain-2-2-to-2-1": ratio("regain", "2.2", "2.1", "regain_s"),
        "regain-2-1-to-2-0": ratio("regain", "2.1", "2.0", "regain_s"),
        "convex-growth": ratio("freed", "2.2", "2.1", "growth"),
        "convergence": Measured(pairs),
        "start-up": ratio("start", "2.1", "2.0", "start_up_s"),
        "fairness-2-1": change("2.1", "2.0", "jain"),
        "sack-share-2-1": change("2.1", "2.0", "sack"),
        "fairness-2-2": change("2.2", "2.1", "jain"),
        "sack-share-2-2": change("2.2", "2.1", "sack"),
    }


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 7.2)
    titles = {"regain": "after one loss", "freed": f"half the link freed at {FREED_S} s", "start": "start-up"}
    for axes, (kind, title) in zip(figure.subplots(3, 1), titles.items()):
        for version, dash in zip(FORMS, ("-", "--", ":")):
            window = results[f"{kind}, {version}"][0]["cwnd"]
            axes.plot([0.5 * n for n in range(len(window))], window, linestyle=dash, label=f"CUBIC {version}")
        axes.set(title=title, ylabel="cwnd (packets)", xlim=(0, None), ylim=(0, 25_000))
    axes.set_xlabel("time (s)")
    figure.axes[0].legend(ncols=3)


WHY = {("fairness-2-1", "sack-share-2-1", "sack-share-2-2"): "table1_clamps.md"}
