# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.compare`, and its command."""

from __future__ import annotations

import json
from typing import Unpack, overload

from cwnd import _native
from cwnd._internal.input_errors import refused
from cwnd._internal.keyword_names import check_keywords
from cwnd.replicates.api import Replicates, replicate
from cwnd.result.result import Result
from cwnd.result.store import run
from cwnd.scenario.builders import built, documented, flows_in_one_list, from_document, keywords_json
from cwnd.scenario.flow import Flows
from cwnd.scenario.keyword_types import BottleneckSettings
from cwnd.scenario.settings import CompareSettings

#: Keywords that say how it is run, and not what.
RUNNING = ("jobs", "threads", "folder", "pictures", "force", "lane")


@overload
def compare(flows: Flows, *, seeds: None = None, **settings: Unpack[CompareSettings]) -> Result: ...
@overload
def compare(flows: Flows, *, seeds: int, **settings: Unpack[CompareSettings]) -> Replicates: ...
@flows_in_one_list
@documented
def compare(flows: Flows, *, seeds: int | None = None, **settings: Unpack[CompareSettings]) -> Result | Replicates:
    """Runs flows through one bottleneck, as `cwnd compare` does. Returns a `Result`, or with `seeds` the `Replicates` of that many seeds.

    `flows` are texts as on the command line (`["cubic:2@beta=0.85", "reno"]`), `cwnd.Flow`s, or names with counts (`{"cubic": 4,
    "sack": 4}`). By default the link has 100 Mbit/s, a round trip of 40 ms and a buffer of 1 BDP, and the run takes 60 s; the
    first fifth is not measured, unless every flow has a `size`. A keyword with the value `None` counts as not given: `rate=None` is 100 Mbit/s,
    and `rate="none"` a link without a rate. Flows without a start begin at random within the first 100 ms, or within a tenth of a short run.

    The keywords are those of `dumbbell`, `rtt`, `ecn`, and those of `cwnd.run` and `cwnd.replicate` (`jobs`, `threads`, `folder`, `pictures`, `force`,
    `lane`). Raises what these functions raise, and `ScenarioError` for an invalid flow, keyword or value.
    """
    check_keywords(settings, compare)
    given: dict[str, object] = {key: value for key, value in settings.items() if value is not None}
    if seeds is None and "jobs" in given:
        raise refused("jobs", given["jobs"], "seeds= with it")
    if seeds is not None and "threads" in given:
        raise refused("threads", given["threads"], "no seeds= with it: jobs= is the number of runs at a time")
    if seeds is not None and "pictures" in given:
        raise refused("pictures", given["pictures"], "no seeds= with it: many runs are not drawn")
    running = {key: given.pop(key) for key in RUNNING if key in given}
    scenario = built("compare", flows, given)
    if seeds is None:
        return run(scenario, **running)  # type: ignore[arg-type]
    return replicate(scenario, seeds, **running)  # type: ignore[arg-type]


@flows_in_one_list
@documented
def compare_command(flows: Flows, **settings: Unpack[BottleneckSettings]) -> str | None:
    """The command, for a POSIX shell, that runs the same scenario as `compare` with these flows and keywords.

    `compare_command(["cubic:2@beta=0.85", "reno"], rate="50Mbit/s")` is `cwnd compare 'cubic:2@beta=0.85' reno --rate 50Mbit/s`: options with
    default values are left out. The keywords are those of `compare`, including `ecn`, without those that control the run. Returns `None` if a
    setting has no option and needs a scenario's file, such as `delay` or `name`. Raises `ScenarioError` for an invalid flow, keyword or value.
    """
    check_keywords(settings, compare_command)
    # Once: iterators are read once.
    given = keywords_json(flows, settings)
    from_document(json.loads(_native.keywords_document("compare", given, [])))
    return _native.compare_command(given)
