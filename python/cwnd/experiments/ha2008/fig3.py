# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 3: average window against loss rate of standard TCP, HSTCP (both from RFC 3649) and CUBIC (equations 6 and 4), RTT 10 and 100 ms.

The figure is computed. Measured beside it: a flow that loses every 1/p-th packet, without delayed acknowledgements, from the formula's own
window on. CUBIC also from slow start and with fast convergence, where the mean depends on history. Left open: the range of the axes, and
everything that a measurement needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cwnd.experiments import Answer, Figure, Held, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.ha2008._losses import kept, lossy

TITLE = "Response functions of standard TCP, HSTCP and CUBIC at 10 and 100 ms"
CUBIC = "cubic-2.2"
C = 0.4
RTTS_MS = (10, 100)
#: RFC 3649, equations 2 and 7 (section 5): standard TCP, and HSTCP below the loss rate at which it leaves standard TCP.
TCP = 1.2
HSTCP, HSTCP_POWER, HSTCP_P = 0.12, 0.835, 1e-3
AXIS = np.logspace(-7, -1, 121)
ALL, SOME = (100, 1_000, 10_000, 100_000, 1_000_000), (100, 1_000, 10_000, 100_000)
#: Losses, of which the first fifth is not measured; window at a loss over the mean one.
EPOCHS = 40
PEAK = {"tcp": 4 / 3, "hstcp": 1.2}


def formula(name: str, p: float, rtt_s: float, beta: float = 0.2) -> float:
    """The figure's average window, packets."""
    tcp: float = TCP / p**0.5
    if name == "hstcp":
        return float(HSTCP / p**HSTCP_POWER) if p < HSTCP_P else tcp
    cubic = (C * (4 - beta) / (4 * beta) * (rtt_s / p) ** 3) ** 0.25 if name == "cubic" else 0
    return float(max(tcp, cubic))


def grid(setup: Setup) -> list[Point]:
    beta = 1 - kept(setup.cubic)
    flows: dict[str, dict[str, Any]] = {
        "tcp": {"cc": "sack"},
        "hstcp": {"cc": "highspeed"},
        "cubic": {"cc": setup.cubic, "fast_convergence": False},
    }

    def point(name: str, packets: int, rtt: int, history: str = "") -> Point:
        mean = formula(name, 1 / packets, rtt / 1e3, beta)
        peak = round(mean * PEAK.get(name, 4 / (4 - beta)))
        flow = flows[name] | ({"fast_convergence": True} if history == "with fast convergence" else {})
        count = EPOCHS if packets < 1_000_000 else EPOCHS // 2
        seconds = count * packets / mean * rtt / 1e3
        lost = [peak + n * packets for n in range(2 * count)]
        scenario = lossy(
            flow,
            rtt,
            lost,
            seconds,
            window=None if history == "from slow start" else peak,
            record={"per_ack": False, "interval": "0s"},
        )
        scenario["measure"] = [f"{seconds / 5:.3f}s", f"{seconds:.3f}s"]
        return Point(
            f"{name}, {rtt} ms, 1/{packets}" + (f", {history}" if history else ""),
            scenario,
            info={"name": name, "rtt": rtt, "packets": packets, "mean": mean, "history": history},
        )

    points = [point(name, n, rtt) for name in flows for rtt in RTTS_MS for n in setup.pick(ALL, SOME)]
    return points + [
        point("cubic", n, 100, history) for n in SOME[1:] for history in ("from slow start", "with fast convergence")
    ]


def reduce(run: Result, point: Point) -> Reduced:
    mean = run.summary["flows"][0]["cwnd_mean"]
    return {"mean": mean, "ratio": mean / point.info["mean"]}


def claims(results: Results) -> dict[str, Answer]:
    def ratios(name: str) -> Measured:
        chosen = (p.key for p in results.points.values() if p.info["name"] == name and not p.info["history"])
        return Measured({key: results.values(key, "ratio") for key in chosen})

    p, rtt_s = 1e-6, 0.01
    tcp, cubic, hstcp = (formula(name, p, rtt_s) for name in ("tcp", "cubic", "hstcp"))
    beside = {
        f"{rtt} ms, p = {one:.1e}": formula("cubic", one, rtt / 1e3) / formula("hstcp", one, rtt / 1e3)
        for rtt in RTTS_MS
        for one in AXIS
    }
    worst = max(beside, key=lambda key: beside[key])
    return {
        "tcp-window": Measured(tcp),
        "tcp-rate": Measured(tcp * 1500 * 8 / rtt_s / 1e9),
        "cubic-equals-tcp": Held(
            "the figure's average windows are equal within 0.1 %", abs(cubic / tcp - 1) <= 1e-3, cubic / tcp
        ),
        "hstcp-tenfold": Measured(hstcp / tcp),
        "cubic-not-above-hstcp": Measured(beside[worst], f"largest at {worst}"),
        "measured-tcp": ratios("tcp"),
        "measured-hstcp": ratios("hstcp"),
        "measured-cubic": ratios("cubic"),
        "history-distance": Measured(
            {key: results.values(key, "ratio") for key, point in results.points.items() if point.info["history"]}
        ),
    }


def plot(results: Results, figure: Figure) -> None:
    figure.set_size_inches(6.4, 7.2)
    for axes, rtt in zip(figure.subplots(2, 1), RTTS_MS):
        for name, label, marker, dash in zip(
            ("tcp", "hstcp", "cubic"), ("TCP", "HSTCP", "CUBIC"), "os^", ("--", ":", "-")
        ):
            (line,) = axes.loglog(AXIS, [formula(name, p, rtt / 1e3) for p in AXIS], dash, label=label)
            at = [
                p
                for p in results.points.values()
                if (p.info["name"], p.info["rtt"], p.info["history"]) == (name, rtt, "")
            ]
            axes.plot(
                [1 / p.info["packets"] for p in at],
                [results.mean(p.key, "mean") for p in at],
                marker,
                color=line.get_color(),
                markersize=4,
            )
        axes.set(title=f"RTT {rtt} ms", xlabel="loss rate p", ylabel="average window (packets)")
        axes.legend()


WHY = {"measured-tcp": "fig3.md"}
