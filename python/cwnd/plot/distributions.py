# SPDX-License-Identifier: MIT OR Apache-2.0
"""Distributions: within runs, and over the runs of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cwnd._internal.input_errors import refused
from cwnd.plot.arguments import checked
from cwnd.plot.runs.distribution import distribution
from cwnd.plot.runs.variants import Runs
from cwnd.plot.studies.canvas import Width
from cwnd.plot.studies.distribution import over_runs
from cwnd.plot.studies.factors import Where
from cwnd.study.results import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@checked
def cdf(
    data: Study | Runs,
    measure: str | None = None,
    by: str | None = None,
    where: Where | None = None,
    *,
    width: Width = "page",
    ax: Axes | None = None,
) -> Figure:
    """Draws a distribution: for each value, the fraction of cases with at most that value.

    `data` are runs or a study. For runs (as in `windows`) the cases are packets with their queueing delay (`queue_ms`, in ms, the default),
    transfers with their completion time (`completion_s`) or flows with their throughput (`throughput_mbps`), all over the measured interval, with
    seeds combined. For a `Study` the cases are its runs, with a line per variant, or with `by` per level of a factor. Further factors have a
    panel per level, up to six. `where` fixes factors, as in `response`. The default `measure` is the throughput of the groups of flows.

    `width` is `column`, `page` or `slide`. Draws into `ax` if it is given and there is one panel. Returns the figure. Raises `ScenarioError` for
    names that the data does not have, and for more than six panels.
    """
    if isinstance(data, Study):
        return over_runs(data, measure, by, where, width=width, ax=ax)
    for name, value in (("by", by), ("where", where)):
        if value is not None:
            raise refused(name, value, "it with a Study")
    return distribution(data, measure, width=width, ax=ax)
