# SPDX-License-Identifier: MIT OR Apache-2.0
"""One run as rows: of what, measure, value, unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import NamedTuple, Protocol, TypedDict, cast, get_type_hints

from cwnd import _native
from cwnd._internal.json_types import JsonObject, number, optional_number, total_of
from cwnd._internal.parquet_files import NoResultError
from cwnd._internal.summary_types import LinkSummary
from cwnd.metrics.measure_type import MeasureDocument
from cwnd.metrics.run import number_of_link, without_capacity
from cwnd.metrics.run_measures import FlowMeasures, LinkMeasures
from cwnd.metrics.transfers import SIZE_CLASSES
from cwnd.replicates.document import COMPLETION, LOADS, MEANS, NO_SHARE, SUMS, RunDocument, measure_documents
from cwnd.result.failures import failure_lines
from cwnd.result.lanes import SIM


class GroupOfFlows(Protocol):
    """A group of flows: its name, and the numbers of its flows."""

    @property
    def name(self) -> str: ...
    @property
    def flows(self) -> Sequence[int]: ...


class Row(NamedTuple):
    """A number of a run."""

    #: `all` flows, `group` of flows, `link`, `traffic` or `transfers`.
    of: str
    #: Which of them by its place in the scenario.
    place: int
    name: str
    measure: str
    value: float | None
    #: Empty for pure numbers.
    unit: str
    #: Why there is no value; of `failures` what happened.
    why: str


class RunNumbers(TypedDict):
    """What is kept of a run."""

    packets: int
    rows: list[list[object]]


#: Of a group of transfers, how many there are.
STARTED_TRANSFERS = ("started", "finished", "ended_before")
#: The types of a row's cells.
CELLS: tuple[type | UnionType, ...] = (str, int, str, str, int | float | None, str, str)
#: The names of all measures that a run can have, of whatever it is.
MEASURES = frozenset(
    (
        *(field.name for kind in (FlowMeasures, LinkMeasures) for field in fields(kind)),
        *("flows", "failures", *SUMS, *MEANS, *LOADS),
        *(name for name, kind in get_type_hints(LinkSummary).items() if kind in (float, int, float | None)),
        *(f"completion_{part}_s" for part in COMPLETION),
        *(f"completion_{part}_{size}_s" for part in COMPLETION for _, size in SIZE_CLASSES),
        *STARTED_TRANSFERS,
    )
)


#: What the summary has as the `recovery` of a flow whose ends are a real stack.
STACKS = frozenset(stack["name"] for stack in _native.stacks())


@cache
def units() -> dict[str, dict[str, str]]:
    """The units of the summary's columns, by table."""
    return {
        table["name"]: {column["name"]: "" if column["unit"] == "1" else column["unit"] for column in table["columns"]}
        for table in _native.record_schema()
        if SIM in table["lanes"]
    }


def unit(table: str, column: str) -> str:
    """The unit of a column; that of a count of the whole run is that of the count."""
    return units().get(table, {}).get(column, "")


