# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Sequence

from cwnd.papers.ha2008.setups.joining_flow import Joined, joined, time_ratio
from cwnd.papers.ha2008.setups.testbed import BIC
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

#: Unstated: the fair share of a flow, Mbit/s, outside CUBIC's TCP region at this round trip, ms; a buffer of one BDP.
SHARE_MBPS, RTT_MS = 20, 100
#: Unstated: how many flows are many, including the two that are compared.
MANY = 20
#: Unstated: the others start first, and the second of the two last, some time after the first.
EARLY, LATE = {"uniform": ["0s", "30s"]}, {"uniform": ["60s", "90s"]}


class Sec1Multiplexing(Experiment[Joined]):
    """Section 1, multiplexing: flows converge without further measures where many share a link and lose at different times.

    "Although BIC-TCP may converge slowly under low statistical multiplexing where only a few flows are competing, its convergence speed is not an
    issue under typical Internet environments." A second flow joins one that is alone; or it joins with others of the same algorithm, on a link
    that is correspondingly faster, so that the fair share is the same. Left open: all numbers.
    """

    title = "Convergence of two flows alone, and among many"
    cubic = "cubic-2.2-linux"
    second = "cubic-2.2"

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=1200, short=400)

        def scenario(cc: str, flows: int) -> JsonObject:
            mbps = SHARE_MBPS * flows
            flow: JsonObject = {"cc": cc, "overhead": f"{12_000 // mbps}us"}
            others: Sequence[JsonObject] = [{**flow, "count": flows - 2, "start": EARLY}] if flows > 2 else []
            return {
                "duration": f"{end:g}s",
                "link": {"rate": f"{mbps}Mbit/s", "rtt": f"{RTT_MS}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                "flow": [flow, {**flow, "start": LATE}, *others],
                "record": {"interval": "1s"},
            }

        return [
            Point(f"{name}, {flows}", scenario(cc, flows), seeds=setup.seeds(full=10, short=3))
            for name, cc in (("cubic", setup.cubic), ("bic", BIC))
            for flows in (2, MANY)
        ]

    def reduce(self, run: Result, point: Point) -> Joined:
        return joined(run)

    def claims(self, results: Results[Joined]) -> dict[str, Answer]:
        # If neither converged, neither was faster; if only the two alone did not, those among many were faster.
        return {
            f"{name}-faster-among-many": Measured(time_ratio(results, f"{name}, {MANY}", f"{name}, 2"))
            for name in ("cubic", "bic")
        }

    def plot(self, results: Results[Joined], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 6.4)
        panels = figure.subplots(2, 2, sharex=True, sharey=True)
        for row, name in zip(panels, ("cubic", "bic")):
            for axes, flows in zip(row, (2, MANY)):
                windows = results[f"{name}, {flows}"][0].cwnd
                over_time(axes, {f"flow {number}": window for number, window in enumerate(windows, 1)}, 2, linewidth=1)
                axes.set(title=f"{name.upper()}, {flows} flows", xlim=(0, None), ylim=(0, 800))
            row[0].set_ylabel("cwnd (packets)")
        for axes in panels[1]:
            axes.set_xlabel("time (s)")
        panels[0, 0].legend()
