# SPDX-License-Identifier: MIT OR Apache-2.0
"""Percentiles by the nearest rank, of values or of a histogram."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.measure_type import UndefinedError

Sample = Sequence[float] | NDArray[np.float64]


def quantile(values: Sample, part: float, weights: Sample | None = None) -> float:
    """The smallest value that at least `part` of the sample does not exceed (0 < part ≤ 1): one that was observed.

    `weights` say how often each value occurred. Infinite values are allowed: they are larger than all others.
    """
    if not 0 < part <= 1:
        raise ValueError(f"part is {part}; expected 0 < part ≤ 1")
    sample = np.asarray(values, dtype=np.float64)
    if np.isnan(sample).any():
        raise ValueError("a value is not a number")
    counts = np.ones(len(sample)) if weights is None else np.asarray(weights, dtype=np.float64)
    if counts.sum() <= 0:
        raise UndefinedError("there is no value")
    # With weights numpy picks a value and computes none: infinite ones stay what they are.
    return float(np.quantile(sample, part, weights=counts, method="inverted_cdf"))
