# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes docs/results/fidelity.md from the folder of `cwnd fidelity -o DIR`: python -m tools.docs.fidelity DIR."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from cwnd.fidelity.report import rows, total
from cwnd.fidelity.runner import FidelityDocument

PAGE = Path(__file__).parents[2] / "docs" / "results" / "fidelity.md"
HEAD = """# The simulator compared with the running kernel

Written by `python -m tools.docs.fidelity DIR` from the results of `cwnd fidelity -o DIR`.
[The guide](../guide/live.md) says what runs and when a number agrees.

"""


WHY = """
## Why numbers differ

Investigated on 23 November 2026, run by run.

* `fast-bic`: BIC counts segments per ACK in sixteenths.
  Where each ACK acknowledges two segments, its estimate rests anywhere from 32 to 47 sixteenths.
  One stretched ACK lifts it to 47: the window then grows half as fast again, and nothing lowers the estimate.
  With one ACK in a thousand lost (`reverse = { rate = "10Gbit/s", loss = "random:0.001" }`), the simulator has 2249 drops in 62 loss events, a mean window of 920 and an amplitude of 174 segments.
  Linux has 2222 to 2283 drops in 62 loss events, 920 and 174.
* `fast-htcp`: H-TCP's backoff factor is the smallest round trip over the largest, in ticks of 4 ms, rounded up.
  With a full queue the largest is 60 ms, which is 15 ticks, exact to the microsecond.
  The factor is 10/15 in the simulator and 10/16 in the kernel, whose measurement adds some tens of microseconds.
  With `rtt = "40.1ms"` the simulator has a utilisation of 0.977, 80 drops and a mean window of 750 segments.
  Linux has 0.974, 66 and 67, and 742 in the two runs in which the machine was never stopped for longer than 6 ms.
  A longer pause raises the largest round trip: utilisation is 0.961 to 0.976 with pauses of up to 8 ms, and 0.939 with one of 17.7 ms.
* `small-buffer` differed in 8 numbers until lane live's time stopped with the machine ([decision 10](../adr/0010-time-stops-with-the-machine.md)).
  Before, its buffer of 4 ms overflowed after pauses of 8 ms and more.
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
        + f"Measured {day}, Linux {kernels}; runs of each scenario in each lane: {runs}; one packet in a hundred was delivered {late:.2f} ms late or later. "
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
