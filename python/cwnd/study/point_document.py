# SPDX-License-Identifier: MIT OR Apache-2.0
"""The document of a point: the base with the values of the axes, and what the lines of netem mean for its links.

The limit of a line depends on whether the link has a rate, so rates are set first, then lines, then all other values.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from cwnd._native import ScenarioError
from cwnd.scenario.flow import Value
from cwnd.scenario.netem import has_rate, link_keys, meanings, put_keys, tables_in
from cwnd.study.keys import full, parts_of, set_value, tables_with
from cwnd.study.netem_axes import overlap

#: The keys of a link that a line's meaning is about, by its first word.
ABOUT = {
    "rate": ("rate",),
    "burst": ("rate",),
    "loss": ("loss",),
    "delay": ("delay", "jitter"),
    "reorder": ("reorder",),
    "limit": ("queue.limit", "delay_limit"),
    "latency": ("queue.limit",),
}
#: The points to which a meaning applies, if not to all.
WHERE = {True: "with a rate: ", False: "without a rate: "}


class Said(NamedTuple):
    """What a line of netem means for a link."""

    #: The link's key `netem`, as the file, the axis or the option has it.
    key: str
    words: str
    #: Whether the link has a rate.
    has_rate: bool
    meanings: tuple[str, ...]


class Line(NamedTuple):
    """A line of netem for a table of a link."""

    key: str
    words: object
    table: dict[str, object]
    #: Of a reverse path, the table of the other direction.
    forward: dict[str, object] | None
    #: Whether it is the link's own, which sets no key that the table has: the reader of scenarios refuses such a link.
    is_own: bool


def point_document(
    document: Mapping[str, object], assignment: Mapping[str, Value]
) -> tuple[dict[str, object], list[Said]]:
    """A copy of a document with these values, and what its lines mean. Raises `ScenarioError`."""
    changed = copy.deepcopy(dict(document))
    replacing = {key: value for key, value in assignment.items() if is_line(key)}
    others = {key: value for key, value in assignment.items() if not is_line(key)}
    in_force: list[Line] = []
    for key, words in replacing.items():
        for table, forward in tables_with(changed, key):
            table.pop("netem", None)
            in_force.append(Line(full(key), words, table, forward, is_own=False))
    in_force += own_lines(changed)
    present = [set(line.table) for line in in_force]
    for key, value in others.items():
        if "rate" in (name for name, _ in parts_of(full(key))):
            set_value(changed, key, value)
    said = []
    # A reverse path has the rate of the other direction, which a line may set.
    for line, keys in sorted(zip(in_force, present, strict=True), key=lambda pair: pair[0].forward is not None):
        if (of_line := set_line(line, keys)) is not None:
            said.append(of_line._replace(meanings=tuple(unreplaced(of_line, others))))
    for key, value in others.items():
        set_value(changed, key, value)
    return changed, said


def is_line(key: str) -> bool:
    """Whether the values of a key are lines of netem."""
    return parts_of(full(key))[-1][0] == "netem"


def own_lines(document: Mapping[str, object]) -> Iterator[Line]:
    """The lines of the links in a document, which are taken out of their tables."""
    for name in ("link", "parking_lot"):
        value = document.get(name)
        for number, link in enumerate(tables_in(value)):
            path = f"{name}[{number}]" if isinstance(value, list) else name
            tables: list[tuple[str, dict[str, object], dict[str, object] | None]] = [(path, link, None)]
            tables += [(f"{path}.reverse", table, link) for table in tables_in(link.get("reverse"))]
            for at, table, forward in tables:
                if "netem" in table:
                    yield Line(f"{at}.netem", table.pop("netem"), table, forward, is_own=True)


def set_line(line: Line, present: set[str]) -> Said | None:
    """Sets the keys that a line means for a link whose rate is known; `present` are the keys that it had before its rate. A line that the reader
    of scenarios refuses stays in the table.
    """
    table = line.table
    is_rated = has_rate(table, line.forward)
    if line.is_own:
        # An axis sets the rate after the line: another one, or none, as if the line said none.
        is_replaced = "rate" in table and "rate" not in present
        words = without_rate(line.words) if is_replaced and not is_rated else line.words
        with suppress(ScenarioError):
            keys, lines = link_keys(words, is_rated, table)
            if present.isdisjoint(keys):
                if is_replaced:
                    keys.pop("rate", None)
                put_keys(table, keys)
                return Said(line.key, str(line.words), has_rate(table, line.forward), tuple(lines))
        table["netem"] = line.words
        return None
    keys, _ = link_keys(line.words, is_rated, table)
    lines = meanings(str(line.words), has_rate=is_rated, link=table)
    put_keys(table, keys)
    return Said(line.key, str(line.words), has_rate(table, line.forward), tuple(lines))


def without_rate(words: object) -> object:
    """A line of netem without its rate, if it says more; tbf has no limit in packets, which a link without a rate could have."""
    parts = words.split() if isinstance(words, str) else []
    if "rate" not in parts or "tbf" in parts:
        return words
    at = parts.index("rate")
    rest = [*parts[:at], *parts[at + 2 :]]
    return " ".join(rest) if rest and rest[-1] != "netem" else words


def unreplaced(said: Said, axes: Iterable[str]) -> Iterator[str]:
    """The meanings of a line, without those of keys that an axis sets."""
    table = said.key.removesuffix("netem")
    axes = [full(axis) for axis in axes]
    for meaning in said.meanings:
        keys = ABOUT.get(meaning.partition(":")[0].partition(" ")[0], ())
        if not any(overlap(axis, f"{table}{key}") for axis in axes for key in keys):
            yield meaning


def left_to_reader(remarks: Iterable[str]) -> Iterator[Said]:
    """What lines mean that stayed in the document, from the remarks of its scenario."""
    for remark in remarks:
        key, _, meaning = remark.partition(": ")
        if key.endswith(".netem"):
            yield Said(key, "", has_rate=True, meanings=(meaning,))


def notes(said: Iterable[Said], option: str | None = None) -> list[str]:
    """What lines mean, as notes, each meaning once. Where a link has a rate at some points and none at others, a note says where it holds.
    `option` is the key whose lines are those of `--netem`.
    """
    found: dict[str, dict[str, dict[bool, dict[str, None]]]] = {}
    for key, words, is_rated, lines in said:
        found.setdefault(key, {}).setdefault(words, {}).setdefault(is_rated, {}).update(dict.fromkeys(lines))
    texts = []
    for key, by_words in found.items():
        for words, by_rate in by_words.items():
            named = "netem" if key == option else key
            label = f'{named} "{words}"' if len(by_words) > 1 else named
            merged = dict.fromkeys(line for lines in by_rate.values() for line in lines)
            for line in merged:
                where = [is_rated for is_rated, lines in by_rate.items() if line in lines]
                condition = "" if len(where) == len(by_rate) or line.startswith("no rate:") else WHERE[where[0]]
                texts.append(f"{label}: {condition}{line}")
    return texts
