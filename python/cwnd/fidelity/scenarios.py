# SPDX-License-Identifier: MIT OR Apache-2.0
"""The scenarios of the package that are compared, and the hosts that both lanes have."""

from __future__ import annotations

import hashlib
import time
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

from cwnd import _native
from cwnd._internal import live_part
from cwnd._internal.json_types import Json
from cwnd._native import Scenario
from cwnd.result.lanes import LIVE, kernel_of, kind_of
from cwnd.result.result import run
from cwnd.scenario.builders import from_document
from cwnd.scenario.snapshot import scenario_document

#: What each scenario changes of `base`, and the causes of differences that are known.
SCENARIOS = Path(__file__).with_name("scenarios.toml")
#: Python has no name for it. linux/time.h
CLOCK_MONOTONIC_COARSE = 6
#: Phases of the hosts' clocks are shorter, µs: the most that a scenario accepts.
PHASES_US = 3_600_000_000


@dataclass(frozen=True, slots=True)
class OwnScenario:
    """A scenario of the package."""

    scenario: Scenario
    #: causes of differences that were investigated: by name of a number, or for `packets`
    known: Mapping[str, str]
    #: number in its flow of the packet that differs first; the cause is of that difference alone
    first_difference: int | None


@cache
def own() -> dict[str, OwnScenario]:
    """The scenarios of the package by name, with what is known of them."""
    tables = tomllib.loads(SCENARIOS.read_text(encoding="utf-8"))
    base = tables.pop("base")
    (flow,) = base["flow"]
    found = {}
    for name, changes in sorted(tables.items()):
        known, first = changes.pop("known", {}), changes.pop("first_difference", None)
        flows = [changed(flow, each) for each in changes.pop("flow", [{}])]
        document = {**changed(base, changes), "flow": flows, "name": name}
        found[name] = OwnScenario(from_document(document), known, first)
    return found


def own_scenarios() -> dict[str, Scenario]:
    """The scenarios of the package by name."""
    return {name: each.scenario for name, each in own().items()}


def what_is_known(scenario: Scenario) -> OwnScenario:
    """The causes of differences that are known of a scenario of the package; none of any other one."""
    each = own().get(scenario.name)
    return each if each is not None and each.scenario == scenario else OwnScenario(scenario, {}, None)


def changed(table: dict[str, Json], changes: dict[str, Json]) -> dict[str, Json]:
    """A table with these changes; those of a table in it are changes of that, unless it is of another kind."""
    after = dict(table)
    for key, value in changes.items():
        before = table.get(key)
        both = isinstance(before, dict) and isinstance(value, dict) and "kind" not in value
        after[key] = changed(before, value) if both else value  # type: ignore[arg-type]  # two tables
    return after


@cache
def machine_hz() -> int:
    """Ticks per second of the running kernel (CONFIG_HZ): the coarse clock advances with them."""
    return round(1 / time.clock_getres(CLOCK_MONOTONIC_COARSE))


def ticks(lane: str) -> int:
    """Ticks per second of a lane's hosts."""
    if lane == LIVE:
        return machine_hz()
    from cwnd.linux.kernels import find

    return find(kernel_of(lane)).hz


def clock_phase_us(seed: int) -> int:
    """For how long the hosts' tick counters have run at time 0, drawn for a seed."""
    digest = hashlib.sha256(f"host clock {seed}".encode()).digest()
    return int.from_bytes(digest[:8]) % PHASES_US


def with_hosts(scenario: Scenario, hz: int, *, phase_us: int, captures: bool = False) -> Scenario:
    """The scenario with hosts that both lanes can have. The kernel in virtual time has one tick clock for both hosts, with the phase of the first
    flow; here all flows and traffic have it. A phase that the scenario gives the first flow stays."""
    document = scenario_document(scenario.with_host_clock(f"{hz}Hz"))
    flows, traffic = (document.get(key, []) for key in ("flow", "traffic"))
    assert isinstance(flows, list) and isinstance(traffic, list), "lists of tables"
    # Without a flow the kernel's clock begins at time 0.
    phase = flows[0].get("host_clock_phase", f"{phase_us}us") if flows else "0s"
    for group in [*flows, *(each for each in traffic if each["model"] != "udp")]:
        group["host_clock_phase"] = phase
    if captures:
        document["record"] = {**cast("dict[str, object]", document.get("record", {})), "flows": "all"}
    changed = from_document(document, {each.path: each.contents for each in scenario.files})
    return changed.capturing_senders() if captures else changed


def is_deterministic(scenario: Scenario, hz: int) -> bool:
    """Whether nothing in it is random: two seeds, with clocks of one phase, give the same packets, queues and transfers.

    A scenario of traffic alone does not count: its packets are in no capture.
    """
    if not scenario.flow_names:
        return False
    phase_us = clock_phase_us(scenario.seed)
    first, second = (
        run(with_hosts(scenario.with_seed(seed), hz, phase_us=phase_us, captures=True))
        for seed in (scenario.seed, scenario.seed ^ 1)
    )
    return (
        dict(first.packets) == dict(second.packets)
        and first.queue == second.queue
        and first.transfers == second.transfers
    )


def check(scenario: Scenario, lane: str) -> None:
    """Raises `ScenarioError` for what the lane does not do, `OSError` if this cwnd lacks the lane."""
    live_part.required(f"lane: {kind_of(lane)}")
    _native.Lab.check(scenario, kind_of(lane))
