# SPDX-License-Identifier: MIT OR Apache-2.0
"""A comparison as JSON, and the summary of several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from cwnd.fidelity.equivalence import NumberDocument, Verdict
from cwnd.fidelity.numbers import titled
from cwnd.fidelity.packets import PacketsDocument

VERDICTS: tuple[Verdict, ...] = ("equivalent", "differs", "cannot say")


class FidelityDocument(TypedDict):
    """A comparison as JSON."""

    scenario: str
    #: what the simulator is compared with: `live`, or `linux:` and the name of a kernel
    lane: str
    #: runs in each lane
    runs: int
    #: release of the kernel
    kernel: str
    #: the kernel's tick rate, which the simulated hosts had too (Hz)
    hz: int
    #: the day of the last run of the kernel
    day: str
    #: how late packets were delivered (ms): of each run the 99th percentile in lane live, else the maximum; the largest of all runs
    late_ms: float
    #: of a deterministic scenario, and of a random one if that was asked; `None`: its numbers are compared
    packets: PacketsDocument | None
    #: of a random scenario
    numbers: list[NumberDocument]
    #: groups of flows whose simulated loss recovery is not Linux's, and which one it is
    other_recovery: dict[str, str]


def exact(documents: list[FidelityDocument]) -> list[tuple[str, PacketsDocument]]:
    """The deterministic scenarios by name."""
    return [(each["scenario"], each["packets"]) for each in documents if each["packets"] is not None]


def counted(documents: list[FidelityDocument]) -> dict[Verdict, int]:
    """How many numbers have each verdict."""
    found = [number["verdict"] for document in documents for number in document["numbers"]]
    return {verdict: found.count(verdict) for verdict in VERDICTS}


def summary(documents: list[FidelityDocument]) -> str:
    """How many scenarios agree packet by packet, and how many numbers are equivalent."""
    parts = []
    if of_packets := [packets for _, packets in exact(documents)]:
        agree = sum(packets["first"] is None and packets["measured"] > 0 for packets in of_packets)
        scenarios = "scenario agrees" if len(of_packets) == 1 else "scenarios agree"
        parts.append(f"{agree} of {len(of_packets)} {scenarios} packet by packet")
    numbers = counted(documents)
    if total := sum(numbers.values()):
        parts.append(
            f"{numbers['equivalent']} of {total} numbers are equivalent (differing: {numbers['differs']}, undecided: {numbers['cannot say']})"
        )
    return "; ".join(parts) or "nothing to compare"


def outcome(document: FidelityDocument) -> str:
    """The result of one comparison."""
    packets = document["packets"]
    if packets is None:
        return summary([document])
    if packets["first"] is None and not packets["measured"]:
        return "no packet was sent"
    if packets["first"] is None:
        return f"all {packets['measured']} packets are the same"
    return f"{packets['agree']} of {packets['measured']} packets are before the first difference"


def empty(documents: list[FidelityDocument]) -> list[str]:
    """Scenarios in which nothing was compared."""
    return [
        document["scenario"]
        for document in documents
        if not document["numbers"]
        and (
            document["packets"] is None
            or (document["packets"]["first"] is None and not document["packets"]["measured"])
        )
    ]


def other_recoveries(documents: list[FidelityDocument]) -> list[str]:
    """A line for each scenario and recovery that is not Linux's."""
    lines = []
    for document in documents:
        for recovery in sorted(set(document["other_recovery"].values())):
            flows = ", ".join(name for name, other in document["other_recovery"].items() if other == recovery)
            lines.append(
                f'{document["scenario"]}: {flows} recovers as "{recovery}", which Linux does not have, so the lanes differ; '
                'set recovery = "linux"'
            )
    return lines


def differences(documents: list[FidelityDocument]) -> Iterator[tuple[str, str, str]]:
    """All differences: scenario, what differs, and the cause, empty if it is not known."""
    for document in documents:
        packets = document["packets"]
        if packets is not None and packets["first"] is not None:
            yield document["scenario"], "packets", packets["known"]
        for number in document["numbers"]:
            if number["verdict"] == "differs":
                yield document["scenario"], titled(number), number["known"]


def unexplained(documents: list[FidelityDocument]) -> int:
    """How many differences have no known cause."""
    return sum(not known for _, _, known in differences(documents))


def causes(documents: list[FidelityDocument]) -> dict[str, list[str]]:
    """What differs, by its cause; without a known cause last."""
    found: dict[str, list[str]] = {}
    for scenario, what, known in sorted(differences(documents), key=lambda each: (not each[2], each[2])):
        of = scenario if what == "packets" else f"{scenario} ({what})"
        scenarios = found.setdefault(known, [])
        if of not in scenarios:
            scenarios.append(of)
    return found
