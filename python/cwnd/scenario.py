# SPDX-License-Identifier: MIT OR Apache-2.0
"""Scenarios in Python: plain values in the schema of the TOML file. The native module validates them, nobody else."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cwnd._native import Scenario

Value = str | int | float | bool | Mapping[str, Any]


class Flow:
    """Like flows: an algorithm, how many, and their settings.

    `Flow("cubic", count=2, rtt="160ms", start="10s", beta=0.8)`: keys of a flow and parameters of its algorithm stand
    side by side, as in a scenario's `[[flow]]`. Times and sizes are texts with a unit.
    """

    def __init__(self, cc: str, count: int = 1, **settings: Value) -> None:
        self.table: dict[str, Value] = {"cc": cc, "count": count, **settings}


def dumbbell(
    flows: Mapping[str, int] | Iterable[Flow],
    *,
    rate: str,
    rtt: str,
    buffer: str = "1bdp",
    duration: str = "100s",
    measure: tuple[str, str] | None = None,
    seed: int | str = 1,
    red: Mapping[str, Value] | None = None,
    loss: str | None = None,
    packet_size: str | None = None,
    interval: str | None = None,
    per_ack: bool = False,
    inner: bool | list[str] = False,
    name: str = "",
) -> Scenario:
    """Flows through one bottleneck: DropTail, or RED where `red` is given.

    `flows` are `Flow`s, or names with counts (`{"cubic": 4, "sack": 4}`), which then start at random within the first
    100 ms. `rate` (bit/s with unit), `rtt` (propagation only), `buffer` (packets, bytes, time or BDP), `red`
    (`{"min": "20packets", "max": "60packets"}`, and if you like `max_p`, `weight` and `gentle`: Random Early Detection),
    `measure` (from, to; the whole run if not given), `loss` (`every:N`, `every:N,FIRST`, `random:P`, `gilbert:P,R,1-K,1-H`,
    `at:N,N`), `interval` of the samples (100 ms), `inner` (the algorithms' inner variables, all or by name, in the table
    `inner`).

    Raises `ScenarioError`, which names field, value and expectation.
    """
    if isinstance(flows, Mapping):
        spread = {"uniform": ["0s", "100ms"]}
        flows = [Flow(cc, count=count, start=spread) for cc, count in flows.items()]
    queue = {"kind": "droptail" if red is None else "red", "limit": buffer, **(red or {})}
    link: dict[str, Any] = {"rate": rate, "rtt": rtt, "queue": queue}
    if loss is not None:
        link["loss"] = loss
    if packet_size is not None:
        link["packet_size"] = packet_size
    record: dict[str, Any] = {"per_ack": per_ack, "inner": inner}
    if interval is not None:
        record["interval"] = interval
    document: dict[str, Any] = {
        "name": name,
        "duration": duration,
        "seed": seed,
        "link": link,
        "record": record,
        "flow": [flow.table for flow in flows],
    }
    if measure is not None:
        document["measure"] = list(measure)
    return Scenario.from_json(json.dumps(document))
