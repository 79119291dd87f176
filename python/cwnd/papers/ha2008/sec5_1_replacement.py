# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.against_sack import AgainstSack, Shares, against_sack
from cwnd.reproduce import Answer, Figure, Measured, Point, Results, Setup

#: Unstated: Mbit/s and ms of the networks; a small BDP is 10 to 33 packets, a large one 333 to 833.
NETWORKS = {
    "small-bdp": ((2, 100), (10, 40)),
    "short-rtt-small-bdp": ((20, 8), (40, 4)),
    "short-rtt-large-bdp": ((500, 8), (1000, 10)),
}


class Sec5_1Replacement(AgainstSack):
    """Section 5.1: of two SACK flows one is replaced by CUBIC, where standard TCP performs well.

    "In environments where standard TCP is able to make reasonable use of the available bandwidth, CUBIC does not significantly change this
    state": networks with a small BDP, and networks with a short RTT, with a small BDP or not. Left open: all numbers; no background here.
    """

    title = "A SACK flow alongside SACK, and alongside CUBIC: small BDP, short RTT"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=60), setup.seeds(full=10, short=3)
        return [
            Point(
                f"{kind}, {rate} Mbit/s, {rtt} ms, {name}",
                # In the large networks, the effect of the start lasts longest, and the small ones cost nothing.
                against_sack(
                    cc, rate=rate, rtt_ms=rtt, seconds=end if rate > 100 else 4 * end, each=1, with_background=False
                ),
                seeds=seeds,
                info={"kind": kind, "rate": rate, "rtt": rtt, "name": name},
            )
            for kind, networks in NETWORKS.items()
            for rate, rtt in networks
            for name, cc in (("sack", "sack"), ("cubic", setup.cubic))
        ]

    def claims(self, results: Results[Shares]) -> dict[str, Answer]:
        def sack_ratio(kind: str, rate: int, rtt: int) -> list[float]:
            key = f"{kind}, {rate} Mbit/s, {rtt} ms"
            return results.ratio(f"{key}, cubic", f"{key}, sack", "sack")

        return {
            kind: Measured({f"{rate} Mbit/s, {rtt} ms": sack_ratio(kind, rate, rtt) for rate, rtt in networks})
            for kind, networks in NETWORKS.items()
        }

    def plot(self, results: Results[Shares], figure: Figure) -> None:
        axes = figure.subplots()
        networks = [network for pairs in NETWORKS.values() for network in pairs]
        kinds = [kind for kind, pairs in NETWORKS.items() for _ in pairs]
        for name, offset, hatch in (("sack", -0.2, ""), ("cubic", 0.2, "//")):
            keys = [f"{kind}, {rate} Mbit/s, {rtt} ms, {name}" for kind, (rate, rtt) in zip(kinds, networks)]
            values = [100 * results.mean(key, "sack") for key in keys]
            at = [group + offset for group in range(len(keys))]
            axes.bar(at, values, 0.38, hatch=hatch, edgecolor="black", linewidth=0.6, label=f"alongside {name.upper()}")
        axes.set_xticks(range(len(networks)), [f"{rate} Mbit/s\n{rtt} ms" for rate, rtt in networks])
        axes.set(ylabel="share of the SACK flow (%)", ylim=(0, 65))
        axes.legend(ncols=2)
