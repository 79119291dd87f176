# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenario of `cwnd compare`: flows through one bottleneck, with starts and a measured interval of their own."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence

from cwnd import _native
from cwnd.flow_and_link import Flow, Value, flow_of
from cwnd.keywords import NO_RATE, WRITTEN
from cwnd.scenario import dumbbell, dumbbell_document, plain


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
