# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from cwnd.papers.rhee2005.setups.friendliness import HIGH_SPEED, Friendliness, Friendly, sweep
from cwnd.reproduce import Answer, Holds, Measured, Results

if TYPE_CHECKING:
    from collections.abc import Mapping

#: "Quite rapidly", as we read it: the ratio at the last bandwidth is at most half of that at 20 Mbit/s, and it rises nowhere by more than a tenth from one bandwidth to the next.
FALL, RISE = 0.5, 1.1
LONG = ("hstcp", "stcp", "htcp")


def curve(results: Results[Friendly], name: str) -> list[list[float]]:
    """The ratio by bandwidth, seed by seed."""
    speeds = results.swept("rate")
    return results.each(lambda run: [run[f"{name}, {rate}"].ratio for rate in speeds])


class Fig6(Friendliness):
    """Figure 6 (experiment 2): as figure 5, RTT 100 ms.

    All are friendly at 20 Mbit/s; above, the ratio falls "quite rapidly"; CUBIC's is the best on average; BIC and CUBIC have long epochs and use the full
    link. Left open: duration, repetitions, kind of background, bandwidths between the ends, and what rapid and long mean.
    """

    title = "TCP friendliness at 100 ms: SACK alongside CUBIC, BIC, HSTCP, STCP and H-TCP, 20 Mbit/s to 1 Gbit/s"
    cubic = "cubic-2005"
    rtt_ms, full_s = 100, 600
    bandwidths = (20, 50, 100, 200, 500, 1000), (20, 100, 1000)
    short_s: ClassVar = {20: 200, 100: 100, 1000: 60}

    def claims(self, results: Results[Friendly]) -> dict[str, Answer]:
        speeds = results.swept("rate")
        criterion = f"the ratio at {speeds[-1]} Mbit/s is at most {FALL} of that at 20 Mbit/s, and it nowhere rises more than {RISE}-fold from one bandwidth to the next"
        by_seed = {name: curve(results, name) for name in HIGH_SPEED}

        def falls(name: str) -> Holds:
            remaining = [curve[-1] / curve[0] for curve in by_seed[name]]
            steady = [all(b <= RISE * a for a, b in pairwise(curve)) for curve in by_seed[name]]
            holds = [part <= FALL and even for part, even in zip(remaining, steady)]
            return Holds(criterion, holds, remaining, within=(None, FALL))

        def long(name: str) -> Holds:
            def shortest(run: Mapping[str, Friendly]) -> float:
                return min(
                    float(run[f"{name}, {rate}"].epoch_s / run[f"{other}, {rate}"].epoch_s)
                    for rate in speeds[1:]
                    for other in LONG
                )

            smallest = results.each(shortest)
            return Holds(
                "at each bandwidth above 20 Mbit/s, a longer time between a flow's reductions than with HSTCP, STCP and H-TCP",
                [ratio > 1 for ratio in smallest],
                smallest,
                within=(1, None),
            )

        return {
            **{f"{name}-20mbit": Measured(results.values(f"{name}, 20", "ratio")) for name in HIGH_SPEED},
            **{f"{name}-falls": falls(name) for name in HIGH_SPEED},
            "cubic-best": Measured({name: [fmean(curve) for curve in by_seed[name]] for name in HIGH_SPEED}),
            **{f"{name}-long-epochs": long(name) for name in ("bic", "cubic")},
            **{f"{name}-full": Measured(sweep(results, name, "utilisation")) for name in ("bic", "cubic")},
        }
