# SPDX-License-Identifier: MIT OR Apache-2.0
"""Flows of an algorithm X alongside as many SACK flows: figure 10, and sections 5.1 and 6.4.

Section 6.4: four SACK flows alongside four SACK flows; then four of the eight replaced. Buffer of one BDP, background of 15 % in both
directions (section 6.1). Shares are payload, as iperf reports it, and "accumulated averages": read as means over the measured part of
a run. Left open: durations, start times, and the points of the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from cwnd._internal.json_types import number
from cwnd.papers.ha2008.setups.testbed import LABELS, NAMES, algorithm, background
from cwnd.reproduce import Experiment, Figure, Point, Result, Results, Setup, iperf
from cwnd.reproduce.numbers import JsonObject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes


T = TypeVar("T")
#: Unstated: all start within a second; the first quarter of the run is not measured.
START, WARM_UP = {"uniform": ["0s", "1s"]}, 0.25


def against_sack(
    cc: str, *, rate: float, rtt_ms: float, seconds: float, each: int = 4, with_background: bool = True
) -> JsonObject:
    """`each` flows of `cc`, then as many SACK flows; `rate` in Mbit/s."""
    # Against phase effects: up to a packet's time at the bottleneck, 30 µs at 400 Mbit/s.
    flow: JsonObject = {"start": START, "overhead": f"{12_000 / rate:.0f}us"}
    scenario: JsonObject = {
        "duration": f"{seconds:g}s",
        "measure": [f"{WARM_UP * seconds:g}s", f"{seconds:g}s"],
        "link": {"rate": f"{rate:g}Mbit/s", "rtt": f"{rtt_ms:g}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        "flow": [{"cc": name, "count": each, **flow} for name in (cc, "sack")],
        "record": {"interval": "0s"},
    }
    return {**scenario, "traffic": background()} if with_background else scenario


def sweep_point(setup: Setup, name: str, key: str, *, rate: float, rtt_ms: float, seconds: float, seeds: int) -> Point:
    """One point of figure 10, with the name `key`: the algorithm `name` alongside SACK."""
    scenario = against_sack(algorithm(setup, name), rate=rate, rtt_ms=rtt_ms, seconds=seconds)
    return Point(key, scenario, seeds=seeds, info={"name": name, "rate": rate, "rtt": rtt_ms})


@dataclass(frozen=True, slots=True)
class Shares:
    """Parts of the link, as payload."""

    x: float
    sack: float
    #: By all traffic, headers included.
    utilisation: float

    @property
    def ratio(self) -> float:
        """SACK's share over that of X."""
        return self.sack / self.x


def shares(run: Result) -> Shares:
    """Shares of X and of SACK, and the utilisation by all traffic. If X is SACK, each gets half of the sum."""
    flow_shares = iperf.shares(run)
    half = len(flow_shares) // 2
    x, sack = sum(flow_shares[:half]), sum(flow_shares[half:])
    if run.summary["flows"][0]["cc"] == "sack":
        x = sack = (x + sack) / 2
    return Shares(x=x, sack=sack, utilisation=number(run.summary["link"], "utilization"))


class AgainstSack(Experiment[Shares]):
    """Flows of an algorithm alongside as many SACK flows: its shares."""

    def reduce(self, run: Result, point: Point) -> Shares:
        return shares(run)


class Figure10(AgainstSack):
    """A panel of figure 10: a sweep along the bandwidth or the round trip."""

    #: What is swept (`rate` or `rtt`), and the label of its axis.
    along: ClassVar[str]
    label: ClassVar[str]

    def plot(self, results: Results[Shares], figure: Figure) -> None:
        draw_bars(figure.subplots(), results, self.along, self.label)


def by_swept_value(
    results: Results[Shares], name: str, along: str, formula: Callable[[str], Sequence[T]]
) -> dict[str, Sequence[T]]:
    """`formula` of the key of each point of `name`, by the swept value (`along`: `rate` or `rtt`), smallest first."""
    points = sorted((p for p in results.points.values() if p.info["name"] == name), key=lambda p: p.number(along))
    unit = {"rate": "Mbit/s", "rtt": "ms"}[along]
    return {f"{point.number(along):g} {unit}": formula(point.key) for point in points}


def per_seed(results: Results[Shares], name: str, along: str, measure: str = "sack") -> list[list[float]]:
    """The values of a measure along the sweep, a list per seed."""
    values = by_swept_value(results, name, along, lambda key: results.values(key, measure)).values()
    return [list(row) for row in zip(*values)]


def falls(shares: Sequence[float], by: float, slack: float) -> bool:
    """Whether the last share is below the first by more than `by`, and none is above an earlier one by more than `slack`."""
    return shares[0] - shares[-1] > by and all(
        later <= min(shares[: index + 1]) + slack for index, later in enumerate(shares[1:])
    )


def draw_bars(axes: Axes, results: Results[Shares], along: str, label: str) -> None:
    """The paper's bars: for each swept value and algorithm, the share of SACK (below) and of X (above)."""
    from cwnd.plot import COLOURS

    swept = results.swept(along)
    width = 0.8 / len(NAMES)
    for index, name in enumerate(NAMES):
        at = [position + width * (index - (len(NAMES) - 1) / 2) for position in range(len(swept))]
        keys = by_swept_value(results, name, along, lambda key: [key])
        means = {part: [100 * results.mean(key, part) for (key,) in keys.values()] for part in ("sack", "x")}
        axes.bar(at, means["sack"], width * 0.92, color="#BBBBBB", edgecolor="black", linewidth=0.6)
        axes.bar(
            at,
            means["x"],
            width * 0.92,
            bottom=means["sack"],
            color=COLOURS[index],
            edgecolor="black",
            linewidth=0.6,
            hatch=("", "//", "..", "xx")[index],
            label=LABELS[name],
        )
    axes.bar([0], [0], color="#BBBBBB", edgecolor="black", linewidth=0.6, label="SACK's share")
    axes.set_xticks(range(len(swept)), [f"{value:g}" for value in swept])
    axes.set(xlabel=label, ylabel="share of the link (%)", ylim=(0, 118), yticks=range(0, 101, 20))
    axes.legend(ncols=5, fontsize="small", loc="upper center", handlelength=1.4, columnspacing=0.9)
