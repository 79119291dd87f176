# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/results/fidelity.md from the folder of `cwnd fidelity -o DIR`: python -m tools.docs.fidelity DIR."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cwnd.fidelity.equivalence import MARGIN
from cwnd.fidelity.report import differences, exact, number_rows, packet_row, summary
from cwnd.fidelity.runner import FidelityDocument

PAGE = Path(__file__).parents[2] / "docs" / "results" / "fidelity.md"
HEAD = """# The simulator compared with Linux

Written by `python -m tools.docs.fidelity DIR` from the results of `cwnd fidelity -o DIR`.
[The guide](../guide/fidelity.md) says what runs, and when a number is equivalent.

"""
PACKETS = """
## Packet by packet

The deterministic scenarios, one run in each lane.
*In order* counts the packets before the first difference that is not only one of time.
The last column has the mean and the largest distance of the windows over time, in segments.

| scenario | packets | agree | in order | first difference | windows |
| --- | ---: | ---: | ---: | --- | --- |
"""
NUMBERS = """
## Pairs of runs

The random scenarios. A ratio is simulator over Linux, with its interval of 90 %.

| scenario | number | simulator | Linux | ratio (90 %) | verdict |
| --- | --- | --- | --- | --- | --- |
"""
WHY = """
## Why the lanes differ

"""


def page(documents: list[FidelityDocument]) -> str:
    """The page."""
    days = sorted({document["day"] for document in documents})
    day = " to ".join(dict.fromkeys([days[0], days[-1]]))
    lanes = ", ".join(sorted({f"{document['kernel']} (lane `{document['lane']}`)" for document in documents}))
    clocks = ", ".join(sorted({f"{document['hz']} Hz" for document in documents}))
    pairs = ", ".join(sorted({str(document["runs"]) for document in documents if document["numbers"]}))
    text = (
        f"{HEAD}Measured {day}, Linux {lanes}; hosts with a clock of {clocks} in both lanes; pairs of runs of each random"
        f" scenario: {pairs}.\nA ratio within 1/{MARGIN:g} to {MARGIN:g} is no difference.\n**{summary(documents)}.**\n"
    )
    text += PACKETS
    for name, packets in exact(documents):
        text += f"| `{name}` | {' | '.join(packet_row(packets))} |\n"
    text += NUMBERS
    for document in documents:
        for name, cells in number_rows(document):
            text += f"| `{document['scenario']}` | {name} | {' | '.join(cells)} |\n"
    if found := [*differences(documents)]:
        text += WHY
        for scenario, what, known in found:
            text += f"* `{scenario}`, {what}: {known or 'not investigated'}.\n"
    return text


def main() -> None:
    folder = Path(sys.argv[1])
    documents = [
        json.loads(path.read_text())[1] for path in sorted(folder.glob("*.json")) if path.name != "manifest.json"
    ]
    PAGE.write_text(page(documents))


if __name__ == "__main__":
    main()
