# SPDX-License-Identifier: MIT OR Apache-2.0
"""The numbers of single runs and of replicates as rows of a study's table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cwnd.kernel.result import KernelTrace
from cwnd.replicates.document import RunDocument, describe
from cwnd.replicates.replicating import Replicates
from cwnd.result import Result
from cwnd.study.rows import rows_of


@dataclass(frozen=True, slots=True)
class Group:
    """A group of flows: its name, its label, and the numbers of its flows."""

    name: str
    label: str
    flows: Sequence[int]


def groups_of(replicates: Replicates) -> list[Group]:
    """The groups of the flows of replicates; a group's flows have consecutive numbers."""
    found, first = [], 0
    for group in replicates.document["groups"] if replicates.document else []:
        found.append(Group(group["name"], group["label"], range(first, first + group["flows"])))
        first += group["flows"]
    return found


def rows_of_result(result: Result | Replicates) -> Iterator[dict[str, object]]:
    """A row per run and number, with the columns of a study without factors."""
    if isinstance(result, Replicates):
        groups: Sequence[Group] = groups_of(result)
        runs: Sequence[RunDocument] = result.document["runs"] if result.document else []
    elif isinstance(result, KernelTrace):
        raise TypeError("a trace has no numbers of a run")
    else:
        groups = [Group(group.name, group.label, group.flows) for group in result.scenario.groups]
        runs = [describe(result, result.scenario.groups)]
    for run in runs:
        for row in rows_of(run, groups):
            label = groups[row.place].label if row.of == "group" else row.name
            yield {
                "seed": run["seed"],
                "of": row.of,
                "name": row.name,
                "label": label,
                "measure": row.measure,
                "value": row.value,
                "unit": row.unit,
                "why": row.why,
            }
