# SPDX-License-Identifier: MIT OR Apache-2.0
"""How many claims hold, in four numbers, which docs/results/experiments.md explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING

from cwnd.reproduce.claims import EMPIRICAL, claims
from cwnd.reproduce.verdict import ShownInterval
from cwnd.reproduce.verdict import VerdictDocument as Row

if TYPE_CHECKING:
    from cwnd.reproduce.run_folder import Entry


@dataclass(frozen=True, slots=True)
class Part:
    """How many claims are decided, and how many of them hold."""

    hold: int
    decided: int

    def __str__(self) -> str:
        return f"{self.hold} of {self.decided}"


@dataclass(frozen=True, slots=True)
class Counts:
    """The four numbers; readings that exclude each other are counted once."""

    #: Arithmetic and conformance.
    exact: Part
    #: Empirical: the interval over the seeds is on one side of the bound.
    clear: Part
    #: Empirical: the interval reaches over the bound, or the seeds disagree.
    near: Part
    #: Empirical: no interval, as of one seed, or of a criterion without a number on which all seeds agree.
    bare: Part

    def parts(self) -> tuple[tuple[str, Part], ...]:
        """The numbers with their names."""
        return (
            ("arithmetic and conformance", self.exact),
            ("empirical, clear of the bound", self.clear),
            ("empirical, near the bound", self.near),
            ("empirical, without an interval", self.bare),
        )

    def sentence(self) -> str:
        """The numbers in one line, as the command and the README print them."""
        return "; ".join(f"{name}: {part} hold" for name, part in self.parts())


def decided(rows: Iterable[Row]) -> list[Row]:
    """The rows that are decided. `rows` are grouped by experiment, as in verdicts.json.

    Of readings that exclude each other only one is kept: that with most statements that hold, then with most that hold clear of the
    bound, then the first in the file.
    """
    selected: list[Row] = []
    for _, group in groupby(rows, key=lambda row: claims()[row["id"]].experiment):
        with_verdict = [row for row in group if row["holds"] is not None]
        names = dict.fromkeys(claims()[row["id"]].reading for row in with_verdict)
        readings = [name for name in names if name]

        def rank(reading: str, with_verdict: Sequence[Row] = with_verdict) -> tuple[int, int]:
            holding = [row for row in with_verdict if claims()[row["id"]].reading == reading and row["holds"]]
            return len(holding), sum(not row.get("near") for row in holding)

        best = max(readings, key=rank, default="")
        selected += [row for row in with_verdict if claims()[row["id"]].reading in ("", best)]
    return selected


def has_interval(ci95: ShownInterval) -> bool:
    """Whether there is an interval: of the number, or of any of the numbers by name."""
    return any(map(has_interval, ci95.values())) if isinstance(ci95, Mapping) else ci95 is not None


def part_of(row: Row) -> str:
    """The number that counts a claim: a field of `Counts`."""
    if claims()[row["id"]].kind != EMPIRICAL:
        return "exact"
    return "near" if row.get("near") else "clear" if has_interval(row["ci95"]) else "bare"


def counts(rows: Iterable[Row]) -> Counts:
    """The four numbers of these claims."""
    parts: dict[str, list[bool]] = {field.name: [] for field in fields(Counts)}
    for row in decided(rows):
        parts[part_of(row)].append(bool(row["holds"]))
    return Counts(**{name: Part(sum(of), len(of)) for name, of in parts.items()})


def of_entries(entries: Iterable[Entry]) -> Counts:
    """The four numbers of experiments, as verdicts.json has them."""
    return counts([row for entry in entries for row in entry["claims"]])
