# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

from cwnd.papers.ha2008.setups.growth import start_up_s
from cwnd.papers.ha2008.setups.hook_calls import AfterLosses, AfterTimeout, after_timeout, undo_after_losses
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

FORMS = {"Linux 2.6.22": "cubic-2.1", "Algorithm 1": "cubic-2.2"}
#: Unstated: the path, with one BDP of buffer; the algorithm that starts up.
MBPS, RTT_MS, START = 100, 100, "cubic-2.2"
BDP = MBPS * RTT_MS * 1000 // 8 // 1500
SSTHRESH = {"not set": 0, "set to the BDP": BDP, "set to twice the BDP": 2 * BDP}


@dataclass(frozen=True, slots=True)
class StartUp:
    """A flow at start-up."""

    start_up_s: float
    cwnd: list[float]


class Sec4_2Hooks(Experiment[AfterTimeout | AfterLosses | StartUp]):
    """Section 4.2, CUBIC's hooks: what a timeout resets, what undo returns, and what an initial ssthresh is used for.

    The hooks are called one by one, in the module's integer form (Linux 2.6.22, `cubic-2.1`) and in Algorithm 1's. In the text, undo returns max(cwnd, last_max),
    "which is the congestion window before the drop". After fast convergence last_max is 0.9 of it by Algorithm 1, and 0.8 of it by section 4.2's own
    `recalc_ssthresh`. Left open: what a well-set initial ssthresh is (ours: half of what link and buffer hold, and the BDP) and on which path.
    """

    title = "What a timeout resets, what undo returns, and start-up with an initial ssthresh"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        calls = [Point(f"timeout, {form}", call=after_timeout, args=(cc,)) for form, cc in FORMS.items()] + [
            Point(f"{name} loss, {form}", call=undo_after_losses, args=(cc, losses))
            for form, cc in FORMS.items()
            for losses, name in ((1, "first"), (2, "second"))
        ]

        def scenario(ssthresh: int) -> JsonObject:
            start = {"initial_ssthresh": ssthresh} if ssthresh else {}
            return {
                "duration": "40s",
                "link": {"rate": f"{MBPS}Mbit/s", "rtt": f"{RTT_MS}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                "flow": [{"cc": START, "overhead": "120us", **start}],
                "record": {"interval": "50ms"},
            }

        seeds = setup.seeds(full=10, short=5)
        return calls + [Point(f"start, {name}", scenario(ssthresh), seeds=seeds) for name, ssthresh in SSTHRESH.items()]

    def reduce(self, run: Result, point: Point) -> AfterTimeout | AfterLosses | StartUp:
        return StartUp(start_up_s=start_up_s(run, MBPS, 0.5), cwnd=run.cwnd["cwnd"].to_numpy()[:400].tolist())

    def claims(self, results: Results[AfterTimeout | AfterLosses | StartUp]) -> dict[str, Answer]:
        first, second = (
            {form: results.of(AfterLosses, f"{name}, {form}") for form in FORMS}
            for name in ("first loss", "second loss")
        )
        timeout = {form: results.of(AfterTimeout, f"timeout, {form}") for form in FORMS}
        linux = timeout["Linux 2.6.22"]
        left = "; ".join(f"{form}: {run.names or 'nothing'} left" for form, run in timeout.items())
        return {
            "timeout-resets-all": Holds(
                "in the module's form every inner variable of cubic_reset() is 0", linux.left == 0, linux.left, left
            ),
            "timeout-resets-delay-min": Holds(
                "in the module's form the minimum delay is 0", linux.delay_min == 0, linux.delay_min
            ),
            "undo-value": Holds(
                "in both forms undo after a first loss returns max(cwnd, last_max), and that is the window before the drop",
                all(run.undo == max(run.after, run.memory) == run.before for run in first.values()),
                first["Linux 2.6.22"].undo,
            ),
            "undo-after-fast-convergence": Measured(
                {f"literal, {form}": max(run.after, run.memory) / run.before for form, run in second.items()}
                | {f"as it is, {form}": run.undo / run.before for form, run in second.items()}
            ),
            "initial-ssthresh": Measured(results.ratio("start, set to the BDP", "start, not set", "start_up_s")),
        }

    def plot(self, results: Results[AfterTimeout | AfterLosses | StartUp], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        axes = figure.subplots()
        keys = {name: f"start, {name}" for name in SSTHRESH}
        labels = {
            key: f"initial ssthresh {name}: {results.mean(key, 'start_up_s'):.1f} s" for name, key in keys.items()
        }
        over_time(axes, {label: results.of(StartUp, key).cwnd for key, label in labels.items()}, 0.05)
        axes.set(xlabel="time (s)", ylabel="cwnd (packets)", xlim=(0, 20), ylim=(0, None))
        axes.legend()
