# SPDX-License-Identifier: MIT OR Apache-2.0
"""The settings of a scenario in the words of captions: its queues, and its flows with what is theirs alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

from cwnd._native import Scenario
from cwnd.scenario import Flow, dumbbell
from cwnd.stored_scenario import scenario_document

#: How management of a queue is written, and its parameters in the order in which they are said.
QUEUES: dict[str, tuple[str, tuple[str, ...]]] = {
    "codel": ("CoDel", ("target", "interval")),
    "red": ("RED", ("min", "max", "max_p")),
}
#: What `cwnd compare` gives to flows that name no start.
COMPARED = {"uniform": ["0s", "100ms"]}
#: Keys of a flow that its name and number say.
SAID = ("cc", "label", "count")

Table = Mapping[str, object]


def with_space(text: str) -> str:
    """`5ms` as `5 ms`."""
    return re.sub(r"^([\d.]+)([a-zA-Z%])", r"\1 \2", text)


def queues_of(scenario: Scenario, *, brief: bool = False) -> str:
    """The management of queues, each kind once: `CoDel (target 5 ms, interval 100 ms), marking ECN`, or `brief`, `CoDel`; empty where all are drop-tail."""
    link = cast("Table | Sequence[Table]", scenario_document(scenario).get("link", []))
    tables = [link] if isinstance(link, Mapping) else link
    words = []
    for table in tables:
        queue = cast("Table", table.get("queue", {}))
        if (kind := str(queue.get("kind", ""))) in QUEUES:
            name, keys = QUEUES[kind]
            given = ", ".join(f"{key} {with_space(str(queue[key]))}" for key in keys if key in queue)
            whole = f"{name} ({given})" + (", marking ECN" if queue.get("ecn") else "")
            words.append(name if brief else whole)
    return " and ".join(dict.fromkeys(words))


def own_settings(scenario: Scenario) -> list[dict[str, str]]:
    """Of each group of flows what it has and a bare flow of its algorithm has not, as `cwnd compare` takes it."""
    document = scenario_document(scenario)
    link = document.get("link")
    queue = cast("Table", link.get("queue", {})) if isinstance(link, Mapping) else {}
    found = []
    for flow in cast("Sequence[Table]", document.get("flow", [])):
        plain = dumbbell([Flow(str(flow["cc"]))], rate="1Mbit/s", rtt="40ms")
        (bare,) = cast("Sequence[Table]", scenario_document(plain)["flow"])
        # Where the queue marks, a flow that negotiates ECN is what one expects.
        usual = {**bare, "ecn": bool(queue.get("ecn"))}
        found.append(
            {
                key: str(value).lower() if isinstance(value, bool) else str(value)
                for key, value in flow.items()
                if key not in SAID and value != usual.get(key) and not (key == "start" and value == COMPARED)
            }
        )
    return found


def group_words(name: str, count: int, own: Mapping[str, str]) -> str:
    """A group as `cwnd compare` takes it: `cubic:2@beta=0.8`."""
    words = ",".join(f"{key}={value}" for key, value in own.items())
    return name + (f":{count}" if count > 1 else "") + (f"@{words}" if words else "")
