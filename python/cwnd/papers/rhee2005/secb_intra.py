# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cwnd.metrics import curves, reductions
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: link, and windows that fill it and its buffer of one BDP (833 packets each).
RATE_MBPS, RTT_MS, WINDOWS = 100, 100, (1250, 417)
END_S = 1200
#: Losses this close count as one; growth is measured from one to three seconds after it; the end is the last tenth of the common losses.
COMMON_S, GROWTH_S, EQUAL = 0.5, (1, 3), 1.25


@dataclass(frozen=True, slots=True)
class SecbIntraNumbers:
    """What a run is reduced to."""

    common_share: float
    at_s: list[float]
    windows: list[list[float]]
    k: list[list[float]]
    growth: list[list[float]]
    share: list[list[float]]
    time_s: list[float]
    cwnd: list[list[float]]


class SecbIntra(Experiment[SecbIntraNumbers]):
    """Section B: two CUBIC flows that lose at the same times converge, because the larger one has the larger K.

    Two flows with the same round trip start with unequal windows and share a DropTail queue without randomness, so most losses hit both. Left open:
    rate, round trip, buffer, windows at the start. "Converged" is read as: at the last common losses, the larger window is at most 1.25 times the smaller.
    """

    title = "Two CUBIC flows with common losses and windows of 3 to 1 at the start: windows, K, growth"
    cubic = "cubic-2005"

    def grid(self, setup: Setup) -> list[Point]:
        flows: Sequence[JsonObject] = [
            {"cc": setup.cubic, "ack_every": 1, "initial_cwnd": window, "initial_ssthresh": window}
            for window in WINDOWS
        ]
        link: JsonObject = {
            "rate": f"{RATE_MBPS}Mbit/s",
            "rtt": f"{RTT_MS}ms",
            "queue": {"kind": "droptail", "limit": "1bdp"},
        }
        record: JsonObject = {"interval": "100ms", "inner": ["k_s_x1024"]}
        return [Point("two", {"duration": f"{END_S}s", "link": link, "flow": flows, "record": record})]

    def reduce(self, run: Result, point: Point) -> SecbIntraNumbers:
        times = reductions(run.events)
        near = [min(abs(times[1] - time)) <= COMMON_S for time in times[0]]
        common = times[0][near]
        common = common[(np.diff(common, append=np.inf) > GROWTH_S[1]) & (common > 1)]
        before, early, late = (curves(run.cwnd, common + after) for after in (-0.2, *GROWTH_S))
        inner = run.inner
        flow, when, value = (inner[name].to_numpy() for name in ("flow", "time_s", "value"))
        ks = [np.interp(common + GROWTH_S[0], when[flow == each], value[flow == each] / 1024) for each in (0, 1)]
        seconds = GROWTH_S[1] - GROWTH_S[0]
        every = np.arange(0.0, END_S, 2.0)
        return SecbIntraNumbers(
            common_share=len(common) / max(len(times[0]), len(times[1])),
            at_s=common.round(2).tolist(),
            windows=[before[each].round(1).tolist() for each in (0, 1)],
            k=[k.round(4).tolist() for k in ks],
            growth=[((late[each] - early[each]) / seconds).round(3).tolist() for each in (0, 1)],
            share=[((late[each] - early[each]) / seconds / early[each]).round(6).tolist() for each in (0, 1)],
            time_s=every.tolist(),
            cwnd=[window.round(1).tolist() for window in curves(run.cwnd, every).values()],
        )

    def claims(self, results: Results[SecbIntraNumbers]) -> dict[str, Answer]:
        run = results["two"][0]
        windows = np.array(run.windows)
        ratio = windows.max(axis=0) / windows.min(axis=0)
        end = float(ratio[-len(ratio) // 10 :].mean())
        # While there is a larger one.
        apart, larger = ratio > EQUAL, windows.argmax(axis=0)
        indices = np.flatnonzero(apart)

        def of(name: str, other: bool) -> list[float]:
            values: list[list[float]] = getattr(run, name)
            return [values[larger[index] ^ other][index] for index in indices]

        def two(name: str) -> dict[str, float]:
            return {"larger": float(np.mean(of(name, other=False))), "smaller": float(np.mean(of(name, other=True)))}

        note = f"Over {len(indices)} common losses at which the windows were more than {EQUAL} apart."
        return {
            "converge": Holds(
                f"in the last tenth of the common losses, the ratio of larger to smaller window is at most {EQUAL}",
                end <= EQUAL,
                end,
                f"{100 * run.common_share:.0f} % of the losses are common ones.",
            ),
            "larger-k": Measured(float(np.mean(np.array(of("k", other=False)) / np.array(of("k", other=True)))), note),
            "growth-packets": Measured(two("growth"), note),
            "growth-share": Measured(two("share"), note),
        }

    def plot(self, results: Results[SecbIntraNumbers], figure: Figure) -> None:
        axes = figure.subplots()
        run = results["two"][0]
        for number, window in enumerate(run.cwnd):
            axes.plot(run.time_s, window, linewidth=1.1, linestyle=("-", "--")[number], label=f"flow {number + 1}")
        axes.set(xlabel="time (s)", ylabel="congestion window (packets)", xlim=(0, END_S), ylim=(0, None))
        axes.legend()
