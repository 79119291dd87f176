# SPDX-License-Identifier: MIT OR Apache-2.0
"""python/cwnd/scenario/keyword_types.py: the types of keywords in Python, from the table of keywords and that of queue disciplines.

`tools.docs.schema_page` writes it.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cwnd import _native
from cwnd.scenario.keywords import KEYWORDS, meaning

if TYPE_CHECKING:
    from cwnd._native import Keyword

TARGET = Path(__file__).resolve().parents[2] / "python" / "cwnd" / "scenario" / "keyword_types.py"
HEAD = '''\
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The types of keywords. Written by `make docs` from `crates/cwnd-scenario/src/builders` and `crates/cwnd-link/src/aqm`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypedDict

from cwnd.scenario.flow import Axis, Rate, Value


class QueueDisciplines(TypedDict, total=False):
    """The settings of a queue discipline; at most one of them is given."""

'''


class Type(NamedTuple):
    """A type of keywords."""

    name: str
    bases: str
    doc: str
    #: Whether it has the keyword of this row.
    has: Callable[[Keyword], bool]
    #: Whether a keyword that may be an axis takes several values.
    is_swept: bool = False


def in_link(row: Keyword) -> bool:
    """Whether a keyword is of the bottleneck: `cwnd.graph` does not have it."""
    return "graph" not in row["builders"] and "dumbbell" in row["builders"]


ROWS = (
    Type(
        "ScenarioSettings",
        "TypedDict",
        "Settings that every scenario may have.",
        lambda row: "graph" in row["builders"] and row["axis"] is None,
    ),
    Type(
        "CommonSettings",
        "ScenarioSettings",
        "Keywords of `graph`.",
        lambda row: "graph" in row["builders"] and row["axis"] is not None,
    ),
    Type(
        "ParkingLotSettings",
        "CommonSettings, QueueDisciplines",
        "Keywords of `parking_lot` besides `hops` and `delay`.",
        lambda row: in_link(row) and "parking_lot" in row["builders"] and row["name"] != "delay",
    ),
    Type(
        "PathSettings",
        "ScenarioSettings, QueueDisciplines",
        "Settings of one bottleneck that are no axes by their keyword.",
        lambda row: in_link(row) and row["axis"] is None,
    ),
    Type(
        "DumbbellSettings",
        "PathSettings",
        "Keywords of `dumbbell` besides `rtt`.",
        lambda row: row["axis"] is not None and row["name"] != "rtt",
    ),
    Type(
        "BottleneckSettings",
        "DumbbellSettings",
        "Keywords of `compare_command`: settings of one bottleneck.",
        lambda row: row["name"] == "rtt" or row["builders"] == ["compare"],
    ),
    Type(
        "AxisSettings",
        "PathSettings",
        "Settings of one bottleneck, of which several values are an axis.",
        lambda row: row["axis"] is not None or row["builders"] == ["compare"],
        is_swept=True,
    ),
)


def comment(text: str) -> str:
    """The comment of an attribute."""
    lines = textwrap.wrap(text, 112, initial_indent="    #: ", subsequent_indent="    #: ", break_on_hyphens=False)
    return "\n".join(lines)


def text() -> str:
    """The file."""
    queues = [
        f"{comment(each['help'])}\n    {each['name'].replace('-', '_')}: "
        f"{'Mapping[str, Value]' if each['settings'] else 'bool'} | None\n"
        for each in _native.queue_disciplines()
    ]
    found = HEAD + "".join(queues)
    for each in ROWS:
        found += f'\n\nclass {each.name}({each.bases}, total=False):\n    """{each.doc}"""\n\n'
        for row in filter(each.has, KEYWORDS.values()):
            kind = "Axis | None" if each.is_swept and row["axis"] is not None else row["python"]
            found += f"{comment(meaning(row))}\n    {row['name']}: {kind}\n"
    return found
