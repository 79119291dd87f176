# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes what a run has recorded as qlog."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from cwnd._internal.input_errors import path_of, refused
from cwnd._internal.temporary_files import replacing
from cwnd.qlog.format import FORMATS, NEWEST, Trace
from cwnd.qlog.records import Records, TracedFlow, record
from cwnd.result.lanes import LINUX, LIVE, SIM, kind_of
from cwnd.scenario.snapshot import scenario_document

if TYPE_CHECKING:
    from cwnd._native import Scenario
    from cwnd.result.result import Result

#: Headers of a packet, bytes: IP and TCP with timestamps; IP and UDP, of a real stack.
TCP_HEADERS, UDP_HEADERS = 52, 28
#: First byte of a JSON text sequence.
RECORD_SEPARATOR = b"\x1e"
#: Records that are written at once.
TOGETHER = 4096
FlowChoice = str | int | Sequence[str | int] | None
#: Called with the rows that have been read, and their number.
Progress = Callable[[int, int], object]


def write_qlog(
    result: Result,
    path: str | os.PathLike[str],
    *,
    flow: FlowChoice = None,
    mss: int | None = None,
    format: str = NEWEST,
    progress: Progress | None = None,
) -> Path:
    """Writes what a run has recorded: see `cwnd.qlog`."""
    target = path_of("path", path)
    records = records_of(result, flow=flow, mss=mss, format=format)
    check_target(target)
    with replacing(target) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        for piece in pieces(records, progress):
            file.write(piece)
    return target


def pieces(records: tuple[str, Records], progress: Progress | None = None) -> Iterator[str]:
    """The whole file, some records at a time."""
    header, rest = records
    total, together = rest.total(), [header]
    for each in rest:
        together.append(each)
        if len(together) >= TOGETHER:
            yield "".join(together)
            together = []
            if progress is not None:
                progress(rest.rows, total)
    yield "".join(together)


def check_target(path: Path) -> None:
    """Refuses a file that is not a qlog."""
    if path.is_dir():
        raise refused("path", str(path), "the name of a file, such as run.sqlog")
    if path.is_symlink() or path.exists():
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if file.read(1) in (RECORD_SEPARATOR, b""):
                    return
        raise refused("path", str(path), "a free name, or an earlier qlog")


def records_of(
    result: Result, *, flow: FlowChoice = None, mss: int | None = None, format: str = NEWEST
) -> tuple[str, Records]:
    """The header, and the records that follow it."""
    if format not in FORMATS:
        raise refused("format", format, "a form of qlog", FORMATS)
    if mss is not None and (isinstance(mss, bool) or not isinstance(mss, int) or not 1 <= mss <= 65_535):
        raise refused("mss", mss, "bytes of a segment, from 1 to 65535")
    if "cwnd" not in result.names or not result.rows("cwnd"):
        raise refused("result", str(result), "one with the table cwnd; this one has no samples of a window")
    of_scenario = kind_of(result.lane) in (SIM, LIVE, LINUX)
    if of_scenario and mss is not None:
        raise refused("mss", mss, f"none: a run of lane {result.lane} has that of its scenario")
    flows = flows_of_scenario(result) if of_scenario else flows_of_kernel(result, mss)
    names = chosen(flow, flows, result.scenario if of_scenario else None)
    taken = [each for each in flows if each.number in names]
    form, only = FORMATS[format], taken[0].name if len(taken) == 1 else None
    if not of_scenario and any(not each.segment_bytes for each in taken):
        raise refused("mss", "none", "the bytes of a segment, such as 1448: this trace does not record them")
    samples = (
        " Each transport:packet_sent stands for all data sent since the previous sample: the run records no packets."
        if form.has_packets
        else ""
    )
    about = f"Lane {result.lane} of cwnd; bytes are whole segments, time is from the run's beginning.{samples}"
    title = (result.scenario.name if of_scenario else "") or ", ".join(dict.fromkeys(each.algorithm for each in taken))
    vantage_point = "client" if of_scenario else "unknown"
    header = form.header(Trace(title, about, vantage_point, only))
    links = result.table("links")["name"].to_pylist() if "links" in result.names else []
    return record(header), Records(result, taken, form, links, grouped=only is None)


def stacks_of(scenario: Scenario) -> dict[int, bool]:
    """Whether a flow is one of a real stack, by its number."""
    groups = cast("list[dict[str, object]]", scenario_document(scenario)["flow"])
    stacks = [bool(group.get("stack")) for group in groups]
    return {number: stack for group, stack in zip(scenario.groups, stacks, strict=True) for number in group.flows}


def segment_bytes(scenario: Scenario) -> dict[int, int]:
    """The bytes of a segment by flow: of the simulator's TCP its payload, of a real stack its datagram without the headers of IP and UDP."""
    return {
        number: scenario.packet_bytes - (UDP_HEADERS if stack else TCP_HEADERS)
        for number, stack in stacks_of(scenario).items()
    }


def flows_of_scenario(result: Result) -> list[TracedFlow]:
    """The flows of a run."""
    sizes, stacks = segment_bytes(result.scenario), stacks_of(result.scenario)
    failures = {failure["flow"]: failure["why"] for failure in result.summary.get("failures", ())}
    rows = result.table("flows").select(["flow", "name", "cc", "recovery"]).to_pylist()
    return [
        TracedFlow(
            row["flow"],
            row["name"],
            row["cc"],
            row["recovery"],
            sizes[row["flow"]],
            has_stack=stacks[row["flow"]],
            failure=failures.get(row["name"]),
        )
        for row in rows
    ]


def flows_of_kernel(result: Result, mss: int | None) -> list[TracedFlow]:
    """The connections of a kernel trace; 0 bytes a segment where nothing says more."""
    sizes: dict[int, int] = {}
    for name in ("hooks", "packets"):
        if mss is None and not sizes and name in result.names:
            for batch in result.batches(name):
                pairs = zip(batch.column("connection").to_pylist(), batch.column("mss").to_pylist(), strict=True)
                sizes.update((number, size) for number, size in pairs if size)
    rows = result.table("flows").select(["flow", "algorithm"]).to_pylist()
    return [
        TracedFlow(row["flow"], f"connection {row['flow']}", row["algorithm"], None, mss or sizes.get(row["flow"], 0))
        for row in rows
    ]


def chosen(flow: FlowChoice, flows: Sequence[TracedFlow], scenario: Scenario | None) -> set[int]:
    """The numbers of the flows that are asked for."""
    numbers = {each.name: {each.number} for each in flows}
    if scenario is not None:
        for group in scenario.groups:
            numbers.setdefault(group.label, set(group.flows))
    if flow is None:
        return {each.number for each in flows}
    asked = [flow] if isinstance(flow, str | int) else flow
    if not isinstance(asked, Sequence) or not asked:
        raise refused("flow", flow, "a flow's name or number, or a list of them")
    taken: set[int] = set()
    for each in asked:
        if isinstance(each, str) and each in numbers:
            taken |= numbers[each]
        elif isinstance(each, int) and not isinstance(each, bool) and any(each == flow.number for flow in flows):
            taken.add(each)
        elif isinstance(each, str):
            raise refused("flow", each, "the name of a flow", numbers)
        else:
            raise refused("flow", each, f"a flow's name, or its number from 0 to {len(flows) - 1}")
    return taken
