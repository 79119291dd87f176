# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of runs and of studies, each a function that returns a figure, and what pictures of experiments share."""

from cwnd.plot.distributions import cdf
from cwnd.plot.draw import COLOURS, DASHES, MARKERS, STYLE, draw, save
from cwnd.plot.runs.pictures import queue, throughput, windows
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
    "queue",
    "response",
    "save",
    "throughput",
    "windows",
]
