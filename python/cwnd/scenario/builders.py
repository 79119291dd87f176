# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios in Python: plain values in the schema of the TOML file (docs/reference/scenario.md).

Only the native module validates them.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import wraps
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack

from cwnd import _native
from cwnd._internal.input_errors import NOT_JSON, refused, shown
from cwnd._internal.input_files import forget_ended, raise_ended
from cwnd._internal.keyword_names import check_keywords, keys_of
from cwnd._native import Scenario, ScenarioError
from cwnd.scenario.flow import Flow, Flows, KeyTable, Link, Value
from cwnd.scenario.keyword_types import CommonSettings, DumbbellSettings, ParkingLotSettings
from cwnd.scenario.keywords import DESCRIPTIONS, KEYWORDS, QUEUES, meaning

if TYPE_CHECKING:
    from cwnd._native import Keyword

__all__ = ["Flow", "KeyTable", "Link", "Value", "dumbbell", "from_document", "graph", "parking_lot", "scenario_schema"]

P = ParamSpec("P")
R = TypeVar("R")


# `Any`: a JSON schema is for other libraries, which validate by it or make forms of it.
def scenario_schema() -> dict[str, Any]:
    """The JSON schema of a scenario (draft 2020-12): every key with its type, default, range, meaning and source.

    It checks each key on its own. Conditions between keys are checked when a `Scenario` is made. The parameters of all
    registered algorithms, plugins included, are keys of a flow. Keywords that begin with `x-` are for documentation.
    """
    schema: dict[str, Any] = json.loads(_native.scenario_schema())
    return schema


