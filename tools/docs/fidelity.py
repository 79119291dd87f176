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
    return text


def main() -> None:
    folder = Path(sys.argv[1])
    documents = [
        json.loads(path.read_text())[1] for path in sorted(folder.glob("*.json")) if path.name != "manifest.json"
    ]
    PAGE.write_text(page(documents))


if __name__ == "__main__":
    main()
