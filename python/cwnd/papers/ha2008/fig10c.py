# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from math import exp, fsum, log

from cwnd.papers.ha2008.setups.against_sack import Figure10, Shares, by_swept_value, per_seed, sweep_point
from cwnd.papers.ha2008.setups.testbed import NAMES
from cwnd.reproduce import Answer, Holds, Measured, Point, Results, Setup

RATES = (4, 10, 20, 50, 100, 200, 400)
#: "Drops quite rapidly": from 10 to 100 Mbit/s the ratio at least halves.
DROP = 0.5
#: "A similar aggressiveness": the ratios of CUBIC and BIC, on (geometric) average over the bandwidths.
SIMILAR = (0.8, 1.25)


class Fig10c(Figure10):
    """Figure 10 c: four flows of CUBIC, BIC, HSTCP or SACK and four SACK flows, 100 ms, up to 400 Mbit/s.

    All are reasonably friendly up to 10 Mbit/s; above, the ratio SACK / X "drops quite rapidly". CUBIC and BIC are alike, slightly more
    aggressive than HSTCP, "especially for the bandwidth less than 100Mbps". setups/against_sack.py says what is left open; so are the bandwidths.
    """

    title = "Four flows of X and four SACK flows, RTT 100 ms, 4 to 400 Mbit/s"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"
    along, label = "rate", "bandwidth (Mbit/s)"

    def grid(self, setup: Setup) -> list[Point]:
        long, end = setup.seconds(full=600, short=240), setup.seconds(full=600, short=120)
        seeds = setup.seeds(full=5, short=3)
        return [
            sweep_point(
                setup,
                name,
                f"{name}, {rate} Mbit/s",
                rate=rate,
                rtt_ms=100,
                seconds=long if rate < 100 else end,
                seeds=seeds,
            )
            for rate in setup.pick(RATES, (4, 10, 50, 100, 400))
            for name in NAMES
        ]

    def claims(self, results: Results[Shares]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {}
        rates = results.swept("rate")
        ratios = {
            name: by_swept_value(results, name, "rate", lambda key: results.values(key, "ratio")) for name in NAMES[:3]
        }
        rows = {name: per_seed(results, name, "rate", "ratio") for name in NAMES[:3]}
        for name in NAMES[:3]:
            answers[f"{name}-reasonable"] = Measured({at: ratios[name][at] for at in ("4 Mbit/s", "10 Mbit/s")})
            drops = results.ratio(f"{name}, 100 Mbit/s", f"{name}, 10 Mbit/s", "ratio")
            answers[f"{name}-falls"] = Holds(
                f"the ratio at 100 Mbit/s is at most {DROP} of that at 10 Mbit/s",
                [drop <= DROP for drop in drops],
                drops,
                within=(None, DROP),
            )
        alike = [
            exp(fsum(log(c / b) for c, b in zip(cubic, bic)) / len(rates))
            for cubic, bic in zip(rows["cubic"], rows["bic"])
        ]
        low, high = SIMILAR
        answers["cubic-like-bic"] = Holds(
            f"the geometric mean over the bandwidths of CUBIC's ratio over BIC's is between {low} and {high}",
            [low <= ratio <= high for ratio in alike],
            alike,
            within=(low, high),
        )
        answers["above-hstcp"] = Measured(
            {at: {name: ratios[name][at] for name in NAMES[:3]} for at in ratios["cubic"]}
        )

        def gap(seed: int, below: bool) -> float:
            use = [index for index, rate in enumerate(rates) if (rate < 100 if below else rate > 100)]
            return fsum(
                rows["hstcp"][seed][index] - (rows["cubic"][seed][index] + rows["bic"][seed][index]) / 2
                for index in use
            ) / len(use)

        gaps = [(gap(seed, True), gap(seed, False)) for seed in range(len(rows["hstcp"]))]
        answers["most-below-100"] = Holds(
            "HSTCP's ratio minus the mean of CUBIC's and BIC's is positive below 100 Mbit/s, and larger there than above (means over the bandwidths)",
            [below > max(above, 0) for below, above in gaps],
            [below - above for below, above in gaps],
            within=(0, None),
        )
        return answers
