# SPDX-License-Identifier: MIT OR Apache-2.0
"""The reproduction of papers: experiments run, measured, judged against what the papers claim, and drawn.

The papers are in `cwnd.papers`. What an experiment's file needs is imported from here; docs/guide/experiment.md says how to write one.
"""

from typing import TYPE_CHECKING

from cwnd.reproduce.experiment import Answer, Experiment, Holds, Measured, Point, Reported, Results, Setup, Undecidable
from cwnd.result.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    # An experiment names the type and makes none: matplotlib is slow to import, and comes with the first picture.
    Figure = object

__all__ = [
    "Answer",
    "Experiment",
    "Figure",
    "Holds",
    "Measured",
    "Point",
    "Reported",
    "Result",
    "Results",
    "Setup",
    "Undecidable",
]
