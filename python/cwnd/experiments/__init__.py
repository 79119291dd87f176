# SPDX-License-Identifier: MIT OR Apache-2.0
"""The experiments of five papers about CUBIC, one file per figure, table or tested statement: run, measured, judged, drawn.

Each file `<document>/<figure>.py` is an experiment (`fig2_modules.py` is `…/fig2-modules`), unless its name begins with `_`.
docs/guide/experiment.md says how to write one. The claims with their numbers and
tolerances are in claims.toml, and nowhere else.
"""

from typing import TYPE_CHECKING, Any

from cwnd.experiments.experiment import Answer, Holds, Measured, Point, Reduced, Reported, Results, Setup, Undecidable
from cwnd.result import Result

#: The earlier name of `Holds`, for experiments that others have written.
Held = Holds

if TYPE_CHECKING:
    from matplotlib.figure import Figure
else:
    # An experiment names the type and makes none: matplotlib is slow to import, and comes with the first picture.
    Figure = Any

__all__ = [
    "Answer",
    "Figure",
    "Held",
    "Holds",
    "Measured",
    "Point",
    "Reduced",
    "Reported",
    "Result",
    "Results",
    "Setup",
    "Undecidable",
]
