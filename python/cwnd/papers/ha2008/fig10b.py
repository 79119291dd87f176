# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.against_sack import Figure10, Shares, by_swept_value, falls, per_seed, sweep_point
from cwnd.papers.ha2008.setups.testbed import NAMES
from cwnd.reproduce import Answer, Holds, Measured, Point, Results, Setup

RATES = (10, 20, 50, 100, 200, 400)
#: From the lowest to the highest bandwidth, SACK's share falls by more than BY of the link; at no bandwidth it is more than SLACK above that at a lower one.
BY, SLACK = 0.05, 0.02


class Fig10b(Figure10):
    """Figure 10 b: four flows of CUBIC, BIC, HSTCP or SACK and four SACK flows, 10 ms, up to 400 Mbit/s.

    SACK alone fills the link. Its share alongside CUBIC is about that alongside SACK, and higher at some bandwidths; alongside BIC and HSTCP it
    falls as the bandwidth grows. setups/against_sack.py says what is left open; so are the bandwidths.
    """

    title = "Four flows of X and four SACK flows, RTT 10 ms, 10 to 400 Mbit/s"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    live = True
    along, label = "rate", "bandwidth (Mbit/s)"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=120), setup.seeds(full=5, short=3)
        return [
            sweep_point(setup, name, f"{name}, {rate} Mbit/s", rate=rate, rtt_ms=10, seconds=end, seeds=seeds)
            for rate in setup.pick(RATES, (10, 50, 100, 400))
            for name in NAMES
        ]

    def claims(self, results: Results[Shares]) -> dict[str, Answer]:
        sack_ratios = by_swept_value(
            results, "cubic", "rate", lambda key: results.ratio(key, key.replace("cubic", "sack"), "sack")
        )
        answers: dict[str, Answer] = {
            "sack-alone-full": Measured(
                by_swept_value(results, "sack", "rate", lambda key: results.values(key, "utilisation"))
            ),
            "cubic-share-kept": Measured(sack_ratios),
            "cubic-share-higher": Measured(
                [max(row) for row in zip(*sack_ratios.values())], "the largest of each seed"
            ),
        }
        for name in ("bic", "hstcp"):
            rows = per_seed(results, name, "rate")
            answers[f"{name}-share-falls"] = Holds(
                f"SACK's share is lower at 400 than at 10 Mbit/s by more than {BY:.0%} of the link, and at no bandwidth more than {SLACK:.0%} "
                "above that at a lower one",
                [falls(row, BY, SLACK) for row in rows],
                [row[-1] - row[0] for row in rows],
                within=(None, -BY),
            )
        return answers