def flows_in_one_list(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose first argument are flows, and all others keywords: flows in several arguments are refused in one line."""

    @wraps(function)
    def checked(*args: P.args, **settings: P.kwargs) -> R:
        if len(args) > 1:
            example = ", ".join(json.dumps(flow) for flow in args if isinstance(flow, str)) or '"cubic", "reno"'
            raise refused(
                "flows", args, f"them in one list, cwnd.{function.__name__}([{example}]), and all else by keyword"
            )
        return function(*args, **settings)

    return checked


def documented(function: Callable[P, R]) -> Callable[P, R]:
    """A function whose docstring ends with its keywords, as the table has them."""
    rows = [KEYWORDS[name] for name in keys_of(function) if name in KEYWORDS]
    lines = [f"    {row['name']}: {meaning(row)}" for row in rows]
    queues = [f"    {name}: {DESCRIPTIONS[queue]}" for name, queue in QUEUES.items() if name in keys_of(function)]
    # Python 3.13 removes the indentation of docstrings itself.
    function.__doc__ = "\n".join([cleandoc(function.__doc__ or ""), "", "Keywords:", *lines, *queues])
    return function


@flows_in_one_list
@documented
def dumbbell(flows: Flows, *, rtt: str, **settings: Unpack[DumbbellSettings]) -> Scenario:
    """Flows through one bottleneck: DropTail, or the queue discipline that is given by its name.

    `flows` are `Flow`s, texts as the command line has them (`"cubic:2@rtt=160ms"`), or names with counts (`{"cubic": 4,
    "sack": 4}`). Flows given as texts or names without a start begin at random within the first 100 ms. `rtt` is the round trip time without
    queueing.

    A link without a `rate` sends a packet in no time, and has no queue. The scenario has a `duration` of 100 s unless one is given, and its
    summary measures the whole run. Raises `ScenarioError`, which names field, value and expectation.
    """
    check_keywords(settings, dumbbell)
    return built("dumbbell", flows, {"rtt": rtt, **settings})


@flows_in_one_list
@documented
def parking_lot(flows: Flows, *, hops: int, delay: str, **settings: Unpack[ParkingLotSettings]) -> Scenario:
    """Bottlenecks in a row between the nodes n0, n1, … : `hops` links of `rate` and `delay`.

    A flow says where it begins and ends: `Flow("cubic", from_="n0", to="n3")`. A `buffer` in BDP refers to `rtt`, by default the longest round trip
    of the flows over the link. The rest is as in `dumbbell`.
    """
    check_keywords(settings, parking_lot)
    return built("parking_lot", flows, {"hops": hops, "delay": delay, **settings})


@documented
def graph(links: Iterable[Link], flows: Flows, **settings: Unpack[CommonSettings]) -> Scenario:
    """Flows through any graph of one-way links. A flow has `from_` and `to`, or `path` and `back`; the rest is as in
    `dumbbell`.
    """
    check_keywords(settings, graph)
    tables = []
    for number, link in enumerate(
        as_list("links", links, (Link,), 'a list of cwnd.Link("a", "b", rate=..., delay=...)')
    ):
        if not isinstance(link, Link):
            raise refused(f"links[{number}]", link, 'a cwnd.Link("a", "b", rate=..., delay=...)')
        tables.append(link.table)
    return built("graph", flows, {"links": tables, **settings})


def built(builder: str, flows: Flows, settings: Mapping[str, object]) -> Scenario:
    """The scenario of these keywords. Raises `ScenarioError`."""
    return from_document(keywords_document(builder, flows, settings))


def keywords_document(
    builder: str, flows: Flows, settings: Mapping[str, object], sized: Collection[int] = ()
) -> dict[str, object]:
    """The scenario of these keywords as plain values, before any default of its own is added; `builder` is the function that they are given to.
    `sized` are numbers of groups that have a size although their tables have none: it is an axis. Raises `ScenarioError`.
    """
    text = _native.keywords_document(builder, keywords_json(flows, settings), list(sized))
    document: dict[str, object] = json.loads(text)
    return document


def keywords_json(flows: Flows, settings: Mapping[str, object]) -> str:
    """Flows and keywords as `cwnd-scenario` reads them."""
    given = {key: plain(table_of(key), listed(key, value)) for key, value in settings.items()}
    return json.dumps({"flows": plain("flow", plain_flows(flows)), **given})


def table_of(keyword: str) -> str:
    """What refusals call a keyword: one of several tables has their name."""
    row = KEYWORDS.get(keyword)
    return row["table"] if row is not None and has_tables(row) else keyword


def has_tables(row: Keyword) -> bool:
    """Whether the value of a keyword is several tables of a scenario."""
    return bool(row["table"]) and not row["key"]


def plain_flows(flows: Flows) -> object:
    """Flows as `cwnd-scenario` reads them: names with counts, or a list of texts and tables."""
    if isinstance(flows, Mapping) and all(isinstance(name, str) for name in flows):
        return flows
    return [group if isinstance(group, str) else group.table for group in given_flows(flows)]


def name_of(flow: Flow) -> str:
    """What a comparison calls a group of flows: its label, or as the command line writes it."""
    document = keywords_document("compare", [flow], {})
    return str(document["name"])


def listed(keyword: str, value: object) -> object:
    """The value of a keyword; one that takes several tables may be any iterable of them."""
    row = KEYWORDS.get(keyword)
    is_iterable = isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return list(value) if is_iterable and row is not None and has_tables(row) else value  # type: ignore[call-overload]


def as_list(field: str, given: object, single: tuple[type, ...], expected: str) -> list[object]:
    """A given iterable as a list; a value of the types `single` is a list of one."""
    if isinstance(given, single):
        return [given]
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise refused(field, given, expected)
    return list(given)


def given_flows(flows: Flows) -> list[Flow | str]:
    """The groups of flows, one by one: as `Flow`s, or texts of the command line."""
    expected = 'cwnd.Flow, a text such as "cubic:2@rtt=160ms", or names with counts such as {"cubic": 2}'
    if isinstance(flows, Mapping):
        return [Flow(cc, count) for cc, count in flows.items()]
    groups: list[Flow | str] = []
    for number, given in enumerate(as_list("flows", flows, (str, Flow), expected)):
        if not isinstance(given, (str, Flow)):
            raise refused(f"flows[{number}]", given, expected)
        groups.append(given)
    return groups


def plain(field: str, value: object, around: tuple[object, ...] = ()) -> object:
    """A value as JSON and UTF-8 can represent it; any other is refused under the name of its field. `around` are the tables and lists
    that contain it.
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise refused(field, value, "text in UTF-8") from None
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return NOT_JSON + str(value)  # neither a number nor a text: the field says what it expects
    if isinstance(value, int) and abs(value) >= 1 << 1023:
        return NOT_JSON + shown(value)  # beyond any decimal
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, os.PathLike):
        return plain(field, os.fspath(value))
    if isinstance(value, Mapping | list | tuple):
        if any(value is outer for outer in around):
            raise refused(field, type(value).__name__, "a table or list that does not contain itself")
        around = (*around, value)
    if isinstance(value, Mapping):
        table = {}
        for key, inner in value.items():
            if not isinstance(key, str):
                raise refused(field, key, "a key, which is text")
            table[plain(field, key)] = plain(f"{field}.{key}" if field else key, inner, around)
        return table
    if isinstance(value, list | tuple | range):
        return [plain(f"{field}[{number}]", inner, around) for number, inner in enumerate(value)]
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        return plain(field, value.item())  # a number of numpy's
    raise refused(field, value, "text, a number, true or false, a list or a table of them")


def from_document(
    document: Mapping[str, object], files: str | os.PathLike[str] | Mapping[str, bytes] | None = None
) -> Scenario:
    """The scenario of a document that is held as plain values; raises `ScenarioError`. `files` that it names: their folder, or contents by path."""
    forget_ended()
    try:
        return Scenario.from_json(json.dumps(plain("", document)), files)
    except ScenarioError:
        raise_ended()  # Ctrl-C is no reason against the document
        raise
