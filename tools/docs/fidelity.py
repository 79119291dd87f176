# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/results/fidelity.md from folders of `cwnd fidelity -o DIR`, one for each clock: python -m tools.docs.fidelity DIR..."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cwnd.fidelity.documents import FidelityDocument, causes, summary
from cwnd.fidelity.equivalence import MARGIN
from cwnd.fidelity.report import first_difference, number_rows, packet_row

PAGE = Path(__file__).parents[2] / "docs" / "results" / "fidelity.md"
HEAD = """# The simulator compared with Linux

Written by `python -m tools.docs.fidelity DIR...` from the results of `cwnd fidelity --lane linux:KERNEL -o DIR`.
[The guide](../guide/fidelity.md) says what runs, and when a number is equivalent.

"""
PACKETS = """
## Packet by packet

The deterministic scenarios, one run in each lane.
*Agree* counts the packets before the first difference; the next column has the largest distance of their times.
*In order* counts the packets before the first difference that is not only one of time.
The next columns have the mean and the largest distance of the windows over time, in segments.
The first difference is the receiver's if the number or the time of an earlier acknowledgement differs, else the sender's; windows and SACK blocks of acknowledgements are not compared.

| scenario | Hz | packets | agree | µs | in order | windows: mean | max | first difference |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |
"""
NUMBERS = """
## Pairs of runs

The random scenarios. A ratio is simulator over Linux, with its interval of 90 %.
Each scenario has ten pairs; those of which a number was undecided then were run again with forty, which also gives chance another try.

| scenario | number | Hz | pairs | simulator | Linux | ratio (90 %) | verdict |
| --- | --- | ---: | ---: | --- | --- | --- | --- |
"""
WHY = """
## Why the lanes differ

The cause of the first difference of each deterministic scenario, and of each number that differs.

| cause | scenarios |
| --- | --- |
"""


def page(documents: list[FidelityDocument]) -> str:
    """The page. `documents`: of one clock after the other."""
    clocks = sorted({document["hz"] for document in documents})
    pairs = ", ".join(sorted({str(document["runs"]) for document in documents if document["numbers"]}))
    text = f"{HEAD}A ratio within 1/{MARGIN:g} to {MARGIN:g} is no difference; pairs of runs of each random scenario: {pairs}.\n\n"
    for hz in clocks:
        mine = [document for document in documents if document["hz"] == hz]
        days = sorted({document["day"] for document in mine})
        kernels = ", ".join(sorted({document["kernel"] for document in mine}))
        day = " to ".join(dict.fromkeys([days[0], days[-1]]))
        text += f"* Clock of {hz} Hz, Linux {kernels}, measured {day}: **{summary(mine)}.**\n"
    ordered = sorted(documents, key=lambda document: (document["scenario"], document["hz"]))
    text += PACKETS
    for document in ordered:
        if (packets := document["packets"]) is not None:
            text += f"| `{document['scenario']}` | {document['hz']} | {' | '.join(packet_row(packets))} | {first_difference(packets)} |\n"
    text += NUMBERS
    rows = [(document, *row) for document in ordered for row in number_rows(document)]
    for document, name, cells in sorted(rows, key=lambda row: (row[0]["scenario"], row[1], row[0]["hz"])):
        text += f"| `{document['scenario']}` | {name} | {document['hz']} | {document['runs']} | {' | '.join(cells)} |\n"
    return (
        text + WHY + "".join(f"| {cause or 'not found'} | {', '.join(of)} |\n" for cause, of in causes(ordered).items())
    )


def main() -> None:
    documents = [
        json.loads(path.read_text())[1]
        for folder in sys.argv[1:]
        for path in sorted(Path(folder).glob("*.json"))
        if path.name != "manifest.json"
    ]
    PAGE.write_text(page(documents))


if __name__ == "__main__":
    main()
