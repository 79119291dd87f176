# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates: one scenario under many seeds, over threads, and what can be said over them.

The outcome depends on scenario and seeds only, not on the number of threads nor on when which run ended.
"""

from cwnd.replicates.study import Study, replicate

__all__ = ["Study", "replicate"]
