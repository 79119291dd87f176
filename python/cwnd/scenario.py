# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios in Python: plain values in the schema of the TOML file (docs/scenarios.md). The native module validates them,
nobody else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, Unpack

from cwnd._native import Scenario

Value = str | int | float | bool | Mapping[str, Any] | list[Any]
Rate = str | list[tuple[str, str]] | Mapping[str, str]


class Table:
    """Keys of a scenario as keywords. A key that Python keeps for itself ends in an underscore: `from_="n0"`."""

    def __init__(self, **keys: Value) -> None:
        self.table: dict[str, Value] = {key.rstrip("_"): value for key, value in keys.items()}


class Flow(Table):
    """Like flows: an algorithm, how many, and their settings.

    `Flow("cubic", count=2, rtt="160ms", start="10s", beta=0.8)`: keys of a flow and parameters of its algorithm stand
    side by side, as in a scenario's `[[flow]]`. Times and sizes are texts with a unit.
    """

    def __init__(self, cc: str, count: int = 1, **settings: Value) -> None:
        super().__init__(cc=cc, count=count, **settings)


class Link(Table):
    """A link of a graph: `Link("a", "b", rate="10Mbit/s", delay="5ms")`, with the keys of a `[[link]]`."""

    def __init__(self, begin: str, end: str, **settings: Value) -> None:
        super().__init__(from_=begin, to=end, **settings)


class Rest(TypedDict, total=False):
    """What every scenario may have: see `dumbbell`."""

    duration: str
    measure: tuple[str, str] | None
    seed: int | str
    packet_size: str | None
    interval: str | None
    per_ack: bool
    inner: bool | list[str]
    name: str
    traffic: Iterable[str | Mapping[str, Any]]
    actions: Iterable[Mapping[str, Any]]


def dumbbell(
    flows: Mapping[str, int] | Iterable[Flow],
    *,
    rate: Rate,
    rtt: str,
    buffer: str = "1bdp",
    red: Mapping[str, Value] | None = None,
    loss: str | None = None,
    delay: str | None = None,
    jitter: str | Mapping[str, Value] | None = None,
    reorder: Mapping[str, Value] | None = None,
    reverse: bool | Mapping[str, Value] = False,
    **rest: Unpack[Rest],
) -> Scenario:
    """Flows through one bottleneck: DropTail, or RED where `red` is given.

    `flows` are `Flow`s, or names with counts (`{"cubic": 4, "sack": 4}`), which then start at random within the first
    100 ms.

    The link: `rate` (bit/s with unit; steps, `[("0s", "10Mbit/s"), ("10s", "5Mbit/s")]`; or a trace, `{"trace": file}`),
    `rtt` (propagation only), `buffer` (packets, bytes, time or BDP), `red` (`{"min": "20packets", "max": "60packets"}`,
    and if you like `max_p`, `weight` and `gentle`: Random Early Detection), `loss` (`every:N`, `every:N,FIRST`,
    `random:P`, `gilbert:P,R,1-K,1-H`, `at:N,N`), `delay` (the link's part of the round trip), `jitter` (`"5ms"`),
    `reorder` (`{"share": 0.01, "extra": "10ms"}`), `reverse` (a queue on the way back: `True`, or its keys).

    And of every scenario: `duration` (100 s), `measure` (from, to; the whole run if not given), `seed` (1),
    `packet_size`, `interval` of the samples (100 ms), `per_ack`, `inner` (the algorithms' inner variables, all or by
    name, in the table `inner`), `name`, `traffic` (names of presets, or tables of keys), `actions` (tables such as
    `{"switch": {"flow": "cubic 1", "at": "20s", "cc": "sack"}}`).

    Raises `ScenarioError`, which names field, value and expectation.
    """
    link = _link(buffer, red, rate=rate, rtt=rtt, loss=loss, delay=delay, jitter=jitter, reorder=reorder)
    return _scenario({"link": {**link, "reverse": reverse}}, flows, rest)


def parking_lot(
    flows: Mapping[str, int] | Iterable[Flow],
    *,
    hops: int,
    rate: Rate,
    delay: str,
    buffer: str = "1bdp",
    red: Mapping[str, Value] | None = None,
    rtt: str | None = None,
    loss: str | None = None,
    reverse: bool | Mapping[str, Value] = False,
    **rest: Unpack[Rest],
) -> Scenario:
    """Bottlenecks in a row between the nodes n0, n1, … : `hops` links of `rate` and `delay`.

    A flow says where it begins and ends: `Flow("cubic", from_="n0", to="n3")`. `rtt` is what a `buffer` in BDP refers to,
    if not the longest round trip of the flows over the link. The rest is as in `dumbbell`.
    """
    link = _link(buffer, red, rate=rate, rtt=rtt, loss=loss, delay=delay)
    return _scenario({"parking_lot": {"hops": hops, **link, "reverse": reverse}}, flows, rest)


def graph(links: Iterable[Link], flows: Mapping[str, int] | Iterable[Flow], **rest: Unpack[Rest]) -> Scenario:
    """Flows through any graph of one-way links. A flow has `from_` and `to`, or `path` and `back`; the rest is as in
    `dumbbell`.
    """
    return _scenario({"link": [link.table for link in links]}, flows, rest)


def _link(buffer: str, red: Mapping[str, Value] | None, **keys: object) -> dict[str, Any]:
    """The keys of a link that are given, and its queue."""
    queue = {"kind": "droptail" if red is None else "red", "limit": buffer, **(red or {})}
    return {**{key: value for key, value in keys.items() if value is not None}, "queue": queue}


def _scenario(network: dict[str, Any], flows: Mapping[str, int] | Iterable[Flow], rest: Rest) -> Scenario:
    if isinstance(flows, Mapping):
        spread = {"uniform": ["0s", "100ms"]}
        flows = [Flow(cc, count=count, start=spread) for cc, count in flows.items()]
    keys: dict[str, Any] = {"duration": "100s", **{key: value for key, value in rest.items() if value is not None}}
    record = {key: keys.pop(key) for key in ("interval", "per_ack", "inner") if key in keys}
    traffic = [{"preset": one} if isinstance(one, str) else one for one in keys.pop("traffic", ())]
    actions = list(keys.pop("actions", ()))
    document = {**keys, **network, "record": record, "flow": [flow.table for flow in flows]}
    if traffic:
        document["traffic"] = traffic
    if actions:
        document["action"] = actions
    return Scenario.from_json(json.dumps(document))
