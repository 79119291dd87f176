# SPDX-License-Identifier: MIT OR Apache-2.0
"""The algorithms that figures 8 to 10 compare, and their parameter sets."""

from __future__ import annotations

from cwnd.experiments import Setup

NAMES = ("cubic", "bic", "hstcp", "sack")
LABELS = {"cubic": "CUBIC", "bic": "BIC-TCP", "hstcp": "HSTCP", "sack": "TCP-SACK"}
#: The testbed's BIC, which counts acknowledgements as its CUBIC, HSTCP and SACK do.
BIC = "bic-2.6"


def algorithm(setup: Setup, name: str) -> str:
    """The parameter set of a name in the paper."""
    return {"cubic": setup.cubic, "bic": BIC, "hstcp": "highspeed"}.get(name, name)
