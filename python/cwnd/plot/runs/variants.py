# SPDX-License-Identifier: MIT OR Apache-2.0
"""The runs that a picture is of: variants with one or several seeds each."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from cwnd._internal.input_errors import path_of, refused, unfit
from cwnd.kernel.result import KernelTrace
from cwnd.load import load
from cwnd.plot.data import RunData
from cwnd.replicates.folder import read
from cwnd.result.result import Result
from cwnd.result.store import MANIFEST, REPLICATES
from cwnd.scenario.snapshot import scenario_document

#: A run, or the folder of a run or of replicates.
Run = Result | str | os.PathLike[str]
Runs = Run | Iterable[Run]
GIVEN = "a Result of a run, the folder of a run or of replicates (--seeds), or several of them"
MOST_VARIANTS = 6


@dataclass(frozen=True, slots=True)
class Variant:
    """Runs of one scenario, which differ in their seeds alone."""

    #: Empty where the picture has one variant.
    name: str
    runs: Sequence[RunData]

    @property
    def first(self) -> RunData:
        return self.runs[0]


def variants(given: Runs) -> list[Variant]:
    """The variants of the runs: those of one scenario together, in the order in which they come."""
    every = [given] if isinstance(given, Result | str | os.PathLike) else list(given) if is_list(given) else None
    if not every:
        raise refused("runs", given, GIVEN)
    found: dict[str, tuple[str, list[RunData]]] = {}
    for each in every:
        name = Path(each).name if isinstance(each, str | os.PathLike) else ""
        for result in results_of(each):
            document = scenario_document(result.scenario)
            document.pop("seed", None)
            # The same scenario under two names is two variants.
            key = json.dumps([document, result.lane, name], sort_keys=True)
            found.setdefault(key, (name, []))[1].append(RunData(result))
    if len(found) > MOST_VARIANTS:
        raise unfit(
            "runs", f"at most {MOST_VARIANTS} scenarios, each under any number of seeds; these are {len(found)}"
        )
    rows = list(found.values())
    if len(rows) == 1:
        return [Variant("", rows[0][1])]
    names = [name or runs[0].scenario.name for name, runs in rows]
    if len(set(names)) < len(names) or not all(names):
        names = [name or f"run {number}" for number, (name, _) in enumerate(rows, 1)]
    return [Variant(name, runs) for name, (_, runs) in zip(names, rows, strict=True)]


def is_list(given: object) -> bool:
    return isinstance(given, Iterable)


def results_of(given: object) -> list[Result]:
    """The results that one value stands for."""
    if isinstance(given, str | os.PathLike):
        folder = path_of("runs", given)
        if read(folder / MANIFEST).get("kind") == REPLICATES:
            seeds = sorted(folder.glob("seed-*"))
            return [result for path in seeds if isinstance(result := load(path), Result)]
        given = load(folder)
    if isinstance(given, KernelTrace) or not isinstance(given, Result):
        raise refused("runs", given, GIVEN)
    return [given]
