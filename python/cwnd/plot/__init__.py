# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures: of a run (windows, throughput, queue, shares, and the four together), of studies, and what pictures of experiments share."""

from cwnd.plot.draw import COLOURS, DASHES, MARKERS, STYLE, draw, save
from cwnd.plot.studies.distribution import cdf
from cwnd.plot.studies.heatmap import heatmap
from cwnd.plot.studies.planes import delay_throughput, fairness
from cwnd.plot.studies.response import response

__all__ = [
    "COLOURS",
    "DASHES",
    "MARKERS",
    "STYLE",
    "cdf",
    "delay_throughput",
    "draw",
    "fairness",
    "heatmap",
    "response",
    "save",
]
