# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios in Python: plain values in the schema of the TOML file (docs/reference/scenario.md).

Only the native module validates them.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, Unpack, cast, get_args, get_type_hints

from cwnd import _native
from cwnd._internal.input_errors import NOT_JSON, refused, shown
from cwnd._internal.input_files import forget_ended, raise_ended
from cwnd._native import Scenario, ScenarioError, nearest
from cwnd.scenario.flow import Flow, KeyTable, Link, Value
from cwnd.scenario.flowspec import parse
from cwnd.scenario.keywords import LINK_KEYS, NO_RATE, RECORD
from cwnd.scenario.settings import CommonSettings, Flows, LinkSettings, Rate

if TYPE_CHECKING:
    from cwnd._native import QueueDiscipline

__all__ = ["Flow", "KeyTable", "Link", "Value", "dumbbell", "from_document", "graph", "parking_lot", "scenario_schema"]

P = ParamSpec("P")
R = TypeVar("R")


# `Any`: a JSON schema is for other libraries, which validate by it or make forms of it.
def scenario_schema() -> dict[str, Any]:
    """The JSON schema of a scenario (draft 2020-12): every key with its type, default, range, meaning and source.

    It accepts what each key may be by itself. Conditions between keys are checked when a `Scenario` is made. The parameters of all
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


@flows_in_one_list
def dumbbell(
    flows: Flows,
    *,
    rate: Rate | None = None,
    rtt: str,
    buffer: str | None = None,
    loss: str | Mapping[str, Value] | None = None,
    delay: str | Mapping[str, Value] | None = None,
    delay_limit: str | None = None,
    jitter: str | Mapping[str, Value] | None = None,
    reorder: Mapping[str, Value] | None = None,
    tick: str | None = None,
    count_in_service: bool | None = None,
    reverse: bool | Mapping[str, Value] = False,
    **settings: Unpack[LinkSettings],
) -> Scenario:
    """Flows through one bottleneck: DropTail, RED where `red` is given, CoDel where `codel` is, or drop-head with `drop_head=True`.

    `flows` are `Flow`s, texts as the command line has them (`"cubic:2@rtt=160ms"`), or names with counts (`{"cubic": 4,
    "sack": 4}`). Texts and names that say no start begin at random within the first 100 ms.

    The link: `rate` (bit/s with unit; steps, `[("0s", "10Mbit/s"), ("10s", "5Mbit/s")]`; a trace, `{"trace": file}`; a series, `{"series": file}`; without one a packet takes no
    time to send, and there is no queue), `rtt` (propagation only), `buffer` (1 BDP; packets, bytes, time or BDP, with a floor if you like: `"0.1bdp, at least 4packets"`), `red` (`{"min": "20packets", "max": "60packets"}`,
    and if you like `max_p`, `weight`, `gentle` and `ecn`: Random Early Detection), `codel` (`{}`, or `target`, `interval` and `ecn`: CoDel), `loss` (`every:N`, `every:N,FIRST`,
    `random:P`, `gilbert:P,R,1-K,1-H`, `gemodel:P,R,1-H,1-K` in the order of tc netem, `at:N,N`, or `{"gemodel": ["1%", "10%", "70%", "0.1%"]}`), `delay` (the link's part of the round trip, or a series, `{"series": file}`),
    `delay_limit` (without a rate: the packets that may be on the link at once), `jitter` (`"5ms"`),
    `reorder` (`{"share": 0.01, "extra": "10ms"}`), `tick` (`"1ms"`: packets move at its multiples only, as in dummynet), `count_in_service`
    (whether `buffer` counts the packet being sent, as dummynet's does), `reverse` (a link with a queue on the reverse path: `True`, or its keys).

    Settings of every scenario: `duration` (100 s), `measure` (from, to; the whole run if not given), `seed` (1),
    `packet_size`, `interval` of the samples (100 ms), `per_ack`, `inner` (the algorithms' inner variables, all or by
    name, in the table `inner`), `record_flows` (whose samples: `"all"`, `"none"`, or a list of names and numbers),
    `record_packets` (the hosts whose packets are captured: `"senders"`, `"receivers"` or `"both"`), `snap_length` (bytes that a capture keeps
    of each packet, `"80B"`), `record_limit` (most bytes that tables and captures may be expected to hold, `"2GB"`, or `"none"`), `live` (what the hosts of lane live are set to: `{"sack": False}`), `name`, `traffic` (names of presets, or tables of keys), `actions` (tables such as
    `{"switch": {"flow": "cubic 1", "at": "20s", "cc": "sack"}}`).

    Raises `ScenarioError`, which names field, value and expectation.
    """
    given: dict[str, object] = {
        "rate": rate,
        "rtt": rtt,
        "buffer": buffer,
        "loss": loss,
        "delay": delay,
        "delay_limit": delay_limit,
        "jitter": jitter,
        "reorder": reorder,
        "tick": tick,
        "count_in_service": count_in_service,
        "reverse": reverse,
    }
    return from_document(dumbbell_document(flows, {**given, **settings}))


def dumbbell_document(
    flows: Flows, settings: Mapping[str, object], function: Callable[..., object] = dumbbell
) -> dict[str, object]:
    """The scenario of `dumbbell` with these keywords as plain values, before any default is added; `function` is what they were given to."""
    check_keywords(settings, function)
    given = dict(settings)
    link = _given(**{key: given.pop(key, None) for key in LINK_KEYS})
    reverse, buffer = given.pop("reverse", False), cast("str | None", given.pop("buffer", None))
    others, queue = _queue(link.get("rate"), buffer, cast("LinkSettings", given))
    return _document({"link": {**link, **queue, "reverse": reverse}}, flows, others)


@flows_in_one_list
def parking_lot(
    flows: Flows,
    *,
    hops: int,
    rate: Rate | None = None,
    delay: str,
    buffer: str | None = None,
    rtt: str | None = None,
    loss: str | Mapping[str, Value] | None = None,
    reverse: bool | Mapping[str, Value] = False,
    **settings: Unpack[LinkSettings],
) -> Scenario:
    """Bottlenecks in a row between the nodes n0, n1, … : `hops` links of `rate` and `delay`.

    A flow says where it begins and ends: `Flow("cubic", from_="n0", to="n3")`. `rtt` is what a `buffer` in BDP refers to,
    if not the longest round trip of the flows over the link. The rest is as in `dumbbell`.
    """
    check_keywords(settings, parking_lot)
    others, queue = _queue(rate, buffer, settings)
    link = _given(rate=rate, rtt=rtt, loss=loss, delay=delay)
    return from_document(_document({"parking_lot": {"hops": hops, **link, **queue, "reverse": reverse}}, flows, others))


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
    return from_document(_document({"link": tables}, flows, settings))


_QUEUES = _native.queue_disciplines()
#: Queue disciplines with settings, by their keywords here.
DISCIPLINES = {discipline["name"]: discipline for discipline in _QUEUES if discipline["option"] is not None}
#: Queue disciplines without settings, by their keywords here, which are flags.
QUEUE_FLAGS = {each["name"].replace("-", "_"): each["name"] for each in _QUEUES if each["option"] is None}


def _expected(discipline: QueueDiscipline) -> str:
    """What the keyword of this discipline expects: a table of its settings."""
    option = discipline["option"]
    what = option["what"] if option else "its settings"
    example = json.dumps(dict(zip(option["names"], option["example"]))) if option else ""
    none = [] if discipline["required"] else ["{}"]
    return f"{what}, such as {' or '.join([*none, *([example] if example else [])])}"


def _queue(
    rate: object, buffer: str | None, settings: LinkSettings
) -> tuple[CommonSettings, dict[str, dict[str, object]]]:
    """The settings that are not of the queue, and the queue. A link without a rate has none, and one that is asked for is refused."""
    others: dict[str, object] = {**settings}
    asked: dict[str, object] = {} if buffer is None else {"buffer": buffer}
    queue: dict[str, object] = {"kind": "droptail", "limit": "1bdp" if buffer is None else buffer}
    for kind, discipline in DISCIPLINES.items():
        given = others.pop(kind, None)
        if given is None:
            continue
        if not isinstance(given, Mapping):
            raise refused(kind, given, _expected(discipline))
        if queue["kind"] != "droptail":
            raise refused(kind, given, f"one queue discipline; {queue['kind']} is given, too")
        queue = {**queue, "kind": kind, **given}
        asked[kind] = given
    for keyword, kind in QUEUE_FLAGS.items():
        given = others.pop(keyword, None)
        if given is None or given is False:
            continue
        if given is not True:
            raise refused(keyword, given, "True or False")
        if queue["kind"] != "droptail":
            raise refused(keyword, given, f"one queue discipline; {queue['kind']} is given, too")
        queue["kind"] = kind
        asked[keyword] = given
    if rate not in (None, NO_RATE):
        return cast("CommonSettings", others), {"queue": queue}
    for keyword, given in asked.items():
        raise refused(keyword, given, f"no {keyword}: a link without a rate has no queue")
    return cast("CommonSettings", others), {}


def _given(**keys: object) -> dict[str, object]:
    """The keys that are given."""
    return {key: value for key, value in keys.items() if value is not None}


#: When flows start that are given as texts or names: at random, against phase effects.
SPREAD: Value = {"uniform": ["0s", "100ms"]}


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
        flows = [Flow(cc, count=count, start=SPREAD) for cc, count in flows.items()]
    groups: list[Flow | str] = []
    for number, given in enumerate(as_list("flows", flows, (str, Flow), expected)):
        if not isinstance(given, (str, Flow)):
            raise refused(f"flows[{number}]", given, expected)
        groups.append(given)
    return groups


def _groups(flows: Flows) -> list[dict[str, Value]]:
    """The tables of the groups of flows."""
    return [
        given.table if isinstance(given, Flow) else {"start": SPREAD, **parse(given, f"flow[{number}]").table}
        for number, given in enumerate(given_flows(flows))
    ]


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


def check_keywords(settings: Mapping[str, object], function: Callable[..., object]) -> None:
    """Refuses keywords that `function` does not have: its parameters, and the keys of the type of its `settings`."""
    *parameters, others = signature(function, eval_str=True).parameters.values()
    (keys,) = get_args(others.annotation)
    names = [*(parameter.name for parameter in parameters), *get_type_hints(keys)]
    for key, value in settings.items():
        if key in names:
            continue
        # Of `[record]` some keywords have its name, and some have not.
        bare = key.removeprefix("record_")
        near = [bare] if bare in RECORD else nearest(key, names)
        offer = f" (did you mean {' or '.join(near)}?)" if near else f": {', '.join(names)}"
        raise refused(key, value, f"a keyword of {function.__name__}{offer}")


def _document(network: dict[str, object], flows: Flows, settings: CommonSettings) -> dict[str, object]:
    keys: dict[str, object] = {
        "duration": "100s",
        **{key: value for key, value in settings.items() if value is not None},
    }
    record = {name: keys.pop(key) for key, name in RECORD.items() if key in keys}
    tables = 'the name of a preset, or a table such as {"preset": "ha2008", "share": 0.1}'
    traffic = [
        {"preset": given} if isinstance(given, str) else given
        for given in as_list("traffic", keys.pop("traffic", ()), (str, Mapping), tables)
    ]
    single = 'a table such as {"switch": {"flow": "cubic 1", "at": "20s", "cc": "sack"}}'
    actions = as_list("actions", keys.pop("actions", ()), (Mapping,), single)
    document = {**keys, **network, "record": record, "flow": _groups(flows)}
    if traffic:
        document["traffic"] = traffic
    if actions:
        document["action"] = actions
    return document


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
