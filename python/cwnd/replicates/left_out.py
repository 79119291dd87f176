# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs that a mean leaves out: why they have no value, and whether the mean of the others has an interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cwnd.metrics.confidence_intervals import Interval, mean_interval
from cwnd.metrics.rates import DID_NOT_END, is_unfinished
from cwnd.scenario.notation import count_of


def reason_of(reasons: Sequence[str]) -> str:
    """Why several runs have no value. Unfinished transfers and another reason are both named, each with its number of runs."""
    unfinished = [why for why in reasons if is_unfinished(why)]
    others = [why for why in reasons if not is_unfinished(why)]
    if not unfinished:
        return others[0] if others else ""
    # How many transfers did not end may differ from run to run.
    why = unfinished[0] if len(set(unfinished)) == 1 else DID_NOT_END[0]
    if not others:
        return why
    return f"in {count_of(len(unfinished), 'run')}: {why}; in {len(others)}: {others[0]}"


def mean_of_others(values: Sequence[float], why: str) -> Interval:
    """The mean of the runs that have a value; `why` others have none.

    Runs whose transfers ended are a selection, not a random sample: their mean has no interval. It is no bound either: a transfer
    that did not end is only known to take longer than from its own start to the end of the run.
    """
    interval = mean_interval(values)
    return replace(interval, low=None, high=None, level=None) if is_unfinished(why) else interval
