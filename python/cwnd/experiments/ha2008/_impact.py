# SPDX-License-Identifier: MIT OR Apache-2.0
"""What figure 10 and section 5.1 share: what flows of X leave to as many SACK flows, and what SACK flows leave to each other.

Section 6.4: four SACK flows beside four SACK flows; then four of the eight replaced. Buffer of one BDP, background of 15 % in both
directions (section 6.1). Shares are payload, as iperf reports it, and "accumulated averages": read as means over the measured part of
a run. Left open: durations, start times, and the points of the sweeps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from cwnd.experiments import Point, Reduced, Result, Results, Setup, iperf
from cwnd.experiments.ha2008._testbed import background

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes


T = TypeVar("T")
NAMES = ("cubic", "bic", "hstcp", "sack")
LABELS = {"cubic": "CUBIC", "bic": "BIC-TCP", "hstcp": "HSTCP", "sack": "TCP-SACK"}
#: The testbed's BIC, which counts acknowledgements as its CUBIC, HSTCP and SACK do.
BIC = "bic-2.6"
#: Unstated: all start within a second; the first quarter of the run is not measured.
START, WARM_UP = {"uniform": ["0s", "1s"]}, 0.25


def algorithm(setup: Setup, name: str) -> str:
    """The parameter set of a name in the paper."""
    return {"cubic": setup.cubic, "bic": BIC, "hstcp": "highspeed"}.get(name, name)


def beside(cc: str, *, rate: float, rtt_ms: float, seconds: float, each: int = 4, busy: bool = True) -> dict[str, Any]:
    """`each` flows of `cc` and as many SACK flows (the later ones), Mbit/s."""
    # Against phase effects: up to a packet's time at the bottleneck, 30 µs at 400 Mbit/s.
    flow = {"start": START, "overhead": f"{12_000 / rate:.0f}us"}
    scenario = {
        "duration": f"{seconds:g}s",
        "measure": [f"{WARM_UP * seconds:g}s", f"{seconds:g}s"],
        "link": {"rate": f"{rate:g}Mbit/s", "rtt": f"{rtt_ms:g}ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        "flow": [{"cc": name, "count": each, **flow} for name in (cc, "sack")],
        "record": {"interval": "0s"},
    }
    return {**scenario, "traffic": background()} if busy else scenario


def sweep(setup: Setup, name: str, key: str, **settings: Any) -> Point:  # noqa: ANN401
    """One point of figure 10: `name` beside SACK; `key` says which."""
    seeds = settings.pop("seeds")
    info = {"name": name, "rate": settings["rate"], "rtt": settings["rtt_ms"]}
    return Point(key, beside(algorithm(setup, name), **settings), seeds=seeds, info=info)


def shares(run: Result) -> Reduced:
    """Shares of X and of SACK, and the utilisation by all traffic. Beside SACK both halves are SACK: each has half of both."""
    found = iperf.shares(run)
    half = len(found) // 2
    x, sack = sum(found[:half]), sum(found[half:])
    if run.summary["flows"][0]["cc"] == "sack":
        x = sack = (x + sack) / 2
    return {"x": x, "sack": sack, "utilisation": run.summary["link"]["utilization"]}


def of_sweep(results: Results, name: str, along: str, formula: Callable[[str], Sequence[T]]) -> dict[str, Sequence[T]]:
    """`formula` of each point's key of `name`, by what it sweeps (`rate` or `rtt`), smallest first."""
    points = sorted((p for p in results.points.values() if p.info["name"] == name), key=lambda p: p.info[along])
    unit = {"rate": "Mbit/s", "rtt": "ms"}[along]
    return {f"{point.info[along]:g} {unit}": formula(point.key) for point in points}


def seed_by_seed(results: Results, name: str, along: str, measure: str = "sack") -> list[list[float]]:
    """A measure along the sweep, per seed."""
    values = of_sweep(results, name, along, lambda key: results.values(key, measure)).values()
    return [list(row) for row in zip(*values)]


def falls(shares: Sequence[float], by: float, slack: float) -> bool:
    """Whether the last is below the first by more than `by`, and none above an earlier one by more than `slack`."""
    return shares[0] - shares[-1] > by and all(
        later <= min(shares[: place + 1]) + slack for place, later in enumerate(shares[1:])
    )


def bars(axes: Axes, results: Results, along: str, label: str) -> None:
    """The paper's bars: by value swept, for each algorithm what SACK has (below) and what X has (above)."""
    from cwnd.plot import COLOURS

    swept = results.swept(along)
    width = 0.8 / len(NAMES)
    for place, name in enumerate(NAMES):
        at = [one + width * (place - (len(NAMES) - 1) / 2) for one in range(len(swept))]
        keys = of_sweep(results, name, along, lambda key: [key])
        means = {part: [100 * results.mean(key, part) for (key,) in keys.values()] for part in ("sack", "x")}
        axes.bar(at, means["sack"], width * 0.92, color="#BBBBBB", edgecolor="black", linewidth=0.6)
        axes.bar(
            at,
            means["x"],
            width * 0.92,
            bottom=means["sack"],
            color=COLOURS[place],
            edgecolor="black",
            linewidth=0.6,
            hatch=("", "//", "..", "xx")[place],
            label=LABELS[name],
        )
    axes.bar([0], [0], color="#BBBBBB", edgecolor="black", linewidth=0.6, label="SACK's share")
    axes.set_xticks(range(len(swept)), [f"{one:g}" for one in swept])
    axes.set(xlabel=label, ylabel="share of the link (%)", ylim=(0, 118), yticks=range(0, 101, 20))
    axes.legend(ncols=5, fontsize="small", loc="upper center", handlelength=1.4, columnspacing=0.9)
