# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from cwnd.papers.freebsd.setups import CLOCKS_HZ, LOSSES, NEWRENO, PATCHED, Iperf, Lan, iperf, lan
from cwnd.reproduce import Answer, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.claims import claims_of
from cwnd.reproduce.numbers import JsonObject

RATE_MBPS = 1000
#: Lane live runs the table 400 times slower, for this long, because no machine is on time within a fraction of 0.1 ms. In the simulator, a
#: factor of 50 to 400 makes no difference to the mean window and the stretched throughput.
LIVE_LINK, LIVE_S = {"rate": "2.5Mbit/s", "rtt": "40ms"}, 300


class Table(Lan):
    """The table of the review: tick CUBIC at four clock rates, NewReno and patched CUBIC at 100 Hz, at 1 and 2 % of random loss.

    The testbed is that of setups.py, which was chosen after runs of several; reasons.toml has the results of others. "Stock cubic" takes W_est from a clock of ticks; the patch takes NewReno's window.
    Repetitions are not given.
    """

    title = "Tick CUBIC, NewReno and patched CUBIC in a LAN with 1 and 2 % random loss, clocks of 100 Hz to 100 kHz"
    cubic = "cubic-freebsd"
    live = True
    live_note = (
        "time is stretched 400-fold (2.5 Mbit/s, 40 ms, 300 s), and the throughput is multiplied by 400; clock, recovery and timers are "
        "the kernel's, so the clocks of the points have no effect"
    )

    def live_scenario(self, point: Point) -> JsonObject:
        assert isinstance(point.scenario, Mapping) and isinstance(point.scenario["link"], Mapping)
        return {
            **point.scenario,
            "duration": f"{LIVE_S}s",
            "measure": [f"{LIVE_S // 10}s", f"{LIVE_S}s"],
            "link": {**point.scenario["link"], **LIVE_LINK},
            "flow": [{"cc": str(point.info["cc"])}],
        }

    def reduce(self, run: Result, point: Point) -> Iperf:
        numbers = iperf(run)
        rate_mbps = run.scenario.rate_mbps
        assert rate_mbps is not None, "every point has a rate"
        return replace(numbers, mbps=numbers.mbps * RATE_MBPS / rate_mbps)

    def grid(self, setup: Setup) -> list[Point]:
        rows = [("tick", setup.cubic, hertz) for hertz in CLOCKS_HZ] + [
            ("newreno", NEWRENO, 100),
            ("patched", PATCHED, 100),
        ]
        return [
            Point(
                f"{name}-{hertz}hz-loss-{loss:.0%}".rstrip("%"),
                lan(cc, hertz, loss, setup.seconds(full=60, short=20)),
                seeds=setup.seeds(full=10, short=8),
                info={"name": name, "cc": cc, "hertz": hertz, "loss": loss},
            )
            for name, cc, hertz in rows
            for loss in LOSSES
        ]

    def claims(self, results: Results[Iperf]) -> dict[str, Answer]:
        answers: dict[str, Answer] = {key: Measured(results.values(key, "mbps")) for key in results}
        for loss in ("1", "2"):
            newreno, patched = f"newreno-100hz-loss-{loss}", f"patched-100hz-loss-{loss}"
            ticks = [key for key in results if key.startswith("tick") and key.endswith(f"loss-{loss}")]
            best = max(ticks, key=lambda key: results.mean(key, "mbps"))
            answers |= {
                f"tick-collapse-loss-{loss}": Measured(results.ratio(f"tick-100hz-loss-{loss}", newreno, "mbps")),
                f"patched-to-newreno-loss-{loss}": Measured(results.ratio(patched, newreno, "mbps")),
                f"patched-{'to-best' if loss == '1' else 'above'}-tick-loss-{loss}": Measured(
                    results.ratio(patched, best, "mbps"), f"the best is {best}"
                ),
            }
        return answers

    def plot(self, results: Results[Iperf], figure: Figure) -> None:
        figure.set_size_inches(6.4, 6.4)
        names = {"tick": "tick CUBIC", "newreno": "NewReno", "patched": "patched CUBIC"}
        stated = claims_of("freebsd/table")
        for axes, loss in zip(figure.subplots(2, 1, sharex=True), LOSSES):
            keys = [key for key, point in results.points.items() if point.info["loss"] == loss]
            points = [results.points[key] for key in keys]
            for group, (shift, label, colour, hatch) in enumerate(
                ((-0.2, "document", "#BBBBBB", ""), (0.2, "measured", "#0072B2", "//"))
            ):
                heights = [results.mean(key, "mbps") if group else stated[key].value or 0.0 for key in keys]
                where = [number + shift for number in range(len(keys))]
                axes.bar(where, heights, 0.38, label=label, color=colour, hatch=hatch, edgecolor="white")
            axes.set(title=f"{loss:.0%} of random loss", ylabel="throughput (Mbit/s)", ylim=(0, 1200))
            labels = [f"{names[str(point.info['name'])]}\n{point.number('hertz'):,} Hz" for point in points]
            axes.set_xticks(range(len(keys)), labels, fontsize=7)
        figure.axes[0].legend(ncols=2)
