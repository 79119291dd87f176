# SPDX-License-Identifier: MIT OR Apache-2.0
"""The experiments of five texts about CUBIC, one file per figure, table or tested statement: run, measured, judged, drawn.

`<document>/<figure>.py` is an experiment by being there (`fig2_modules.py` is `…/fig2-modules`); a name that begins with `_` is not one.
How to write one, and what the frame does with it: docs/experiments/writing.md. The claims with their numbers and
tolerances are in claims.toml, and nowhere else.
"""

from typing import TYPE_CHECKING, Any

from cwnd.experiments.frame import Answer, Held, Measured, Point, Reduced, Reported, Results, Setup, Undecidable
from cwnd.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    # An experiment names the type and makes none: matplotlib is slow to import, and comes with the first picture.
    Figure = Any

__all__ = [
    "Answer",
    "Figure",
    "Held",
    "Measured",
    "Point",
    "Reduced",
    "Reported",
    "Result",
    "Results",
    "Setup",
    "Undecidable",
]
