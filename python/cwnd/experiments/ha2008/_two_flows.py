# SPDX-License-Identifier: MIT OR Apache-2.0
"""Two flows of one algorithm on 400 Mbit/s with a buffer of 2 Mbyte and background traffic (section 6.1): figures 8 and 9."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cwnd.experiments import Figure, Results
from cwnd.experiments.ha2008._algorithms import NAMES
from cwnd.experiments.ha2008._testbed import OVERHEAD, background

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes


#: Unstated: the flows start within ten seconds.
START = {"uniform": ["0s", "10s"]}


def scenario(cc: str, rtt_ms: int, flows: list[dict[str, Any]], seconds: float, warm_up: float) -> dict[str, Any]:
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
    results: Results, figure: Figure, labels: Mapping[str, str], across: Callable[[float], float]
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
