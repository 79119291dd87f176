# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.against_sack import Figure10, Shares, by_swept_value, falls, per_seed, sweep_point
from cwnd.papers.ha2008.setups.testbed import NAMES
from cwnd.reproduce import Answer, Holds, Measured, Point, Results, Setup

RTTS_MS = (10, 20, 40, 80, 120, 160)
#: From the shortest to the longest RTT, SACK's share falls by more than BY of the link; at no RTT it is more than SLACK above that at a shorter one.
BY, SLACK = 0.05, 0.02


class Fig10a(Figure10):
    """Figure 10 a: four flows of CUBIC, BIC, HSTCP or SACK and four SACK flows, 400 Mbit/s, 10 to 160 ms.

    At 160 ms eight SACK flows use about 80 % of the link. CUBIC, BIC and HSTCP fill it; they take more from SACK as the round trip grows, CUBIC
    less than the others at each. setups/against_sack.py says what is left open.
    """

    title = "Four flows of X and four SACK flows, 400 Mbit/s, RTT 10 to 160 ms"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    along, label = "rtt", "RTT (ms)"

    def grid(self, setup: Setup) -> list[Point]:
        end, seeds = setup.seconds(full=600, short=80), setup.seeds(full=5, short=2)
        return [
            sweep_point(setup, name, f"{name}, {rtt} ms", rate=400, rtt_ms=rtt, seconds=end, seeds=seeds)
            for rtt in setup.pick(RTTS_MS, (10, 40, 80, 160))
            for name in NAMES
        ]

    def claims(self, results: Results[Shares]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {"sack-alone": Measured(results.at("sack, 160 ms", lambda run: run.x + run.sack))}
        keys = by_swept_value(results, "cubic", "rtt", lambda key: [key])
        for other in ("bic", "hstcp"):
            answers[f"cubic-leaves-more-than-{other}"] = Measured(
                {rtt: results.ratio(key, key.replace("cubic", other), "sack") for rtt, (key,) in keys.items()}
            )
        for name in NAMES[:3]:
            rows = per_seed(results, name, "rtt")
            answers[f"{name}-takes-more-with-rtt"] = Holds(
                f"SACK's share is lower at 160 ms than at 10 ms by more than {BY:.0%} of the link, and at no RTT more than {SLACK:.0%} above "
                "that at a shorter one",
                [falls(row, BY, SLACK) for row in rows],
                [row[-1] - row[0] for row in rows],
                within=(None, -BY),
            )
            answers[f"{name}-full"] = Measured(
                by_swept_value(results, name, "rtt", lambda key: results.values(key, "utilisation"))
            )
        return answers
