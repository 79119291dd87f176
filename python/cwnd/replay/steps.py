# SPDX-License-Identifier: MIT OR Apache-2.0
"""The calls of a flow's hooks in the simulator, one by one."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, TypedDict, cast

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd._native import Scenario

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CALLS = 1_000_000


class Field(TypedDict):
    """A number of the connection or an inner variable, before and after a call."""

    name: str
    before: int
    after: int
    #: empty for a number without one
    unit: str
    #: by what the integers are divided to be in the unit
    scale: int


class HookCall(TypedDict):
    """A call of a hook."""

    t_s: float
    hook: str
    arguments: dict[str, int | str]
    #: 0 for a hook that returns nothing
    returned: int
    fields: list[Field]


def calls_of(scenario: Scenario, flow: int | str = 0, start_s: float = 0.0, count: int = 100) -> list[HookCall]:
    """The calls, checked: see `hook_calls`."""
    names = scenario.flow_names
    if isinstance(flow, str) and flow not in names:
        raise refused("flow", flow, "the name of a flow", names)
    number = names.index(flow) if isinstance(flow, str) else flow
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < len(names):
        raise refused(
            "flow",
            flow,
            f"a flow's name, or its number from 0 to {len(names) - 1}" if names else "a scenario with flows",
        )
    if isinstance(start_s, bool) or not isinstance(start_s, int | float) or not 0 <= start_s < scenario.duration_s:
        raise refused("start_s", start_s, f"seconds from 0 up to the end, {scenario.duration_s:g}")
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_CALLS:
        raise refused("count", count, f"a whole number from 1 to {MOST_CALLS}")
    return cast("list[HookCall]", json.loads(_native.hook_calls(scenario, number, math.ceil(start_s * 1e9), count)))


def hook_calls(scenario: Scenario, flow: int | str = 0, *, start_s: float = 0.0, count: int = 100) -> pa.Table:
    """Simulates a scenario up to `start_s` (s), then returns the next `count` hook calls of a flow, a row each.

    `flow` is the flow's number or its name. Columns: `time_s` (s), `hook`, `arguments` (a text, `acked=2`), `returned` (0 if a hook returns
    nothing), and `NAME_before` and `NAME_after` for each number of the connection and each inner variable of the algorithm, as the algorithm's
    integers. A flow that makes no further calls has fewer rows. A flow that is not observed has no extra cost. Raises `ScenarioError` for an
    unknown flow or an invalid time or number.
    """
    import pyarrow as pa

    calls = calls_of(scenario, flow, start_s, count)
    columns: dict[str, list[object]] = {
        "time_s": [call["t_s"] for call in calls],
        "hook": [call["hook"] for call in calls],
        "arguments": [", ".join(f"{name}={value}" for name, value in call["arguments"].items()) for call in calls],
        "returned": [call["returned"] for call in calls],
    }
    for place, field in enumerate(calls[0]["fields"] if calls else []):
        for side in ("before", "after"):
            columns[f"{field['name']}_{side}"] = [
                cast("dict[str, object]", call["fields"][place])[side] for call in calls
            ]
    return pa.table(columns)
