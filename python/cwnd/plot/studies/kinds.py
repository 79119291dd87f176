# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kinds of pictures of a study, by their names on the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cwnd.plot.studies.distribution import over_runs
from cwnd.plot.studies.heatmap import heatmap
from cwnd.plot.studies.planes import delay_throughput, fairness
from cwnd.plot.studies.response import response

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of picture, and its arguments other than `where` and `width`."""

    draw: Callable[..., Figure]
    arguments: frozenset[str]


def kind(draw: Callable[..., Figure], arguments: Iterable[str]) -> Kind:
    return Kind(draw, frozenset(arguments))


DEFAULT = "response"
KINDS = {
    "response": kind(response, ("x", "measure", "by")),
    "heatmap": kind(heatmap, ("x", "y", "measure", "of", "against", "ratio")),
    "fairness": kind(fairness, ("x", "measure", "of", "against")),
    "delay-throughput": kind(delay_throughput, ("x", "measure", "delay", "link")),
    "cdf": kind(over_runs, ("measure", "by")),
}
