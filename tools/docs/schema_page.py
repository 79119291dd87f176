# SPDX-License-Identifier: MIT OR Apache-2.0
"""What follows in Python and in the docs from the schema of what a run yields (`crates/cwnd-record/src/tables`).

python -m tools.docs.schema_page            writes the tables of docs/reference/results.md, python/cwnd/_internal/summary_types.py and python/cwnd/scenario/keyword_types.py
python -m tools.docs.schema_page --check    changes nothing; fails if one of them is out of date
"""

from __future__ import annotations

import json
import sys
import textwrap
from itertools import groupby
from pathlib import Path

from cwnd import _native
from tools.docs import keyword_types

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "results.md"
TYPES = ROOT / "python" / "cwnd" / "_internal" / "summary_types.py"
BEGIN, END = "<!-- tables: written by tools/docs/schema_page.py -->", "<!-- end of tables -->"
COUNTS, END_COUNTS = "<!-- counts: written by tools/docs/schema_page.py -->", "<!-- end of counts -->"
#: What a summary counts: the count, of what, and its meaning. Those of drops follow the fourth.
COUNTED = (
    ("packets_sent", "flows", "data packets, retransmissions included, counted when sent"),
    ("retransmits", "flows", "retransmissions among them"),
    ("timeouts", "flows", "times that the retransmission timer fired"),
    ("drops", "flows", "their data packets dropped at any link, counted when dropped; the sum of the next ones"),
    ("transfers", "traffic", "transfers that started"),
    ("finished", "traffic", "transfers that finished, whenever they started"),
    ("datagrams", "traffic", "datagrams sent"),
)
#: What is a dictionary in a summary, by the table that it is a row of.
SUMMARIES = {"flows": "FlowSummary", "links": "LinkSummary", "traffic": "TrafficSummary"}
#: Numbers that the scenario has, and no run.
ASKED = ("asked_mbps",)
PYTHON = {
    "string": "str",
    "dictionary": "str",
    "double": "float",
    "uint64": "int",
    "uint32": "int",
    "list<uint32>": "list[int]",
}
HEAD = '''\
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The types of a summary. Written by `make docs` from the schema, `crates/cwnd-record/src/tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

if TYPE_CHECKING:
    from cwnd._internal.json_types import IntervalDocument
'''
TABLES = """
#: Names of the tables, by the lane that has them.
TABLES: dict[str, tuple[str, ...]] = {
{entries}}
"""
WHOLE = '''

class FlowFailure(TypedDict):
    """A real stack's connection that ended by a fault, its own or its peer's, or that had not opened when the run ended."""

    #: name of the flow
    flow: str
    #: when (s): the end of the connection, or of the run
    time_s: float
    #: whether data had arrived, and a datagram of the receiver at the sender
    has_opened: bool
    #: the stack's words; of a connection that had not opened when the run ended, the simulator's
    why: str


class ReceiveLimit(TypedDict):
    """A flow that its receive window limited: its mean congestion window was not below it."""

    #: name of the flow
    flow: str
    #: packets
    receive_window: float
    #: packets
    cwnd_mean: float


class MeasuredSummary(TypedDict):
    """What a run came to over its measured interval."""

    #: the measured interval (s)
    measured_s: list[float]
    #: the first link
    link: LinkSummary
    links: list[LinkSummary]
    #: Jain's index over the flows' throughputs; 1 when nothing was sent
    jain: float
    flows: list[FlowSummary]
    traffic: list[TrafficSummary]
    #: connections of real stacks that ended by a fault or never opened, in the order of time; absent where there are none
    failures: NotRequired[list[FlowFailure]]
    #: flows that their receive window limited in the measured interval; absent where there are none
    receive_limits: NotRequired[list[ReceiveLimit]]
'''


