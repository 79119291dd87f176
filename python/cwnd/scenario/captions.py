# SPDX-License-Identifier: MIT OR Apache-2.0
"""The settings of a scenario in the words of captions: its queues, and its flows with what is theirs alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import cast

from cwnd import _native
from cwnd._native import Scenario
from cwnd.scenario.builders import Flow, dumbbell
from cwnd.scenario.notation import notation
from cwnd.scenario.snapshot import scenario_document
from cwnd.stacks.names import is_stock

#: How management of a queue is written, and its parameters in the order in which they are said.
QUEUES = {each["name"]: (each["title"], each["shown"]) for each in _native.queue_disciplines()}
#: What `cwnd compare` gives to flows that name no start.
COMPARED = {"uniform": ["0s", "100ms"]}
#: The same (s), the first and the last time.
COMPARED_S = (0.0, 0.1)
#: The default size of a packet.
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
    """What else a caption says of a scenario's links, where it is not what one expects: `jitter`, `reorder`, `packet_size`, `reverse`, `reverse_path`."""
    links = links_of(document)
    # The only link has the key, or the whole network has.
    tables = [table for table in (document, *links) if "packet_size" in table]
    sizes = dict.fromkeys(str(table["packet_size"]) for table in tables)
    jitters = filter(None, dict.fromkeys(jitter_words(link.get("jitter")) for link in links))
    reorders = filter(None, dict.fromkeys(reorder_words(link.get("reorder")) for link in links))
    found = {
        "jitter": " or ".join(jitters),
        "reorder": " or ".join(reorders),
        "packet_size": f"packets of {' or '.join(map(with_space, sizes))}" if list(sizes) != [COMMON_SIZE] else "",
        "reverse": "a queue in the reverse direction too"
        if any(link.is_reverse and link.queue is not None for link in scenario.links)
        else "",
        "reverse_path": " and ".join(filter(None, dict.fromkeys(map(reverse_words, links)))),
    }
    return {name: words for name, words in found.items() if words}


def reverse_words(link: Table) -> str:
    """What else happens to packets on a link's reverse path: `on the reverse path jitter ± 5 ms and loss random:0.05`; empty where nothing does."""
    path = link.get("reverse")
    if not isinstance(path, Mapping):
        return ""
    loss = f"loss {path['loss']}" if path.get("loss") else ""
    words = [each for each in (jitter_words(path.get("jitter")), reorder_words(path.get("reorder")), loss) if each]
    return f"on the reverse path {' and '.join(words)}" if words else ""


def scaled(time: object, factor: float) -> str:
    """`5 ms` of `10ms` and 0.5."""
    found = re.fullmatch(r"([\d.]+)\s*([a-zA-Z]+)", str(time))
    return f"{float(found[1]) * factor:g} {found[2]}" if found else notation(time)


def jitter_words(jitter: object) -> str:
    """What a jitter does to the delay: `jitter up to 10 ms` on top of it, `jitter ± 5 ms` around it; whether packets overtake each other; empty without one."""
    if not jitter:
        return ""
    table: Mapping[str, object] = jitter if isinstance(jitter, Mapping) else {"kind": "uniform", "max": jitter}
    kind, is_centered = table.get("kind"), bool(table.get("centered"))
    if kind == "none":
        return ""
    if kind == "exponential":
        words = f"exponential jitter of {scaled(table.get('mean'), 1)}{' within the delay' if is_centered else ''}"
    elif kind == "normal":
        # It is truncated to 0 … twice the mean.
        most = f"± {scaled(table.get('mean'), 1)}" if is_centered else f"up to {scaled(table.get('mean'), 2)}"
        words = f"normal jitter {most} (sd {scaled(table.get('sd'), 1)})"
    else:
        words = (
            f"jitter ± {scaled(table.get('max'), 0.5)}"
            if is_centered
            else f"jitter up to {scaled(table.get('max'), 1)}"
        )
    return f"{words} with overtaking" if table.get("overtaking") else words


def reorder_words(reorder: object) -> str:
    """Which packets come later than those behind them: `1 % of the packets 2 ms late`; empty where none do."""
    if not isinstance(reorder, Mapping):
        return ""
    return f"{100 * float(str(reorder['share'])):g} % of the packets {scaled(reorder['extra'], 1)} late"


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
