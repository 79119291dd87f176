# SPDX-License-Identifier: MIT OR Apache-2.0
"""The earlier name of `cwnd.reproduce`, for experiments that others have written."""

import sys

from cwnd.reproduce import (
    Answer,
    Experiment,
    Figure,
    Holds,
    Measured,
    Point,
    Reported,
    Result,
    Results,
    Setup,
    Undecidable,
    claims,
    forms,
    iperf,
)

#: The earlier name of `Holds`.
Held = Holds

__all__ = [
    "Answer",
    "Experiment",
    "Figure",
    "Held",
    "Holds",
    "Measured",
    "Point",
    "Reported",
    "Result",
    "Results",
    "Setup",
    "Undecidable",
]

# `from cwnd.experiments.forms import …` as well.
sys.modules |= {f"{__name__}.{module.__name__.rpartition('.')[2]}": module for module in (claims, forms, iperf)}
