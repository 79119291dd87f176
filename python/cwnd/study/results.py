# SPDX-License-Identifier: MIT OR Apache-2.0
"""The results of a study: two tidy tables, and the runs that failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from cwnd._internal.notebook_repr import Displayed
from cwnd.result.frames import RunsAndMeans
from cwnd.scenario.flow import Value
from cwnd.scenario.notation import count_of, level_words

if TYPE_CHECKING:
    import pyarrow as pa


class Failed(TypedDict):
    """A point without a scenario, a run without a result, or one in which a connection failed."""

    factors: dict[str, Value]
    #: null: the point has no scenario under any seed
    seed: int | None
    why: str
    #: whether the run came to its end, so that the tables have its numbers: a connection of a real stack failed in it
    ended: bool


def place(factors: Mapping[str, object]) -> str:
    """A point in words: `beta=0.7, rtt=40ms`."""
    return ", ".join(f"{name}={level_words(value)}" for name, value in factors.items())


@dataclass(frozen=True, slots=True, repr=False)
class Study(RunsAndMeans, Displayed):
    """The tables of a study."""

    #: The columns that say what was varied.
    factors: list[str]
    #: A row per run and number: factors, `seed`, `of` what (`all`, `group`, `link`, `traffic`, `transfers`), its `name` and `label`, `measure`, `value`, `unit`, `why` there is none.
    runs: pa.Table
    #: A row per point and number: the same, and instead of a seed `centre` (mean or median), `value`, `low` and `high` (95 %), `n`, `undefined`.
    means: pa.Table
    #: Points without a scenario, runs without a result, and runs in which a connection of a real stack failed, with the reason.
    failed: list[Failed]
    #: Runs requested, and runs that `until` added.
    asked: int
    #: Runs that are done.
    done: int
    #: Runs reused from an earlier call.
    found: int
    #: Whether runs are left: Ctrl-C ended it, or it is a part (shard) of a larger study.
    stopped: bool = False
    #: Settings that all points share, in words: `rate`, `rtt`, `buffer`, `queue`, `loss`, `flows`, `duration`, `measured`.
    fixed: dict[str, str] = field(default_factory=dict)
    #: The factors of points at which an interval is wider than `until` asks, because they have the maximum number of seeds, a run failed, or the study was stopped.
    wide: list[dict[str, Value]] = field(default_factory=list)

    @property
    def left(self) -> int:
        """Runs that are neither done nor failed."""
        without_numbers = sum(1 for each in self.failed if each["seed"] is not None and not each.get("ended", False))
        return max(0, self.asked - self.done - without_numbers)

    def _varied(self) -> list[str]:
        return self.factors

    def _failed_points(self) -> list[dict[str, Value]]:
        return [each["factors"] for each in self.failed if each["seed"] is None]

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        wide = f", {count_of(len(self.wide), 'point')} less precise than requested" if self.wide else ""
        return f"Study({self.done} of {self.asked} runs{failed}{wide}; factors {', '.join(self.factors) or 'none'})"
