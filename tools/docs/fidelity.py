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

* `fast-bic`: BIC counts segments per acknowledgement in sixteenths, and its estimate rests anywhere from 32 to 47 of them where each acknowledgement is of two segments. One stretched acknowledgement lifts it to 47, so that
  the window grows half as fast again, and nothing brings it down. With one acknowledgement in a thousand lost (`reverse = { rate = "10Gbit/s", loss = "random:0.001" }`) the simulator has 2249 drops in 62 loss events, a mean window of 920 and an
  amplitude of 174 segments; Linux 2222 to 2283 in 62, 920 and 174.
* `fast-htcp`: the factor that H-TCP keeps is the smallest round trip over the largest, in ticks of 4 ms, rounded up. With a full queue the largest is 60 ms, which is 15 ticks to the microsecond: in the simulator 10/15, and 10/16 in the kernel, whose
  measurement has some tens of microseconds of its own. With `rtt = "40.1ms"` the simulator has a utilisation of 0.977, 80 drops and a mean window of 750 segments. Linux has 0.974, 66 and 67, and 742 in the two runs in which the machine
  was never stopped for longer than 6 ms. A longer pause is a larger largest round trip: 0.961 to 0.976 with pauses of up to 8 ms, 0.939 with one of 17.7 ms.
* `small-buffer` differed in 8 numbers until lane live's time stopped with the machine ([decision 10](../adr/0010-time-stops-with-the-machine.md)): after pauses of 8 ms and more its buffer of 4 ms overflowed.
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
