# SPDX-License-Identifier: MIT OR Apache-2.0
"""Keys of a scenario's document, `link.queue.limit` or `flow[0].beta`: set to a value, and named in short."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from typing import cast

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd.scenario.builders import scenario_schema
from cwnd.scenario.flow import Value
from cwnd.scenario.keywords import AXES
from cwnd.scenario.netem import set_netem

PART = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\[(\d+|\*)\])?")
EXPECTED = "a key of a scenario, such as rtt, link.queue.limit or flow[0].beta"
#: Names of keywords, by the keys that they set.
SHORT = {key: keyword for keyword, key in AXES.items()}
#: Columns of the tables, which no factor is called by.
COLUMNS = (
    "seed",
    "of",
    "name",
    "label",
    "measure",
    "value",
    "unit",
    "why",
    "centre",
    "low",
    "high",
    "n",
    "undefined",
    "sd",
)


def parts_of(key: str) -> list[tuple[str, str | None]]:
    """Names and numbers of a key, from outside in."""
    parts = []
    for part in AXES.get(key, key).split("."):
        match = PART.fullmatch(part)
        if match is None:
            raise refused("axis", key, EXPECTED)
        parts.append((match[1], match[2]))
    return parts


def full(key: str) -> str:
    """A key in one form, whatever way it was written: `rtt` is `link.rtt`, `flow.beta` is `flow[*].beta`."""
    parts = parts_of(key)
    lists = ("flow", "traffic", "action")
    last = len(parts) - 1
    shown = [
        f"{name}[{number if number is not None else '*'}]"
        if number is not None or (name in lists and at < last)
        else name
        for at, (name, number) in enumerate(parts)
    ]
    return ".".join(shown)


def with_value(document: Mapping[str, object], key: str, value: Value) -> dict[str, object]:
    """A copy of a document in which this key has this value."""
    changed = copy.deepcopy(dict(document))
    set_value(changed, key, value)
    return changed


def set_value(changed: dict[str, object], key: str, value: Value) -> None:
    """Sets the key of a document to this value."""
    if full(key) == AXES["packet_size"]:
        # It may stand at the top instead, not in both places.
        changed.pop("packet_size", None)
    name, number = parts_of(full(key))[-1]
    for table, forward in tables_with(changed, key):
        if full(key).startswith("flow[") and name == "cc" and isinstance(value, str) and "@" in value:
            table.update(with_settings(key, value))
        elif name == "netem":
            table.pop("netem", None)
            set_netem(table, value, forward)
        elif number is None:
            table[name] = copy.deepcopy(value)
        else:
            rows = rows_of(key, table, name)
            for row in chosen(key, rows, number):
                rows[row] = copy.deepcopy(value)


def tables_with(document: dict[str, object], key: str) -> list[tuple[dict[str, object], dict[str, object] | None]]:
    """Each table of a document that has the key, and of a reverse path that of the forward link."""
    tables: list[tuple[dict[str, object], dict[str, object] | None]] = [(document, None)]
    for inner, at in parts_of(full(key))[:-1]:
        tables = [
            (found, table if inner == "reverse" else None)
            for table, _ in tables
            for found in inside(key, table, inner, at)
        ]
    return tables


def with_settings(key: str, text: str) -> dict[str, object]:
    """The keys of a flow that an algorithm with settings stands for, `stock-cubic@stack=quinn`: what goes together in one value of an axis."""
    table: dict[str, object] = json.loads(_native.parse_flow(text, key))
    if table.pop("count") != 1:
        raise refused(key, text, "NAME or NAME@KEY=VALUE,... without a count, which is an axis of its own")
    return table


def sized_groups(axes: Iterable[str], count: int) -> set[int]:
    """The numbers of those of `count` groups of flows whose size is an axis."""
    keys = {full(key) for key in axes}
    return {group for group in range(count) if not keys.isdisjoint({"flow[*].size", f"flow[{group}].size"})}


def check_top(key: str) -> None:
    """Refuses a key whose first part no scenario has, and says where it belongs: in a flow, in the link, or what it may have meant."""
    if key in AXES:
        return
    name = parts_of(key)[0][0]
    defined = scenario_schema()["$defs"]
    if name in defined["document"]["properties"]:
        return
    params = {param["name"] for algorithm in _native.algorithms() for param in algorithm["params"]}
    of_flows = params.union(_native.flow_keys())
    if key in of_flows:
        raise refused("axis", key, f"flow.{key}, which is that of all flows, or flow[0].{key} of one group")
    of_links = defined["link"]["properties"]
    if name in of_links:
        raise refused("axis", key, f"link.{key}")
    # Each name as an axis is written; the short name of a key wins.
    written = {name: f"flow.{name}" for name in sorted(of_flows)} | {name: f"link.{name}" for name in of_links}
    written |= {name: name for name in (*defined["document"]["properties"], *AXES)}
    near = " or ".join(written[other] for other in _native.nearest(name, list(written)))
    raise refused("axis", key, f"{EXPECTED} (did you mean {near}?)" if near else EXPECTED)


def inside(key: str, table: dict[str, object], name: str, at: str | None) -> Iterable[dict[str, object]]:
    """The tables that a name and a number lead to; a table that is not there is made."""
    if at is None:
        # A link without a queue has DropTail; a table of its keys has to say so.
        found = table.setdefault(name, {"kind": "droptail"} if name == "queue" else {})
        if isinstance(found, list):
            raise refused("axis", key, f"the number of a {name}, such as {name}[0], or {name}[*] for all")
        if not isinstance(found, dict):
            raise refused("axis", key, f"a key of a table; {name} is {found!r}")
        return [found]
    rows = rows_of(key, table, name)
    return [cast("dict[str, object]", rows[row]) for row in chosen(key, rows, at)]


def rows_of(key: str, table: dict[str, object], name: str) -> list[object]:
    rows = table.get(name)
    if not isinstance(rows, list) or not rows:
        raise refused("axis", key, f"a key of this scenario, which has no {name}[0]")
    return rows


def chosen(key: str, rows: list[object], at: str) -> range:
    """The rows that a number, or `*`, means."""
    if at == "*":
        return range(len(rows))
    if int(at) >= len(rows):
        last = len(rows) - 1
        raise refused("axis", key, "number 0" if last == 0 else f"a number from 0 to {last}")
    return range(int(at), int(at) + 1)


def short_names(keys: Iterable[str]) -> dict[str, str]:
    """The name of each key as a column: its last part where that is clear, else all of it."""
    keys = [full(key) for key in keys]
    last = {key: SHORT.get(key, key.rpartition(".")[2]) for key in keys}
    names = list(last.values())
    return {key: name if names.count(name) == 1 and name not in COLUMNS else key for key, name in last.items()}
