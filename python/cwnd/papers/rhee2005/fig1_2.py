# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

import numpy as np

from cwnd.metrics import reductions
from cwnd.metrics.curve import rising
from cwnd.metrics.trace import growth
from cwnd.papers.rhee2005.setups.simulation import flow_with_losses
from cwnd.papers.rhee2005.setups.single_flow import AfterLoss, bic_properties, curve, second_differences
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.forms import recorded

#: Unstated: a window at which the clamp of 160 packets per second is not in force (below 3080), K = 10 s, and one at which it is.
W_MAX, FAR, RTT_MS = 2000, 10_000, 100
RTTS = (10, 50, 100, 200)


class Fig1_2(Experiment[AfterLoss]):
    """Figures 1 and 2: the growth functions of BIC and of CUBIC after one loss, and the effect of S_max on CUBIC's.

    BIC's constants are not given; those of its own paper are used. Windows are whole packets, and one loss is repaired within a round trip, so the
    criteria allow a packet and a round trip. The time t of equation 1 counts from the reduction. Left open: W_max, round trip.
    """

    title = "Windows of BIC and CUBIC after one loss; CUBIC under its clamp at four RTTs"
    cubic = "cubic-2005"

    def grid(self, setup: Setup) -> list[Point]:
        def point(key: str, cc: str, window: int, rtt: float, end: float, kind: str) -> Point:
            scenario = flow_with_losses(cc, window, rtt, end, "at:500")
            record = {
                "interval": f"{rtt / 10:g}ms",
                "inner": ["last_max"] if kind == "bic" else recorded(setup.cubic, "w_max"),
            }
            return Point(key, {**scenario, "record": record}, info={"kind": kind, "rtt": rtt})

        far = [point(f"far, {rtt} ms", setup.cubic, FAR, rtt, 5, "far") for rtt in RTTS]
        bic = point("bic", "bic-2004", W_MAX, RTT_MS, 5, "bic")
        return [bic, point("cubic", setup.cubic, W_MAX, RTT_MS, 20, "cubic"), *far]

    def reduce(self, run: Result, point: Point) -> AfterLoss:
        time, window = run.cwnd["time_s"].to_numpy(), run.cwnd["cwnd"].to_numpy().astype(float)
        at = float(reductions(run.events)[0][0])
        # As the algorithm remembers it: the window may have grown between loss and reduction.
        largest = float(run.inner["value"][-1].as_py())
        # Two round trips after the reduction: repaired, and growing.
        rtt = point.number("rtt") / 1000
        after = time >= at + 2 * rtt - 1e-9
        steps = 1 if point.info["kind"] == "bic" else 5
        # Windows grow when acknowledgements arrive, once per round trip: whole round trips, between two steps.
        slope = growth(time, window, at + 1.5 * rtt + 1, 3) if point.info["kind"] == "far" else None
        return AfterLoss(
            w_max=largest,
            kept=float(window[time > at].min()),
            time_s=(time[after] - at)[::steps].round(6).tolist(),
            cwnd=window[after][::steps].tolist(),
            slope=slope,
        )

    def claims(self, results: Results[AfterLoss]) -> dict[str, Answer]:
        run = results["cubic"][0]
        # K by equation 1, with the part given up as it was.
        top, time, window = curve(run)
        k = ((top - run.kept) / 0.4) ** (1 / 3)
        concave, convex = (
            second_differences(time, window, k / 10, k, k / 10),
            second_differences(time, window, k, 1.8 * k, k / 10),
        )
        flat = (time >= 0.64 * k) & (time <= 1.36 * k)
        slopes = {f"{rtt} ms": results.values(f"far, {rtt} ms", "slope") for rtt in RTTS}
        return {
            **bic_properties(results["bic"][0], RTT_MS / 1000),
            "cubic-concave": Holds(
                "up to K no second difference over steps of K/10 is above 1 packet, and their sum is negative",
                bool((concave <= 1).all() and concave.sum() < 0),
            ),
            "cubic-convex": Holds(
                "from K to 1.8 K no second difference over steps of K/10 is below -1 packet, and their sum is positive",
                bool((convex >= -1).all() and convex.sum() > 0),
            ),
            "cubic-at-k": Measured(float(np.interp(k, time, window)) - top),
            "cubic-plateau": Measured(float(abs(window[flat] - top).max() / top)),
            "smax-linear": Measured(slopes),
            "smax-short-rtt": Holds(
                "growth per round trip rises from each RTT to the next",
                [rising(slopes[f"{rtt} ms"][0] * rtt / 1000 for rtt in RTTS)],
            ),
        }

    def plot(self, results: Results[AfterLoss], figure: Figure) -> None:
        figure.set_size_inches(6.4, 8)
        names, dashes = {"bic": "BIC", "cubic": "CUBIC"}, ("-", "--", "-.", ":")
        for axes, kind in zip(figure.subplots(3, 1), ("bic", "cubic", "far")):
            for key, dash in zip(results.where(kind=kind), dashes):
                (run,) = results[key]
                axes.plot(run.time_s, run.cwnd, label=names.get(key, key.removeprefix("far, ")), linestyle=dash)
            axes.axhline(run.w_max, color="black", linewidth=0.8, linestyle=":")
            axes.annotate("W_max", (0, run.w_max), xytext=(4, 2), textcoords="offset points")
            axes.set(ylabel="window (packets)")
            axes.legend(loc="lower right")
        axes.set(xlabel="time since the reduction (s)")
