# SPDX-License-Identifier: MIT OR Apache-2.0
"""The settings of a scenario in the words of captions: its queues, and its flows with what is theirs alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

from cwnd._native import Scenario
from cwnd.notation import notation
from cwnd.scenario import Flow, dumbbell
from cwnd.stack_names import is_stock
from cwnd.stored_scenario import scenario_document

#: How management of a queue is written, and its parameters in the order in which they are said.
QUEUES: dict[str, tuple[str, tuple[str, ...]]] = {
    "codel": ("CoDel", ("target", "interval")),
    "red": ("RED", ("min", "max", "max_p")),
    "drop-head": ("drop-head", ()),
}
#: What `cwnd compare` gives to flows that name no start.
COMPARED = {"uniform": ["0s", "100ms"]}
#: The size of a packet that everybody has.
COMMON_SIZE = "1500B"
#: Keys of a flow that its name and number say.
SAID = ("cc", "label", "count")

Table = Mapping[str, object]


def with_space(text: str) -> str:
    """`5ms` as `5 ms`."""
    return re.sub(r"^([\d.]+)([a-zA-Z%])", r"\1 \2", text)


def links_of(document: Table) -> list[Table]:
    """The tables of the links in a scenario's document."""
    link = cast("Table | Sequence[Table]", document.get("link", []))
    return [link] if isinstance(link, Mapping) else list(link)


def parts_of(link: Table) -> dict[str, str]:
    """A queue's management: its `name`, its parameters, and `ecn` where it marks. Empty for drop-tail."""
    queue = cast("Table", link.get("queue", {}))
    if (kind := str(queue.get("kind", ""))) not in QUEUES:
        return {}
    name, keys = QUEUES[kind]
    marks = {"ecn": "marking ECN"} if queue.get("ecn") else {}
    return {"name": name, **{key: with_space(notation(queue[key])) for key in keys if key in queue}, **marks}


def queue_of(document: Table) -> dict[str, str]:
    """The management of the queue of the only link; of several links nothing."""
    links = links_of(document)
    return parts_of(links[0]) if len(links) == 1 else {}


def queue_words(parts: Mapping[str, str]) -> str:
    """`CoDel (target 5 ms, interval 100 ms), marking ECN`."""
    given = ", ".join(f"{key} {value}" for key, value in parts.items() if key not in ("name", "ecn"))
    named = " ".join(each for each in (parts.get("name", ""), f"({given})" if given else "") if each)
    return ", ".join(each for each in (named, parts.get("ecn", "")) if each)


def queues_of(document: Table, *, brief: bool = False) -> str:
    """The management of queues, each kind once: `CoDel (target 5 ms, interval 100 ms), marking ECN`, or `brief`, `CoDel`; empty where all are drop-tail."""
    parts = [each for each in map(parts_of, links_of(document)) if each]
    return " and ".join(dict.fromkeys(each["name"] if brief else queue_words(each) for each in parts))


def others_of(scenario: Scenario, document: Table) -> dict[str, str]:
    """What else a caption says of a scenario's links, where it is not what one expects: `jitter`, `packet_size`, `reverse`."""
    links = links_of(document)
    # The only link has the key, or the whole network has.
    tables = [table for table in (document, *links) if "packet_size" in table]
    sizes = dict.fromkeys(str(table["packet_size"]) for table in tables)
    most = dict.fromkeys(with_space(most_of(link["jitter"])) for link in links if link.get("jitter"))
    found = {
        "jitter": f"jitter up to {' or '.join(most)}" if most else "",
        "packet_size": f"packets of {' or '.join(map(with_space, sizes))}" if list(sizes) != [COMMON_SIZE] else "",
        "reverse": "a queue in the reverse direction too"
        if any(link.is_reverse and link.queue is not None for link in scenario.links)
        else "",
    }
    return {name: words for name, words in found.items() if words}


def most_of(jitter: object) -> str:
    """The most that a jitter adds; where it is no uniform one, its table."""
    return notation(jitter.get("max", jitter) if isinstance(jitter, Mapping) else jitter)


def traffic_of(scenario: Scenario, document: Table) -> list[str]:
    """Each group of background traffic, with its rate where it has one."""
    tables = cast("Sequence[Table]", document.get("traffic", []))
    names = scenario.traffic_names
    rates = [table.get("rate") for table in tables] if len(tables) == len(names) else [None] * len(names)
    return [
        f"{name} of {with_space(str(rate))}" if isinstance(rate, str) else name
        for name, rate in zip(names, rates, strict=True)
    ]


@cache
def bare_flow(algorithm: str) -> Table:
    """The table of a flow of which nothing is set."""
    # A flow of a stack's own algorithm has no parameters, and the other keys of any flow.
    known = "reno" if is_stock(algorithm) else algorithm
    plain = dumbbell([Flow(known)], rate="1Mbit/s", rtt="40ms")
    (table,) = cast("Sequence[Table]", scenario_document(plain)["flow"])
    return table


def own_settings(document: Table) -> list[dict[str, str]]:
    """Of each group of flows what it has and a bare flow of its algorithm has not, as `cwnd compare` takes it."""
    link = document.get("link")
    queue = cast("Table", link.get("queue", {})) if isinstance(link, Mapping) else {}
    found = []
    for flow in cast("Sequence[Table]", document.get("flow", [])):
        # Where the queue marks, a flow that negotiates ECN is what one expects.
        usual = {**bare_flow(str(flow["cc"])), "ecn": bool(queue.get("ecn"))}
        found.append(
            {
                key: notation(value)
                for key, value in flow.items()
                if key not in SAID and value != usual.get(key) and not (key == "start" and value == COMPARED)
            }
        )
    return found


def group_words(name: str, count: int, own: Mapping[str, str]) -> str:
    """A group as `cwnd compare` takes it: `cubic:2@beta=0.8`."""
    words = ",".join(f"{key}={value}" for key, value in own.items())
    return name + (f":{count}" if count > 1 else "") + (f"@{words}" if words else "")
