# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from typing import ClassVar

from cwnd.papers.rhee2005.setups.friendliness import HIGH_SPEED, Friendliness, Friendly, sweep
from cwnd.reproduce import Answer, Measured, Results


class Fig5(Friendliness):
    """Figure 5 (experiment 1): throughput of four SACK flows over that of four high-speed flows, RTT 10 ms, 20 Mbit/s to 1 Gbit/s.

    Left open: duration, repetitions, kind of background, bandwidths between the ends, and what friendly means (here: SACK has at least half of the others' throughput).
    """

    title = "TCP friendliness at 10 ms: SACK alongside CUBIC, BIC, HSTCP, STCP and H-TCP, 20 Mbit/s to 1 Gbit/s"
    cubic = "cubic-2005"
    protocols = (*HIGH_SPEED, "sack")
    rtt_ms, full_s = 10, 300
    bandwidths = (20, 50, 100, 200, 500, 1000), (20, 100, 400, 1000)
    short_s: ClassVar = {20: 600, 100: 150, 400: 30, 1000: 24}

    def claims(self, results: Results[Friendly]) -> dict[str, Answer]:
        slow, middle, fast = 20, 100, results.swept("rate")[-1]
        at_fast = {name: results.values(f"{name}, {fast}", "ratio") for name in HIGH_SPEED}
        return {
            **{f"{name}-100mbit": Measured(results.values(f"{name}, {middle}", "ratio")) for name in HIGH_SPEED},
            **{
                f"{name}-1gbit": Measured(results.ratio(f"{name}, {fast}", f"{name}, {middle}", "ratio"))
                for name in ("bic", "hstcp", "stcp")
            },
            "worst-order": Measured({name: at_fast[name] for name in ("hstcp", "bic", "stcp")}),
            "best-two": Measured(at_fast),
            "cubic-throughout": Measured(sweep(results, "cubic")),
            "htcp-throughout": Measured(sweep(results, "htcp")),
            **{
                f"{name}-worse-at-20": Measured(results.ratio(f"{name}, {slow}", f"{name}, {middle}", "ratio"))
                for name in ("bic", "stcp")
            },
            "sack-alone-full": Measured(sweep(results, "sack", "utilisation")),
        }
