# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from dataclasses import dataclass

from cwnd import _native
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import JsonObject

FORMS = {"with the bug": "cubic-2.6.18-unfixed", "without": "cubic-2.0"}
#: Unstated: two paths; two flows of one form, after a warm-up.
PATHS = {"100 Mbit/s, 40 ms": (100, 40), "400 Mbit/s, 100 ms": (400, 100)}
WARM_UP_S = 40


@dataclass(frozen=True, slots=True)
class Table1ScalingBugNumbers:
    """What a run is reduced to."""

    cwnd_mean: float
    mbps: float
    cwnd: list[float]


class Table1ScalingBug(Experiment[Table1ScalingBugNumbers]):
    """Table 1, the scaling bug: "the original implementation of CUBIC has a scaling bug. It has taken about a month to fix this bug".

    CUBIC 2.0 as in Linux 2.6.18, with the bug, and as in 2.6.19, without it. The paper does not describe the bug or its effect. The unfixed form is the
    kernel's of that month: its curve in the window's units is 13 times too flat, and its clamp is 20 packets a second. Left open: everything.
    """

    title = "CUBIC 2.0 with the scaling bug of Linux 2.6.18 and without"
    #: The claims are about these two versions.
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        end = setup.seconds(full=600, short=160)

        def scenario(cc: str, mbps: int, ms: int) -> JsonObject:
            return {
                "duration": f"{end:g}s",
                "measure": [f"{WARM_UP_S}s", f"{end:g}s"],
                "link": {"rate": f"{mbps}Mbit/s", "rtt": f"{ms}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
                "flow": [{"cc": cc, "count": 2, "start": {"uniform": ["0s", "1s"]}, "overhead": f"{12_000 // mbps}us"}],
                "record": {"interval": "500ms"},
            }

        return [
            Point(f"{form}, {path}", scenario(cc, *where), seeds=setup.seeds(full=10, short=3), info={"path": path})
            for path, where in PATHS.items()
            for form, cc in FORMS.items()
        ]

    def reduce(self, run: Result, point: Point) -> Table1ScalingBugNumbers:
        flows = run.summary["flows"]
        first = run.cwnd.filter([flow == 0 for flow in run.cwnd["flow"].to_pylist()])
        return Table1ScalingBugNumbers(
            cwnd_mean=sum(flow["cwnd_mean"] for flow in flows) / len(flows),
            mbps=sum(flow["throughput_mbps"] for flow in flows),
            cwnd=first["cwnd"].to_numpy().tolist(),
        )

    def claims(self, results: Results[Table1ScalingBugNumbers]) -> dict[str, Answer]:
        sets = {each["name"] for algorithm in _native.algorithms() for each in algorithm["sets"]}
        words = {"cwnd_mean": "mean window (packets)", "mbps": "throughput (Mbit/s)"}
        return {
            "both-forms": Holds(
                "both are parameter sets, both use at least half of the link, and their windows differ",
                set(FORMS.values()) <= sets
                and all(
                    results.mean(f"{form}, {path}", "mbps") >= PATHS[path][0] / 2 for form in FORMS for path in PATHS
                )
                and all(
                    results.values(f"with the bug, {path}", "cwnd_mean")
                    != results.values(f"without, {path}", "cwnd_mean")
                    for path in PATHS
                ),
            ),
            "difference": Measured(
                {
                    f"{text}, {path}, {form}": results.values(f"{form}, {path}", name)
                    for name, text in words.items()
                    for path in PATHS
                    for form in FORMS
                }
            ),
        }

    def plot(self, results: Results[Table1ScalingBugNumbers], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 5.6)
        for axes, path in zip(figure.subplots(2, 1), PATHS):
            over_time(axes, {form: results[f"{form}, {path}"][0].cwnd for form in FORMS}, 0.5, linewidth=1.1)
            axes.set(title=path, ylabel="cwnd of flow 1 (packets)", xlim=(0, None), ylim=(0, None))
        axes.set_xlabel("time (s)")
        figure.axes[0].legend(ncols=2)
