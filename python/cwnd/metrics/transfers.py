# SPDX-License-Identifier: MIT OR Apache-2.0
"""Transfers by group and direction: how many, and their completion times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

from cwnd.metrics.measure_type import Distribution
from cwnd.metrics.rates import completion_time
from cwnd.metrics.series import column

if TYPE_CHECKING:
    import pyarrow as pa

DIRECTIONS = ("forward", "reverse")


class CompletionTimes(TypedDict):
    """Completion times of a group of transfers; null: it is not defined."""

    #: (s)
    mean: float | None
    #: median (s)
    p50: float | None
    #: 95th percentile (s)
    p95: float | None
    #: 99th percentile (s)
    p99: float | None


class SizeSummary(TypedDict):
    """The transfers of a group in one direction whose size is of a class."""

    #: the class, such as `100kB..1MB`: from the first size, up to the second, which is not in it
    size: str
    started: int
    finished: int
    #: completion times
    completion_s: CompletionTimes
    #: why one of them is not defined
    why: NotRequired[str]


class TransfersSummary(TypedDict):
    """A group of transfers in one direction, in a summary."""

    #: `flow` or `traffic`
    of: str
    #: number of the group
    index: int
    name: str
    direction: str
    #: those of traffic in the measured interval, those of flows in the whole run
    started: int
    finished: int
    #: how many of these had ended before the measured interval, in which they sent nothing
    ended_before: int
    #: completion times
    completion_s: CompletionTimes
    #: the same by classes of sizes, those that have transfers
    by_size: list[SizeSummary]
    #: why one of them is not defined
    why: NotRequired[str]


#: The first sizes of the classes, bytes, with their names.
SIZE_CLASSES = (
    (0, "0..10kB"),
    (10_000, "10kB..100kB"),
    (100_000, "100kB..1MB"),
    (1_000_000, "1MB..10MB"),
    (10_000_000, "10MB.."),
)


@dataclass(frozen=True, slots=True)
class SizeClass:
    """The transfers of a group and direction whose size is of a class."""

    #: The class, such as `100kB..1MB`: from the first size, up to the second, which is not in it.
    size: str
    #: How many started.
    started: int
    #: How many of these ended within the run.
    finished: int
    #: Mean, p50, p95, p99, s.
    completion: Distribution

    def document(self) -> SizeSummary:
        """As JSON."""
        document: SizeSummary = {
            "size": self.size,
            "started": self.started,
            "finished": self.finished,
            "completion_s": completion_times(self.completion),
        }
        if why := reasons_of(self.completion):
            document["why"] = why
        return document


def completion_times(times: Distribution) -> CompletionTimes:
    """Completion times as JSON."""
    return {
        "mean": times["mean"].value,
        "p50": times["p50"].value,
        "p95": times["p95"].value,
        "p99": times["p99"].value,
    }


def reasons_of(times: Distribution) -> str:
    """Why some of them are not defined."""
    return "; ".join(sorted({times[part].why for part in ("mean", "p50", "p95", "p99")} - {""}))


@dataclass(frozen=True, slots=True)
class Transfers:
    """The finite transfers of one group and direction: those of traffic that started in the measured interval, all of flows and of listed transfers."""

    #: `flow` or `traffic`.
    of: str
    #: Number of its group.
    index: int
    #: Name of its group.
    name: str
    #: `forward` or `reverse`.
    direction: str
    #: How many started.
    started: int
    #: How many of these ended within the run.
    finished: int
    #: How many of these had ended before the measured interval.
    ended_before: int
    #: Mean, p50, p95, p99, s.
    completion: Distribution
    #: The same by classes of sizes, those that have transfers.
    by_size: tuple[SizeClass, ...]

    @property
    def key(self) -> tuple[str, int, str]:
        """Its key among those of a scenario."""
        return self.of, self.index, self.direction

    def document(self) -> TransfersSummary:
        """As JSON."""
        document: TransfersSummary = {
            "of": self.of,
            "index": self.index,
            "name": self.name,
            "direction": self.direction,
            "started": self.started,
            "finished": self.finished,
            "ended_before": self.ended_before,
            "completion_s": completion_times(self.completion),
            "by_size": [each.document() for each in self.by_size],
        }
        if why := reasons_of(self.completion):
            document["why"] = why
        return document


def transfers_by_group(
    transfers: pa.Table,
    *,
    begin_s: float,
    end_s: float,
    flows: Sequence[tuple[str, Sequence[int]]] = (),
    traffic: Sequence[str] = (),
    lists: Sequence[int] = (),
) -> list[Transfers]:
    """The rows of the table `transfers` that have an end, by group and direction: all of flows and of `lists`, and those of other traffic that started from `begin_s` up to `end_s`.

    Each flow is one transfer, which is reported whenever it started, and so is each of a list; other traffic is a process, of which the interval is a sample. `lists` are numbers of groups of traffic with listed transfers. `flows` are names and flow numbers of the scenario's groups, `traffic` names of its groups of traffic. Groups without such a
    transfer have no entry; flows come first, the forward direction before the reverse.
    """
    started = np.asarray(column(transfers, "start_s"), np.float64)
    sizes = np.asarray(column(transfers, "bytes"), np.float64)
    sized = np.isfinite(sizes)
    classes = np.searchsorted([first for first, _ in SIZE_CLASSES], sizes, side="right") - 1
    times = transfers.select(["start_s", "end_s"])
    ended = np.asarray(column(transfers, "end_s"), np.float64)  # NaN: not within the run
    source = np.asarray(column(transfers, "group"), np.float64)  # NaN: a flow of the scenario
    within = sized & (np.isnan(source) | np.isin(source, list(lists)) | ((started >= begin_s) & (started < end_s)))
    number = np.asarray(column(transfers, "number", np.int64), np.int64)
    reverse = np.array(transfers["direction"].to_pylist(), dtype=object) == DIRECTIONS[1]

    def described(rows: NDArray[np.int64]) -> tuple[int, int, Distribution]:
        chosen = times.take(rows)
        return len(rows), len(rows) - chosen["end_s"].null_count, completion_time(chosen)

    def by_direction(kind: str, index: int, name: str, in_group: NDArray[np.bool_]) -> list[Transfers]:
        groups = []
        for is_reverse, direction in enumerate(DIRECTIONS):
            rows = np.flatnonzero(within & in_group & (reverse == bool(is_reverse)))
            if not len(rows):
                continue
            before = int((ended[rows] <= begin_s).sum())
            by_size = tuple(
                SizeClass(SIZE_CLASSES[number][1], *described(rows[classes[rows] == number]))
                for number in np.unique(classes[rows])
            )
            started, finished, completion = described(rows)
            groups.append(Transfers(kind, index, name, direction, started, finished, before, completion, by_size))
        return groups

    known = [
        *(
            ("flow", index, name, np.isnan(source) & np.isin(number, list(group)))
            for index, (name, group) in enumerate(flows)
        ),
        *(("traffic", index, name, source == index) for index, name in enumerate(traffic)),
    ]
    return [transfers_of_group for group in known for transfers_of_group in by_direction(*group)]
