# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenario of `cwnd compare`: flows through one bottleneck, with starts and a measured interval of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from cwnd.flow_and_link import Flow
from cwnd.scenario import dumbbell, dumbbell_document, from_document

#: What is compared where nothing else is said.
DEFAULTS = {"rate": "100Mbit/s", "rtt": "40ms", "buffer": "1bdp", "duration": "60s"}


def bottleneck_document(
    groups: Sequence[Flow],
    settings: Mapping[str, object],
    *,
    ecn: bool = False,
    function: Callable[..., object] = dumbbell,
) -> dict[str, object]:
    """The keys of the scenario. Against phase effects, flows that name no start begin at random within the first 100 ms, or a tenth of a
    short run; without `measure`, its first fifth is not measured. `function` is what the settings were given to. Raises `ScenarioError`.
    """
    given = {**DEFAULTS, **settings}
    measure = given.pop("measure", None)
    # The rest may be refused: a value of an axis, which is one point's matter.
    timed = dumbbell_document([Flow("cubic")], {**DEFAULTS, "duration": given["duration"]}, function)
    duration_ns = round(from_document(timed).duration_s * 1e9)
    spread = f"{min(100_000_000, max(1, duration_ns // 10))}ns"
    own = {"start": {"uniform": ["0s", spread]}, **({"ecn": True} if ecn else {})}
    flows = [Flow(**{**own, **group.table}) for group in groups]  # type: ignore[arg-type]
    interval = measure or (f"{duration_ns // 5}ns", given["duration"])
    return dumbbell_document(flows, {**given, "measure": interval}, function)
