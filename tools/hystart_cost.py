# SPDX-License-Identifier: MIT OR Apache-2.0
"""Measures what HyStart++ costs a flow with rare acknowledgements: `python -m tools.hystart_cost` writes `python/cwnd/scenario/hystart_cost.json`."""

from __future__ import annotations

import json

import cwnd
from cwnd._internal.json_types import number
from cwnd.scenario.hystart import RECORD, HystartCost

#: Segments of an acknowledgement.
EVERY = (2, 16, 64, 128, 256)
COMPARED_AT = 256
ALGORITHM = "cubic"


def utilisation(flow: str) -> float:
    """The use of the link over the first ten seconds, per cent. By Linux's recovery the receiver would acknowledge the first segments one by one."""
    result = cwnd.compare(
        f"{flow},recovery=sack-prr",
        rate="100Mbit/s",
        rtt="40ms",
        buffer="1bdp",
        duration="10s",
        measure=("0s", "10s"),
        seed=1,
    )
    return round(100 * number(result.summary["link"], "utilization"), 1)


def measured() -> HystartCost:
    """All of it."""
    at = f"{ALGORITHM}@start=0s,ack_every={COMPARED_AT}"
    return {
        "algorithm": ALGORITHM,
        "path": "100 Mbit/s, 40 ms, a buffer of 1 BDP and recovery sack-prr, in the first 10 s,",
        "utilisation": {str(every): utilisation(f"{ALGORITHM}@start=0s,ack_every={every}") for every in EVERY},
        "compared_at": str(COMPARED_AT),
        "without_limit": utilisation(f"{at},l=0"),
        "paced": utilisation(f"{at},pacing=true"),
    }


if __name__ == "__main__":
    RECORD.write_text(json.dumps(measured(), indent=2) + "\n", encoding="utf-8")
    print(f"written: {RECORD}")
