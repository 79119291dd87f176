# SPDX-License-Identifier: MIT OR Apache-2.0
"""What notebooks show of an object."""

from __future__ import annotations

import importlib
from typing import cast


class Displayed:
    """A result that notebooks show as a small picture and a table."""

    __slots__ = ()

    def _repr_html_(self) -> str | None:
        """HTML for notebooks; `None` where there is only the text."""
        # Found when a notebook asks: pictures and tables know the results that they are of, and not the other way round.
        shown = importlib.import_module("cwnd.notebook.html").html_of(self)
        return cast("str | None", shown)
