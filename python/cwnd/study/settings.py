# SPDX-License-Identifier: MIT OR Apache-2.0
"""How a study is run: seeds, precision, lane and part, from a command, from Python and from the manifest of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cwnd._internal.input_errors import refused
from cwnd.replicates.api import MOST_SEEDS
from cwnd.result.lanes import SIM, known_lane
from cwnd.study.precision import FIRST, MOST, Precision


@dataclass(frozen=True, slots=True)
class Settings:
    """How a study is run."""

    #: Seeds of each point; with `until` those that it begins with.
    seeds: int | None = None
    until: Precision | None = None
    #: The most seeds that `until` gives a point.
    most_seeds: int = MOST
    lane: str = SIM
    #: Of how many parts of the study this is which, from 1 on.
    shard: tuple[int, int] = (1, 1)

    @property
    def first(self) -> int:
        return self.seeds if self.seeds is not None else FIRST if self.until else 1

    def document(self) -> dict[str, object]:
        """What a folder keeps of it."""
        until = {"until": self.until.text, "most_seeds": self.most_seeds} if self.until is not None else {}
        return {"lane": self.lane, "seeds": self.first, **until}


def whole(field: str, value: object, most: int) -> int:
    """A whole number from 1 to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise refused(field, value, f"a whole number from 1 to {most}")
    return value


def settings_of(seeds: object, until: object, most_seeds: object, lane: str, shard: tuple[int, int] | None) -> Settings:
    """How a study is run, from what was given."""
    number, count = shard if shard is not None else (1, 1)
    whole("shard", count, 100_000)
    if not 1 <= whole("shard", number, 100_000) <= count:
        raise refused("shard", f"{number}/{count}", f"a part from 1 to {count}")
    if until is not None and count > 1:
        raise refused("until", until, "no shard: the number of seeds of a point depends on its earlier runs")
    if most_seeds is not None and until is None:
        raise refused("most_seeds", most_seeds, "until= (--until) with it")
    precision = None if until is None else Precision.of(until)
    first = None if seeds is None else whole("seeds", seeds, MOST_SEEDS)
    most = MOST if most_seeds is None else whole("most_seeds", most_seeds, MOST_SEEDS)
    if precision is not None and (first or 2) < 2:
        raise refused("seeds", seeds, "2 or more with until: one run has no interval")
    return Settings(first, precision, max(most, first or 0), lane, (number, count))


def settings_in(manifest: Mapping[str, object]) -> Settings:
    """How the study of a folder is run, from its manifest; raises `ScenarioError`, as for what a command is given."""
    seeds, until, most_seeds = (manifest.get(key) for key in ("seeds", "until", "most_seeds"))
    return settings_of(seeds, until, most_seeds, known_lane(manifest.get("lane")), None)
