# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures: of a run (windows, throughput, queue, shares, and the four together), and what pictures of experiments share."""

from cwnd.plot.draw import COLOURS, DASHES, MARKERS, STYLE, draw, save

__all__ = ["COLOURS", "DASHES", "MARKERS", "STYLE", "draw", "save"]
