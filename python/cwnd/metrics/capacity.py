# SPDX-License-Identifier: MIT OR Apache-2.0
"""The rate of a link over time: constant, in steps, or of a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cwnd.metrics.measure_type import UndefinedError
from cwnd.metrics.series import Floats, column

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Capacity:
    """The rate of a link from given times on.

    A trace is in the table `rates` as the bits of its opportunities over the millisecond that begins at their time.
    """

    #: When each rate begins, s; the first is 0.
    times_s: Floats
    #: Mbit/s; 0 is an outage.
    mbps: Floats

    @classmethod
    def constant(cls, mbps: float) -> Capacity:
        """A constant rate."""
        return cls(np.zeros(1), np.array([mbps], dtype=np.float64))

    @classmethod
    def of(cls, rates: pa.Table, link: int = 0) -> Capacity:
        """The capacity of a link in the table `rates`; `UndefinedError` if it is not in there."""
        rows = column(rates, "link", np.int64) == link
        if not rows.any():
            raise UndefinedError(f"link {link} was not recorded")
        times, mbps = (np.asarray(column(rates, name), np.float64)[rows] for name in ("time_s", "rate_mbps"))
        return cls(times, mbps)

    @property
    def is_constant(self) -> bool:
        """Whether it never changes."""
        return bool((self.mbps == self.mbps[0]).all())

    def mean_mbps(self, edges_s: Floats) -> Floats:
        """The mean rate between each two consecutive times, Mbit/s."""
        means: Floats = np.diff(self.sent_mbit(edges_s)) / np.diff(edges_s)
        return means

    def _at_steps(self) -> Floats:
        """What the link can have sent by the begin of each rate, Mbit."""
        return np.concatenate(([0.0], np.cumsum(self.mbps[:-1] * np.diff(self.times_s))))

    def sent_mbit(self, at_s: Floats) -> Floats:
        """What the link can have sent from 0 up to these times, Mbit."""
        step = np.maximum(np.searchsorted(self.times_s, at_s, side="right") - 1, 0)
        sent: Floats = self._at_steps()[step] + self.mbps[step] * (at_s - self.times_s[step])
        return sent

    def mbit(self, begin_s: float, end_s: float) -> float:
        """What the link can send between two times, Mbit."""
        first, last = self.sent_mbit(np.array([begin_s, end_s]))
        return float(last - first)

    def wait_s(self, at_s: Floats, backlog_mbit: Floats) -> Floats:
        """The time that the link takes, from these times on, to send these backlogs; infinite if it never does."""
        sent_by = self._at_steps()
        goal = self.sent_mbit(at_s) + backlog_mbit
        # The last step before the goal is reached, which is never in an outage.
        step = np.maximum(np.searchsorted(sent_by, goal, side="left") - 1, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            done = self.times_s[step] + (goal - sent_by[step]) / self.mbps[step]
        waits: Floats = np.where(backlog_mbit > 0, np.maximum(done - at_s, 0.0), 0.0)
        return waits