def rows_of(document: RunDocument, groups: Sequence[GroupOfFlows]) -> list[Row]:
    """All numbers of a run."""
    measures = document["measures"]
    rows = [Row("all", 0, "all flows", "jain", document["jain"], "", "")]
    of_all = measure_documents(measures["flows"])
    rows += measured("all", 0, "all flows", {key: each for key, each in of_all.items() if key != "jain"})
    rows += failed_connections("all", 0, "all flows", range(len(document["flows"])), document)
    for index, group in enumerate(groups):
        flows = [cast("Mapping[str, object]", document["flows"][flow]) for flow in group.flows]
        rows.append(Row("group", index, group.name, "flows", len(flows), "", ""))
        for key in (*SUMS, *MEANS):
            total = total_of(optional_number(flow, key) for flow in flows)
            value = total / len(flows) if total is not None and key in MEANS else total
            why = NO_SHARE if value is None else ""
            rows.append(Row("group", index, group.name, key, value, unit("flows", key), why))
        rows += measured("group", index, group.name, measure_documents(measures["groups"][index]))
        rows += failed_connections("group", index, group.name, group.flows, document)
    for index, link in enumerate(document["links"]):
        found = measure_documents(measures["links"][index])
        for key, given in link.items():
            if (given is None or isinstance(given, int | float)) and key not in found:
                value = number_of_link(link, key)
                why = without_capacity(link) if value is None else ""
                rows.append(Row("link", index, link["name"], key, value, unit("links", key), why))
        rows += measured("link", index, link["name"], found)
    for index, traffic in enumerate(document["traffic"]):
        name = f"{traffic['name']}, {traffic['direction']}"
        loads = cast("Mapping[str, object]", traffic)
        rows += [Row("traffic", index, name, key, number(loads, key), unit("traffic", key), "") for key in LOADS]
    groups_of_transfers = {(group["of"], group["index"], group["direction"]): group for group in document["transfers"]}
    # Only groups with a started transfer have rows. The place is the one in the scenario, the same in every run.
    for transfers in measures["transfers"]:
        whose = transfers["of"], transfers["index"], transfers["direction"]
        if whose not in groups_of_transfers:
            expected = f"those of {whose[0]} {whose[1]}, {whose[2]}, which the table transfers has"
            raise NoResultError(f"transfers: {len(groups_of_transfers)} groups are not accepted; expected {expected}")
        summed = groups_of_transfers[whose]
        place, name = transfers["index"], f"{summed['name']}, {transfers['direction']}"
        counts = cast("Mapping[str, object]", summed)
        rows += [Row("transfers", place, name, key, number(counts, key), "", "") for key in STARTED_TRANSFERS]
        rows += measured("transfers", place, name, {f"completion_{part}_s": transfers[part] for part in COMPLETION})
        for each in transfers["by_size"]:
            times = {f"completion_{part}_{each['size']}_s": each[part] for part in COMPLETION}
            rows += measured("transfers", place, name, times)
    return rows


def failed_connections(of: str, place: int, name: str, flows: Sequence[int], document: RunDocument) -> list[Row]:
    """How many connections of these flows ended by a fault; no row where none of them has a real stack, whose connections alone do."""
    named = {document["flows"][flow]["name"] for flow in flows if document["flows"][flow]["recovery"] in STACKS}
    failed = [failure for failure in document.get("failures", ()) if failure["flow"] in named]
    return [Row(of, place, name, "failures", len(failed), "", "; ".join(failure_lines(failed)))] if named else []


def failure_of(numbers: RunNumbers) -> str | None:
    """Why connections of a run failed; `None` where none did."""
    rows = (Row(*row) for row in numbers["rows"])  # type: ignore[arg-type]
    words = (
        row.why or "a connection failed" for row in rows if (row.of, row.measure) == ("all", "failures") and row.value
    )
    return next(words, None)


def numbers_of(document: RunDocument, groups: Sequence[GroupOfFlows]) -> RunNumbers:
    """What is kept of a run."""
    return {"packets": document["perf"]["packets"], "rows": [list(row) for row in rows_of(document, groups)]}


def has_numbers(found: JsonObject | None) -> bool:
    """Whether what was read are the numbers of a run: a file may be another program's, or of a version that kept other things."""
    rows = found.get("rows") if found is not None else None
    return (
        found is not None
        and isinstance(rows, list)
        and is_count(found.get("packets"))
        and all(isinstance(row, list) and len(row) == len(CELLS) and all(map(isinstance, row, CELLS)) for row in rows)
        and all(cell >= 0 for row in rows for cell in row if isinstance(cell, int | float))
    )


def is_count(value: object) -> bool:
    """Whether a value is a whole number from 0 on."""
    return isinstance(value, int) and value >= 0


def measured(of: str, index: int, name: str, measures: Mapping[str, MeasureDocument]) -> list[Row]:
    return [
        Row(of, index, name, measure, found["value"], found["unit"], found.get("why", ""))
        for measure, found in measures.items()
    ]
