# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 10 a: four flows of CUBIC, BIC, HSTCP or SACK and four SACK flows, 400 Mbit/s, 10 to 160 ms.

At 160 ms eight SACK flows use about 80 % of the link. CUBIC, BIC and HSTCP fill it; they take more from SACK as the round trip grows, CUBIC
less than the others at each. What is left open: _against_sack.py.
"""

from __future__ import annotations

from cwnd.experiments import Answer, Figure, Holds, Measured, Point, Reduced, Result, Results, Setup
from cwnd.experiments.ha2008._against_sack import by_swept_value, draw_bars, falls, per_seed, shares, sweep_point
from cwnd.experiments.ha2008._algorithms import NAMES

TITLE = "Four flows of X and four SACK flows, 400 Mbit/s, RTT 10 to 160 ms"
CUBIC, SECOND = "cubic-2.2-linux", "cubic-2.2"
RTTS_MS = (10, 20, 40, 80, 120, 160)
#: From the shortest to the longest RTT SACK loses more than BY of the link; between, none is above a shorter one's by more than SLACK.
BY, SLACK = 0.05, 0.02


def grid(setup: Setup) -> list[Point]:
    end, seeds = setup.seconds(full=600, short=80), setup.seeds(full=5, short=2)
    return [
        sweep_point(setup, name, f"{name}, {rtt} ms", rate=400, rtt_ms=rtt, seconds=end, seeds=seeds)
        for rtt in setup.pick(RTTS_MS, (10, 40, 80, 160))
        for name in NAMES
    ]


def reduce(run: Result, point: Point) -> Reduced:
    return shares(run)


def claims(results: Results) -> dict[str, Answer]:
    answers: dict[str, Answer] = {
        "sack-alone": Measured(results.at("sack, 160 ms", lambda run: run["x"] + run["sack"]))
    }
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


def plot(results: Results, figure: Figure) -> None:
    draw_bars(figure.subplots(), results, "rtt", "RTT (ms)")


WHY = {
    "cubic-leaves-more-than-hstcp": (
        "It does up to 40 ms: in the full run (five seeds) SACK has 45, 41 and 24 % of the link beside CUBIC at 10, 20 and 40 ms, 36, 27 and 20 % beside HSTCP. From 80 ms on "
        "it does not: 10, 6 and 4 % at 80, 120 and 160 ms, against 12, 9 and 8 %. The response functions cross: at one loss rate CUBIC's window grows with RTT^0.75, "
        "1.17 (RTT/p)^0.75, and HSTCP's, 0.12/p^0.835, does not. At the windows that the flows have here, with half the buffer filled, CUBIC's is 0.5 of HSTCP's at 40 ms, "
        "0.8 at 80, 1.1 at 120 and 1.3 at 160. The shortened run ends after 80 s, before CUBIC has grown so far at 160 ms (SACK has 15 and 16 %)."
    ),
    "cubic-leaves-more-than-bic": (
        "It does at 10, 40 and 80 ms (SACK has 45, 26 and 17 % of the link beside CUBIC, 24, 12 and 9 % beside BIC); at 160 ms 11 to 17 against 16 to 17 %. There a round trip of BIC is at most 16 "
        "packets, which is 100 packets a second, a tenth of what the cubic reaches: over 400 s (one seed) SACK has 4 % beside CUBIC and 7 % beside BIC. BIC with "
        "the 32 packets of its paper leaves less."
    ),
    "bic-takes-more-with-rtt": (
        "From 10 to 80 ms it does (24, 12, 9 %); at 160 ms SACK has 16 to 17 %, more than at 80: the run of 80 s measures a BIC that is still climbing by 16 packets a round trip after its first losses. "
        "Over 400 s (one seed) SACK has 24, 7 and 7 % beside BIC at 10, 80 and 160 ms, as claimed."
    ),
}
