# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kinds of pictures of runs, by their names on the command line."""

from __future__ import annotations

from cwnd.plot.runs.distribution import distribution
from cwnd.plot.runs.pictures import queue, throughput, windows
from cwnd.plot.studies.kinds import kind

DEFAULT = "windows"
KINDS = {
    "windows": kind(windows, ()),
    "throughput": kind(throughput, ()),
    "queue": kind(queue, ("link",)),
    "cdf": kind(distribution, ("measure",)),
}
