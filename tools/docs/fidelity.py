# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/results/fidelity.md from the folder of `cwnd fidelity -o DIR`: python -m tools.docs.fidelity DIR."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cwnd.comparison.report import rows, total
from cwnd.comparison.runner import FidelityDocument

PAGE = Path(__file__).parents[2] / "docs" / "results" / "fidelity.md"
HEAD = """# The simulator beside the running kernel

Written by `python -m tools.docs.fidelity DIR` from what `cwnd fidelity -o DIR` has measured; [the guide](../guide/live.md) says what is run and
when a number agrees.

"""


WHY = """
## Why

Looked into on 23 November 2026, run by run.

* `small-buffer`: the machine's own pauses. Undisturbed runs are the simulator's: those of seeds 4 and 5 have a utilisation of 0.919, 8 drops in 5 loss events, a mean window of 319.5 to 319.6 and an amplitude of 117 to 118
  segments, which is what the simulator has. Each of the others has one or more bursts of drops at one instant besides, after 8 ms or more without an acknowledgement: the buffer holds 4 ms.
* `fast-bic`: BIC counts segments per acknowledgement in sixteenths, and its estimate rests anywhere from 32 to 47 of them where each acknowledgement is of two segments. One stretched acknowledgement lifts it to 47, so that
  the window grows half as fast again, and nothing brings it down. With one acknowledgement in a thousand lost (`reverse = { rate = "10Gbit/s", loss = "random:0.001" }`) the simulator has 2249 drops in 62 loss events, a mean window of 920 and an
  amplitude of 174 segments; Linux 2286 in 62.1, 920 and 174.
* `fast-htcp`: Linux's first recovery is followed by a second, of three or four packets, and its window halves again; the simulator's queue is that much short of full. Of a buffer of 330 packets instead of 333 the simulator has 6 loss
  events and an amplitude of 414 segments, too. Later the factor kept is 0.57 to 0.60 with Linux and 0.67 with the simulator: it is the smallest round trip over the largest, and Linux's are up to 70 ms. That this is the
  machine's pauses was not shown by an experiment.
"""


def page(documents: list[FidelityDocument]) -> str:
    """The page."""
    days = sorted({document["day"] for document in documents})
    day = " to ".join(dict.fromkeys([days[0], days[-1]]))
    kernels = ", ".join(sorted({document["kernel"] for document in documents}))
    runs = ", ".join(sorted({str(document["runs"]) for document in documents}))
    late = max(document["late_p99_ms"] for document in documents)
    text = (
        HEAD
        + f"Of {day}, Linux {kernels}; runs of each scenario in each lane: {runs}; one packet in a hundred was delivered up to {late:.2f} ms late. "
    )
    text += f"**{total(documents)}.**\n\n| scenario | agree | what differs: simulator, Linux |\n| --- | --- | --- |\n"
    for document in documents:
        agree = sum(number["agrees"] for number in document["numbers"])
        differ = [
            f"{name}: {simulated}, {measured}"
            for name, (simulated, measured, verdict) in rows(document)
            if verdict == "differs"
        ]
        text += f"| `{document['scenario']}` | {agree} of {len(document['numbers'])} | {'; '.join(differ)} |\n"
    return text + WHY


def main() -> None:
    folder = Path(sys.argv[1])
    documents = [
        json.loads(path.read_text())[1] for path in sorted(folder.glob("*.json")) if path.name != "manifest.json"
    ]
    PAGE.write_text(page(documents))


if __name__ == "__main__":
    main()