def tables() -> str:
    """Every table with its columns, in Markdown."""
    lines = []
    schema = _native.record_schema()
    names = [table["name"] for table in schema]
    for table in schema:
        lanes = " and ".join(f"`{lane}`" for lane in table["lanes"])
        heading = table["name"] + (f" in lane {lanes}" if names.count(table["name"]) > 1 else "")
        lines += [f"### {heading}", "", f"A row is {table['row']}. Lane {lanes}.", ""]
        lines += ["| column | type | unit | meaning |", "| --- | --- | --- | --- |"]
        # Columns of one meaning, such as the words of an area, share a line.
        for _, group in groupby(table["columns"], key=lambda column: list(column.values())[1:]):
            columns = list(group)
            column = columns[0]
            ends = [column["name"], columns[-1]["name"]] if len(columns) > 1 else [column["name"]]
            called = " … ".join(f"`{name}`" for name in ends)
            kind = column["type"] + (", or null" if column["nullable"] else "")
            notes = []
            if column["table_only"]:
                notes.append("not in the summary")
            if column["only"]:
                notes.append(f"lane {' and '.join(f'`{lane}`' for lane in column['only'])} only")
            note = f" ({'; '.join(notes)})" if notes else ""
            lines.append(f"| {called} | {kind} | {column['unit']} | {column['doc']}{note} |")
        lines.append("")
    return "\n".join(lines)


def counts() -> str:
    """The table of counts, in Markdown."""
    of_drops = [
        (cause["column"], "flows, links", f"{cause['meaning'].removeprefix('drops ')}: events `{cause['event']}`")
        for cause in _native.drop_causes()
    ]
    lines = ["| measured interval | whole run | of | counts |", "| --- | --- | --- | --- |"]
    lines += [
        f"| `{name}` | `{name}_run` | {of} | {meaning} |"
        for name, of, meaning in (*COUNTED[:4], *of_drops, *COUNTED[4:])
    ]
    return "\n".join(lines)


def page() -> str:
    """The page with its tables as they are."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    text = f"{before}{BEGIN}\n\n{tables()}\n{END}{rest.partition(END)[2]}"
    before, _, rest = text.partition(COUNTS)
    return f"{before}{COUNTS}\n\n{counts()}\n\n{END_COUNTS}{rest.partition(END_COUNTS)[2]}"


def types() -> str:
    """The types of the dictionaries of a summary."""
    text = HEAD
    schema = _native.record_schema()
    of_lane = {
        lane: [table["name"] for table in schema if lane in table["lanes"] and not table["summary_only"]]
        for lane in dict.fromkeys(lane for table in schema for lane in table["lanes"])
    }
    entries = "".join(
        f"    {json.dumps(lane)}: ({', '.join(map(json.dumps, names))}),\n" for lane, names in of_lane.items()
    )
    text += TABLES.replace("{entries}", entries)
    for name, title in SUMMARIES.items():
        table = next(table for table in schema if table["name"] == name and "sim" in table["lanes"])
        text += f'\n\nclass {title}(TypedDict):\n    """{table["row"].partition(":")[0].partition(";")[0].capitalize()}."""\n\n'
        for column in table["columns"]:
            if not column["table_only"]:
                unit = f" ({column['unit']})" if column["unit"] else ""
                doc = textwrap.wrap(
                    f"{column['doc']}{unit}", 112, initial_indent="    #: ", subsequent_indent="    #: "
                )
                kind = PYTHON[column["type"]] + (" | None" if column["nullable"] else "")
                # What only some of the lanes have that run scenarios.
                kind = f"NotRequired[{kind}]" if column["only"] and "sim" not in column["only"] else kind
                text += "\n".join(doc) + f"\n    {column['name']}: {kind}\n"
        text += f"\n\nclass {title.removesuffix('Summary')}Intervals(TypedDict, total=False):\n"
        text += f'    """The numbers of a `{title}` over several runs."""\n\n'
        for column in table["columns"]:
            is_number = PYTHON[column["type"]] in ("int", "float") and column["name"] not in ASKED
            if is_number and not column["table_only"]:
                text += f"    {column['name']}: IntervalDocument\n"
    return text + WHOLE


def main() -> None:
    wanted = {PAGE: page(), TYPES: types(), keyword_types.TARGET: keyword_types.text()}
    if "--check" in sys.argv[1:]:
        wrong = [path.name for path, text in wanted.items() if not path.exists() or path.read_text() != text]
        if wrong:
            raise SystemExit(f"out of date: {', '.join(wrong)}; run make docs")
        return
    for path, text in wanted.items():
        path.write_text(text)


if __name__ == "__main__":
    main()
