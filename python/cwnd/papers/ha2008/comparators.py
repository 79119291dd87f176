# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.metrics.curve import rising
from cwnd.papers.ha2008.setups.comparator_networks import Network, answers, points, reduced
from cwnd.papers.ha2008.setups.comparators import (
    RULES,
    FastSteps,
    FastUpdates,
    Hstcp,
    HtcpDecrease,
    HtcpGrowth,
    Illinois,
    Rule,
    Stcp,
    Vegas,
    Veno,
    Westwood,
    draw,
)
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Reported, Result, Results, Setup


class Comparators(Experiment[Rule | Network]):
    """Sections 2 and 6.3: statements about the algorithms that CUBIC is compared with, each decided by a separate run.

    Window rules (for an acknowledgement, for a loss) are measured by calling the hooks on one connection, with exactly the windows, delays and
    times of the claim. Claims that need a network have one: sharing between round trips, random losses, gaps between packets, Hybla's growth.
    Left open: every number but STCP's (a = 0.01, b = 1/8), Hybla's reference round trip of 20 ms, and Veno's 20 %.
    """

    title = "STCP, HSTCP, H-TCP, Vegas, FAST, Westwood, Illinois, Hybla, Veno: the paper's statements about each"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        return [*(Point(name, call=rule) for name, rule in RULES.items()), *points(setup)]

    def reduce(self, run: Result, point: Point) -> Rule | Network:
        return reduced(run, point)

    def claims(self, results: Results[Rule | Network]) -> dict[str, Answer]:
        stcp, hstcp, htcp = (
            results.of(Stcp, "stcp"),
            results.of(Hstcp, "hstcp"),
            results.of(HtcpGrowth, "htcp_growth"),
        )
        vegas, fast, veno = results.of(Vegas, "vegas"), results.of(FastSteps, "fast_steps"), results.of(Veno, "veno")
        illinois, kept = results.of(Illinois, "illinois"), results.of(HtcpDecrease, "htcp_decrease")
        low, high = illinois.low, illinois.high
        changes = results.of(FastUpdates, "fast_updates").changes
        deviations = [abs(part - ratio) for part, ratio in zip(kept.kept, kept.ratio)]
        westwood = [abs(ratio - 1) for ratio in results.of(Westwood, "westwood").found]
        return {
            **answers(results),
            "stcp-independent": Measured(max(stcp.rounds) - min(stcp.rounds)),
            "stcp-recovery": Measured({f"{w:g} packets": count for w, count in zip(stcp.windows, stcp.rounds)}),
            "hstcp-below-cutoff": Holds(
                "from 4 packets up to 38, the window in every round trip is SACK's, and so is the window after a loss at 10, 20 and 38 packets",
                hstcp.below == hstcp.below_sack,
            ),
            "hstcp-increase": Holds(
                "from 100 to 80000 packets, growth per round trip increases with the window",
                rising(hstcp.increase),
            ),
            "hstcp-decrease": Holds(
                "and the part given up at a loss decreases with the window",
                rising(-part for part in hstcp.decrease),
            ),
            "htcp-time-growth": Holds(
                "2, 4 and 8 s after a loss, growth per round trip is the same at 100, 1000 and 5000 packets, within a packet, and increases with time",
                all(max(row) - min(row) <= 1 for row in htcp.by_time) and all(map(rising, zip(*htcp.by_time))),
            ),
            "htcp-decrease": Holds(
                "where RTTmin/RTTmax is between 0.5 and 0.8, the part of the window kept is that ratio, within 0.02",
                max(deviations) <= 0.02,
                max(deviations),
            ),
            "vegas-rises": Holds(
                "with half a packet in queues (α is 1), each of ten round trips adds a packet", vegas.rises == [1] * 10
            ),
            "vegas-falls": Holds(
                "with 6 packets in queues (β is 3), each of ten round trips removes one", vegas.falls == [-1] * 10
            ),
            "vegas-holds": Holds(
                "with 2 packets in queues, the window does not change in ten round trips", vegas.holds == [0] * 10
            ),
            "fast-every-other-rtt": Holds(
                "below its threshold, the window changes in every other of twenty round trips, and not in those between",
                any(
                    all((change != 0) == (number % 2 == odd) for number, change in enumerate(changes)) for odd in (0, 1)
                ),
            ),
            "fast-steps": Holds(
                "on either side of the threshold of 100 packets in queues, a larger distance from it gives a larger step",
                rising(-step for step in fast.steps) and fast.steps[0] > 0 > fast.steps[-1],
            ),
            "fast-halves": Holds(
                "at 1000 and at 20 packets, a loss halves the window, within a packet",
                all(abs(part - 0.5) * w <= 1 for w, part in fast.halves),
            ),
            "westwood-ssthresh": Holds(
                "at three rates of acknowledgements and two windows each, ssthresh is rate × minimum RTT, within 5 %",
                max(westwood) <= 0.05,
                max(westwood),
            ),
            "illinois-low-delay": Holds(
                "without queueing delay, a round trip adds more than 5 packets, and a loss removes less than a fifth (standard TCP: 1, and a half)",
                low[0] > 5 and low[1] < 0.2,
            ),
            "illinois-high-delay": Holds(
                "at 90 % of the largest queueing delay, a round trip adds less than a packet, and a loss removes more than 0.4",
                high[0] < 1 and high[1] > 0.4,
            ),
            "veno-random": Measured(veno.random),
            "veno-congestive": Measured(veno.congestive),
            "sqrt-named": Reported(
                "The document gives no rule for SQRT, and its reference was not available. The algorithm `sqrt` here is a different one: the binomial algorithm of Bansal and Balakrishnan 2001."
            ),
        }

    def plot(self, results: Results[Rule | Network], figure: Figure) -> None:
        draw(results, figure)
