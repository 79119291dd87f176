# SPDX-License-Identifier: MIT OR Apache-2.0
"""Connections of real stacks that ended by a fault or never opened, and flows that a receive window limited: in words, and as a warning."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwnd._internal.summary_types import FlowFailure, MeasuredSummary

#: Failures that a report names; of more, their number.
MOST_NAMED = 10


class ConnectionWarning(UserWarning):
    """A connection of a real stack ended by a fault, or never opened: the numbers of its flow are not those of a whole run."""


def failure_line(failure: FlowFailure) -> str:
    """One failure in words."""
    what = "its connection ended at" if failure["has_opened"] else "its connection had not opened by"
    return f"{failure['flow']}: {what} {failure['time_s']:.3f} s: {failure['why']}"


def failure_lines(failures: Sequence[FlowFailure]) -> list[str]:
    """Failures in words, a line each."""
    lines = [failure_line(failure) for failure in failures[:MOST_NAMED]]
    if len(failures) > MOST_NAMED:
        lines.append(f"{len(failures) - MOST_NAMED} more connections ended or never opened (failures in --json)")
    return lines


def receive_limit_lines(summary: MeasuredSummary) -> list[str]:
    """Flows that their receive window limited, a line each."""
    return [
        f"{limit['flow']}: limited by its receive window of {limit['receive_window']:.0f} packets: "
        f"its mean congestion window was {limit['cwnd_mean']:.0f} (rwnd changes it)"
        for limit in summary.get("receive_limits", ())[:MOST_NAMED]
    ]


def warn_of_failures(summary: Mapping[str, object] | MeasuredSummary, stacklevel: int) -> None:
    """Warns of connections that failed in a run."""
    failures: Sequence[FlowFailure] = summary.get("failures", ())  # type: ignore[assignment]
    if failures:
        warnings.warn("; ".join(failure_lines(failures)), ConnectionWarning, stacklevel=stacklevel + 1)
