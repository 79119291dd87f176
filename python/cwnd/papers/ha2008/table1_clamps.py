# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cwnd._internal.json_types import number
from cwnd.metrics import jain
from cwnd.metrics.run import defined
from cwnd.papers.ha2008.setups.growth import convex_growth, regain_s, start_up_s
from cwnd.papers.ha2008.setups.joining_flow import Joined, joined, time_ratio
from cwnd.reproduce import Answer, Experiment, Figure, Measured, Point, Result, Results, Setup
from cwnd.reproduce.numbers import Json, JsonObject

FORMS: Mapping[str, JsonObject] = {
    "2.0": {"cc": "cubic-2.0", "max_increment": 10},
    "2.1": {"cc": "cubic-2.1", "max_increment": 10},
    "2.2": {"cc": "cubic-2.1", "clamp": "off"},
}
MBPS, RTT_S = 400, 0.32
BDP = round(MBPS * 1e6 * RTT_S / 8 / 1500)
ALONE = {"uniform": ["60s", "90s"]}
FREED_S = 40


@dataclass(frozen=True, slots=True)
class Shared:
    """Two flows of CUBIC alongside two of SACK."""

    #: Of the two of CUBIC.
    jain: float
    #: The share of SACK.
    sack: float


@dataclass(frozen=True, slots=True)
class Alone:
    """A flow that is alone."""

    cwnd: list[float]


@dataclass(frozen=True, slots=True)
class Regained(Alone):
    """After one loss."""

    regain_s: float


@dataclass(frozen=True, slots=True)
class Freed(Alone):
    """After half the link is freed."""

    #: Packets per second.
    growth: float


@dataclass(frozen=True, slots=True)
class Started(Alone):
    """At start-up."""

    start_up_s: float


class Table1Clamps(Experiment[Joined | Shared | Regained | Freed | Started]):
    """Table 1, the clamps: CUBIC 2.0 (increase clamped throughout, initial ssthresh), 2.1 (in the convex region only), 2.2 (nowhere).

    "Clamped the maximum window increment to 32 packets per RTT"; 2.1 "enhances the scalability of CUBIC over very large BDP network paths" and starts
    up faster, 2.2 "improves its convergence speed while maintaining its fairness and TCP friendliness". The three are the kernel's integer form
    with the clamp of the text and nothing else changed. Left open: the path (ours: 400 Mbit/s, 320 ms, one BDP of buffer), and every number.
    After a first look at the results, runs that were too short were lengthened: 720 s instead of 420 (joins), 180 s instead of 120 (freed), 120 s instead of 90 (start).
    """

    title = "CUBIC 2.0, 2.1 and 2.2 on 400 Mbit/s, 320 ms: what the clamps change"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        link: JsonObject = {
            "rate": f"{MBPS}Mbit/s",
            "rtt": f"{1e3 * RTT_S:g}ms",
            "queue": {"kind": "droptail", "limit": "1bdp"},
        }

        def scenario(flows: Sequence[JsonObject], seconds: float, **more: Json) -> JsonObject:
            flows = [{**flow, "overhead": "30us"} for flow in flows]
            return {"duration": f"{seconds:g}s", "link": link, "flow": flows, "record": {"interval": "100ms"}, **more}

        points = []
        seeds = setup.seeds(full=10, short=2)
        joined, end = setup.seconds(full=1200, short=720), setup.seconds(full=600, short=150)
        datagrams = [{"model": "udp", "rate": f"{MBPS // 2}Mbit/s", "stop": f"{FREED_S}s"}]
        for version, form in FORMS.items():
            whole, half = ({**form, "initial_cwnd": size, "initial_ssthresh": size} for size in (BDP, BDP // 2))
            shared = [{**flow, "count": 2, "start": {"uniform": ["0s", "10s"]}} for flow in (form, {"cc": "sack"})]
            points += [
                Point(f"regain, {version}", scenario([whole], 60, link={**link, "loss": f"at:{2 * BDP}"})),
                Point(f"freed, {version}", scenario([half], 180, traffic=datagrams)),
                Point(f"start, {version}", scenario([form], 120)),
                Point(f"shared, {version}", scenario(shared, end, measure=["60s", f"{end:g}s"]), seeds=seeds),
            ]
            if version != "2.0":
                points.append(
                    Point(f"joins, {version}", scenario([form, {**form, "start": ALONE}], joined), seeds=seeds)
                )
        return points

    def reduce(self, run: Result, point: Point) -> Joined | Shared | Regained | Freed | Started:
        kind = point.key.partition(",")[0]
        if kind == "joins":
            return joined(run)
        if kind == "shared":
            flows = run.summary["flows"]
            fairness = defined(jain([flow["throughput_mbps"] for flow in flows[:2]]))
            return Shared(jain=fairness, sack=sum(number(flow, "share") for flow in flows[2:]))
        shown = run.cwnd["cwnd"].to_numpy()[::5].tolist()
        if kind == "start":
            return Started(start_up_s=start_up_s(run, MBPS, 1), cwnd=shown)
        if kind == "regain":
            return Regained(regain_s=regain_s(run, RTT_S), cwnd=shown)
        return Freed(growth=convex_growth(run, FREED_S), cwnd=shown)

    def claims(self, results: Results[Joined | Shared | Regained | Freed | Started]) -> dict[str, Answer]:
        def change(new: str, old: str, name: str) -> Measured:
            pairs = zip(results.values(f"shared, {new}", name), results.values(f"shared, {old}", name))
            return Measured([value - before for value, before in pairs])

        return {
            "regain-2-2-to-2-1": Measured(results.ratio("regain, 2.2", "regain, 2.1", "regain_s")),
            "regain-2-1-to-2-0": Measured(results.ratio("regain, 2.1", "regain, 2.0", "regain_s")),
            "convex-growth": Measured(results.ratio("freed, 2.2", "freed, 2.1", "growth")),
            "convergence": Measured(time_ratio(results, "joins, 2.2", "joins, 2.1")),
            "start-up": Measured(results.ratio("start, 2.1", "start, 2.0", "start_up_s")),
            "fairness-2-1": change("2.1", "2.0", "jain"),
            "sack-share-2-1": change("2.1", "2.0", "sack"),
            "fairness-2-2": change("2.2", "2.1", "jain"),
            "sack-share-2-2": change("2.2", "2.1", "sack"),
        }

    def plot(self, results: Results[Joined | Shared | Regained | Freed | Started], figure: Figure) -> None:
        from cwnd.plot.experiments import over_time

        figure.set_size_inches(6.4, 7.2)
        titles = {"regain": "after one loss", "freed": f"half the link freed at {FREED_S} s", "start": "start-up"}
        for axes, (kind, title) in zip(figure.subplots(3, 1), titles.items()):
            over_time(
                axes, {f"CUBIC {version}": results.of(Alone, f"{kind}, {version}").cwnd for version in FORMS}, 0.5
            )
            axes.set(title=title, ylabel="cwnd (packets)", xlim=(0, None), ylim=(0, 25_000))
        axes.set_xlabel("time (s)")
        figure.axes[0].legend(ncols=3)
