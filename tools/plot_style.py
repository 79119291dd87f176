# SPDX-License-Identifier: MIT OR Apache-2.0
"""How the pictures of the docs look."""

STYLE = {
    "font.size": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}
