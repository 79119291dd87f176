# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pictures of a run: windows, throughput, queue, shares, and the four together."""

from cwnd.plot.draw import draw

__all__ = ["draw"]
