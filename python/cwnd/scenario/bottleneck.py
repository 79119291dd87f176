# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenario of `cwnd compare`: flows through one bottleneck, with starts and a measured interval of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd.scenario.builders import DISCIPLINES, dumbbell, dumbbell_document, plain
from cwnd.scenario.flow import Flow, Value, flow_of
from cwnd.scenario.keywords import NO_RATE, WRITTEN


def bottleneck_document(
    groups: Sequence[Flow],
    settings: Mapping[str, object],
    *,
    ecn: bool = False,
    sized: Collection[int] = (),
    function: Callable[..., object] = dumbbell,
) -> dict[str, object]:
    """The keys of the scenario; what follows from the duration is `timing`'s, in `crates/cwnd-scenario/src/compare`. `function` is what the
    settings were given to. `sized` are numbers of groups that have a size although their tables have none: it is an axis. Raises `ScenarioError`.
    """
    settings = {key: value for key, value in settings.items() if value is not None}
    given = {**written(settings), **settings}
    measure = given.pop("measure", None)
    # The rest may be refused: a value of an axis, which is one point's matter.
    all_sized = bool(groups) and all("size" in group.table or number in sized for number, group in enumerate(groups))
    starts, measured_from = _native.compare_timing(json.dumps(plain("duration", given["duration"])), all_sized)
    own: dict[str, Value] = {"start": {"uniform": starts}, **({"ecn": True} if ecn else {})}
    flows = [flow_of({**own, **group.table}) for group in groups]
    interval = measure or (measured_from, given["duration"])
    return dumbbell_document(flows, {**given, "measure": interval}, function)


def written(settings: Mapping[str, object]) -> dict[str, str]:
    """What a comparison writes into its scenario where these settings say nothing: without a rate no queue, and with a `delay_limit` no rate."""
    if settings.get("rate", NO_RATE if "delay_limit" in settings else None) != NO_RATE:
        return WRITTEN
    return {key: value for key, value in WRITTEN.items() if key not in ("rate", "buffer")}


def marking(settings: Mapping[str, object]) -> dict[str, object]:
    """The queue discipline that is given, which marks."""
    for name in DISCIPLINES:
        if isinstance(queue := settings.get(name), Mapping):
            return {name: {"ecn": True, **queue}}
        if queue is not None:
            # No settings: the one line about it comes where the queue is read.
            return {name: queue}
    raise refused("ecn", True, f"a queue that marks, by {' or '.join(f'{name}=' for name in DISCIPLINES)}")


def text_of(flow: Flow) -> str:
    """A flow as the command line writes it, where that has a text for its settings."""
    settings = [f"{key}={value}" for key, value in flow.table.items() if key not in ("cc", "count", "label")]
    count = f":{flow.table['count']}" if flow.table["count"] != 1 else ""
    return str(flow.table.get("label", f"{flow.table['cc']}{count}" + (f"@{','.join(settings)}" if settings else "")))
