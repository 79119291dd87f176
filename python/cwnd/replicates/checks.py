# SPDX-License-Identifier: MIT OR Apache-2.0
"""Whether the parts of a stored document are consistent: in an untrusted folder, each part may be valid only on its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cwnd.replicates.document import LOADS, MEANS, SUMS, ReplicatesDocument, RunDocument

#: The largest seed that a number of TOML and JSON holds.
MOST_SEED = (1 << 53) - 1


def check_replicates(document: ReplicatesDocument) -> None:
    """Raises `ValueError`, which says what does not fit: groups without flows, runs of other flows and links than the document's."""
    seeds = [run["seed"] for run in document["runs"]]
    if not seeds or document["seeds"] != seeds or len(set(seeds)) != len(seeds):
        raise ValueError(
            f"runs of the seeds {short(seeds)}; expected those of seeds, {short(document['seeds'])}, each once"
        )
    if not all(0 <= seed <= MOST_SEED for seed in seeds):
        raise ValueError(f"seeds {short(seeds)}; expected each from 0 to {MOST_SEED}")
    if document["asked"] < len(seeds):
        raise ValueError(f"{document['asked']} runs asked for; expected at least the {len(seeds)} that are done")
    groups = [group["flows"] for group in document["groups"]]
    if not groups or min(groups) < 1:
        raise ValueError(f"groups of {short(groups)} flows; expected at least one in each")
    if not document["links"]:
        raise ValueError("no link")
    lists: tuple[tuple[str, Sequence[Mapping[str, object]], Iterable[str]], ...] = (
        ("groups", document["groups"], (*SUMS, *MEANS)),
        ("links", [document["link"], *document["links"]], numbers_in(document["runs"][0]["links"][:1])),
        ("traffic", document["traffic"], LOADS),
    )
    for name, rows, keys in lists:
        for row in rows:
            if missing := [key for key in keys if key not in row]:
                raise ValueError(f"{name} without {missing[0]}")
    for run in document["runs"]:
        check_run(run, groups, len(document["links"]))


def check_run(run: RunDocument, groups: Sequence[int], links: int) -> None:
    """Raises `ValueError` unless a run has these groups of flows and so many links, and their measures."""
    counts = {
        "flows": (len(run["flows"]), sum(groups)),
        "links": (len(run["links"]), links),
        "measures.groups": (len(run["measures"]["groups"]), len(groups)),
        "measures.links": (len(run["measures"]["links"]), links),
    }
    for name, (found, expected) in counts.items():
        if found != expected:
            raise ValueError(f"seed {run['seed']} has {found} {name}; expected {expected}")
    known = {(each["of"], each["index"], each["direction"]) for each in run["transfers"]}
    for each in run["measures"]["transfers"]:
        if (each["of"], each["index"], each["direction"]) not in known:
            raise ValueError(f"seed {run['seed']} has measures of transfers that it does not have")


def numbers_in(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """The keys of numbers in the first row, if there is one."""
    return [key for row in rows[:1] for key, value in row.items() if value is None or isinstance(value, int | float)]


def short(numbers: Sequence[int]) -> str:
    """Numbers in words, the first of many."""
    words = ", ".join(map(str, numbers[:5])) or "none"
    return words if len(numbers) <= 5 else f"{words}, …"
