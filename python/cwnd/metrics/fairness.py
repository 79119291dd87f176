# SPDX-License-Identifier: MIT OR Apache-2.0
"""Fairness and convergence (RFC 5166 §2.3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.measure_type import UndefinedError, measure
from cwnd.metrics.series import TICK_S, Rates

Shares = Sequence[float] | NDArray[np.float64]


def scaled(values: Shares) -> NDArray[np.float64]:
    """The values divided by the largest, so that their squares neither overflow nor vanish."""
    shares = np.asarray(values, dtype=np.float64)
    if not len(shares):
        raise UndefinedError("there is no flow")
    if not np.isfinite(shares).all() or (shares < 0).any():
        raise ValueError("a rate is negative or not a number")
    if shares.max() == 0:
        raise UndefinedError("nothing was sent")
    quotients: NDArray[np.float64] = shares / shares.max()
    return quotients


@measure("")
def jain(rates: Shares) -> float:
    """Jain's index (Σx)² / (n Σx²): 1 when all are equal, k/n when k of n have equal shares and the others have nothing.

    RFC 5166 §2.3.1; Jain, Chiu and Hawe, DEC-TR-301 (1984). Undefined without a flow, and when nothing was sent.
    """
    shares = scaled(rates)
    return float(shares.sum() ** 2 / (len(shares) * (shares**2).sum()))


@measure("")
def min_max_ratio(rates: Shares) -> float:
    """The smallest rate over the largest, 0 to 1; ε-fair means at least 1 − ε (RFC 5166 §2.3.1).

    Undefined without a flow, and when nothing was sent.
    """
    return float(scaled(rates).min())


#: The beginnings of the reasons that flows did not converge within the run; their time counts as later than all others. Other reasons say
#: that there is no such time.
NOT_CONVERGED = ("fair from ", "the shares never stayed ")


@measure("s")
def convergence_time(rates: Rates, *, delta: float, hold_s: float, since_s: float) -> float:
    """δ-fair convergence time: from `since_s` until every flow's share comes within (1 ± δ)/n of their sum and stays so for `hold_s`.

    For two flows: shares between (1 − δ)/2 and (1 + δ)/2, as in RFC 5166 §2.3 and Bansal, Balakrishnan, Floyd and Shenker,
    "Dynamic behavior of slowly-responsive congestion control algorithms" (2001), section 4; the hold is this project's
    addition, because shares may be fair for a moment only. `since_s` is the last flow's start, and the resolution is the
    interval of `rates`; the result ends at the beginning of the first fair interval. Undefined for fewer than two flows,
    when the shares never stay, and when the record ends before they have stayed long enough.
    """
    if not 0 < delta < 1 or hold_s < 0:
        raise ValueError(f"delta {delta}, hold_s {hold_s}; expected 0 < delta < 1 and hold_s ≥ 0")
    count = len(rates.flows)
    if count < 2:
        raise UndefinedError("fewer than two flows")
    begins = rates.begin_s + rates.interval_s * np.arange(rates.mbps.shape[1])
    later = begins >= since_s - TICK_S
    begins, mbps = begins[later], rates.mbps[:, later]
    total = mbps.sum(axis=0)
    # Idle intervals are not fair.
    shares = np.divide(mbps, total, out=np.zeros_like(mbps), where=total > 0)
    # A rounding error does not make a share of exactly (1 + δ)/n unfair.
    fair = (np.abs(shares * count - 1) <= delta + 1e-9).all(axis=0) & (total > 0)
    needed = max(1, int(np.ceil(hold_s / rates.interval_s - 1e-6)))
    streak = 0
    for index, is_fair in enumerate(fair):
        streak = streak + 1 if is_fair else 0
        if streak == needed:
            return float(begins[index - needed + 1] - since_s)
    if streak:
        since = begins[len(fair) - streak]
        raise UndefinedError(f"{NOT_CONVERGED[0]}{since:g} s on, but the record ends before {hold_s:g} s of it")
    raise UndefinedError(f"{NOT_CONVERGED[1]}within {delta:.3g} of fair for {hold_s:g} s")
