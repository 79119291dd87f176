# SPDX-License-Identifier: MIT OR Apache-2.0
"""Section C: CUBIC is said to be TCP-friendly when the epoch is shorter than 1/√(C·RTT), or the loss rate above 0.36·C·RTT³.

One flow alone that loses every 1/p-th packet, at rates around the bound, beside standard TCP. The proof is omitted there, the two bounds differ (an epoch of
1/√(C·RTT) is p = 0.21·C·RTT³), and by CUBIC's response function its window equals TCP's at 2.1·C·RTT³: so the
bound as printed is expected not to hold. Left open: how losses fall; delayed acknowledgements are off.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from cwnd.experiments import Answer, Figure, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.rhee2005._response import mean_window, started

TITLE = "Where CUBIC leaves the window of TCP: loss rates around 0.36·C·RTT³"
CUBIC = "cubic-2005"
C, BOUND, FRIENDLY = 0.4, 0.36, 1.1
#: Multiples of the bound on p; short of it, at 10 ms only the larger ones (a loss every seven million packets is long).
MULTIPLES = (0.5, 0.71, 1.01, 1.41, 2, 2.83, 4, 5.66, 8, 16)
RTTS, SHORT_FROM, LOSSES = (10, 50, 100, 200), 2.83, 12
#: Around HSTCP's edge: loss periods a tenth apart.
EDGE_PERIODS = tuple(round(400 * 1.1**k) for k in range(19))


def grid(setup: Setup) -> list[Point]:
    points = []
    for rtt in RTTS:
        bound = BOUND * C * (rtt / 1000) ** 3
        for multiple in MULTIPLES:
            if rtt == RTTS[0] and not setup.full and multiple < SHORT_FROM:
                continue
            period = round(1 / (multiple * bound))
            if period < 10:
                continue
            info = {"rtt": rtt, "multiple": multiple, "period": period}
            losses = LOSSES if period < 1_000_000 else 6
            points += [
                Point(f"{name}, {rtt} ms, {multiple:g}", started(cc, period, rtt, losses), info=info | {"name": name})
                for name, cc in (("cubic", setup.cubic), ("sack", "sack"))
            ]
    for period in EDGE_PERIODS:
        info = {"rtt": 100, "period": period}
        points += [
            Point(f"{name}, edge, {period}", started(cc, period, 100, 60), info=info | {"name": name})
            for name, cc in (("hstcp", "highspeed"), ("hstcp's sack", "sack"))
        ]
    return points


def reduce(run: Result, point: Point) -> Reduced:
    return mean_window(run)


def ratios(results: Results, rtt: int) -> dict[float, float]:
    """CUBIC's mean window over TCP's, by multiples of the bound."""
    cubic = [p for p in results.points.values() if p.info["name"] == "cubic" and p.info["rtt"] == rtt]
    return {p.info["multiple"]: results.ratio(p.key, p.key.replace("cubic", "sack"), "mean")[0] for p in cubic}


def edge(found: dict[float, float]) -> float:
    """From low loss rates up, where the window first is no more than 1.1 that of TCP, on a line of logarithms between points."""
    ordered = sorted(found.items())
    for (low, high), (next_low, next_high) in pairwise(ordered):
        if high > FRIENDLY >= next_high:
            return float(low * (next_low / low) ** (np.log(high / FRIENDLY) / np.log(high / next_high)))
    return ordered[0][0] if ordered[0][1] <= FRIENDLY else np.inf


def claims(results: Results) -> dict[str, Answer]:
    above, short, edges = {}, {}, {}
    for rtt in RTTS:
        found = ratios(results, rtt)
        epoch_bound = 1 / (C * rtt / 1000) ** 0.5
        for multiple, ratio in found.items():
            key = f"cubic, {rtt} ms, {multiple:g}"
            if multiple > 1:
                above[f"{rtt} ms, p = {multiple:g} x bound"] = ratio
            if results.mean(key, "epoch_s") < epoch_bound:
                short[f"{rtt} ms, epoch {results.mean(key, 'epoch_s') / epoch_bound:.2f} x bound"] = ratio
        edges[f"{rtt} ms"] = BOUND * edge(found)
    hstcp = {1 / n: results.ratio(f"hstcp, edge, {n}", f"hstcp's sack, edge, {n}", "mean")[0] for n in EDGE_PERIODS}
    return {
        "bound-100ms": Measured(BOUND * C * 0.1**3),
        "hstcp-edge": Measured(edge(hstcp), f"Where its mean window falls to {FRIENDLY} that of TCP."),
        "above-p-bound": Measured(above),
        "below-epoch-bound": Measured(short),
        "measured-edge": Measured(edges, f"Where the window is {FRIENDLY} that of TCP, in C RTT³."),
    }


def plot(results: Results, figure: Figure) -> None:
    axes = figure.subplots()
    for rtt, marker in zip(RTTS, "osD^"):
        found = ratios(results, rtt)
        axes.semilogx(
            [BOUND * one for one in found], list(found.values()), marker=marker, fillstyle="none", label=f"{rtt} ms"
        )
    axes.axhline(FRIENDLY, color="black", linewidth=0.8, linestyle=":")
    axes.axvline(BOUND, color="black", linewidth=0.8, linestyle="--", label="bound as printed")
    axes.set(xlabel="loss rate (C·RTT³)", ylabel="mean window, CUBIC / TCP", ylim=(0, None))
    axes.minorticks_off()
    axes.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
    axes.legend()


WHY = {
    ("above-p-bound", "below-epoch-bound"): "secc_edge.md",
}
