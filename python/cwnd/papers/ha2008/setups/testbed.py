# SPDX-License-Identifier: MIT OR Apache-2.0
"""The testbed of section 6: its background traffic, the algorithms that figures 8 to 10 compare, and two flows of one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from cwnd.reproduce import Figure, Results, Setup
from cwnd.reproduce.numbers import JsonObject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes


K = TypeVar("K")
#: "Comparable to around 15 % of the bottleneck bandwidth", in both directions (section 6.1).
SHARE = 0.15
#: Against phase effects (Floyd and Jacobson 1992): hosts add up to one packet's time at the bottleneck, at random, before each packet.
OVERHEAD = "30us"


def background(share: float = SHARE) -> Sequence[JsonObject]:
    """Web transfers of Surge's sizes with more of medium size, exponential RTTs, 64 KB of socket buffer, in both directions."""
    return [{"preset": "ha2008", "share": share}]


NAMES = ("cubic", "bic", "hstcp", "sack")
LABELS = {"cubic": "CUBIC", "bic": "BIC-TCP", "hstcp": "HSTCP", "sack": "TCP-SACK"}
#: The testbed's BIC, which counts acknowledgements as its CUBIC, HSTCP and SACK do.
BIC = "bic-2.6"


def algorithm(setup: Setup, name: str) -> str:
    """The parameter set of a name in the paper."""
    return {"cubic": setup.cubic, "bic": BIC, "hstcp": "highspeed"}.get(name, name)


#: Unstated: the flows start within ten seconds.
START = {"uniform": ["0s", "10s"]}


def scenario(cc: str, rtt_ms: int, flows: Sequence[JsonObject], seconds: float, warm_up: float) -> JsonObject:
    """Flows of `cc`, each with its own keys; the part `warm_up` of the run is not measured."""
    return {
        "duration": f"{seconds:g}s",
        "measure": [f"{warm_up * seconds:g}s", f"{seconds:g}s"],
        "link": {"rate": "400Mbit/s", "rtt": f"{rtt_ms}ms", "queue": {"kind": "droptail", "limit": "2MB"}},
        "flow": [{"cc": cc, "start": START, "overhead": OVERHEAD, **keys} for keys in flows],
        "traffic": background(),
        "record": {"interval": "1s"},
    }


def panels(
    results: Results[K], figure: Figure, labels: Mapping[str, str], across: Callable[[float], float]
) -> tuple[Axes, Axes]:
    """Throughput ratio above link utilisation (%) of each algorithm, against `across` of the round trips."""
    from cwnd.plot import MARKERS

    figure.set_size_inches(6.4, 6.4)
    axes_of_figure = figure.subplots(2, 1, sharex=True)
    for axes, measure, unit in zip(axes_of_figure, ("ratio", "utilisation"), (1, 100)):
        for name, marker in zip(NAMES, MARKERS):
            rtts, means = results.line(results.where(name=name), "rtt", measure)
            axes.plot(list(map(across, rtts)), [unit * mean for mean in means], marker=marker, label=labels[name])
    axes_of_figure[1].set_ylabel("link utilisation (%)")
    return axes_of_figure[0], axes_of_figure[1]
