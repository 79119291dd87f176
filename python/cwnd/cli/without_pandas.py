# SPDX-License-Identifier: MIT OR Apache-2.0
"""Pandas hidden from pyarrow, which would import it with the first value of Python that it converts, for 0.3 s; no command uses it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType


class Hidden:
    """A finder of modules: pandas cannot be imported."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        """Nothing, for every module but pandas."""
        if name == "pandas":
            raise ModuleNotFoundError("pandas is hidden from the program", name=name)


def hide() -> None:
    """Hides it."""
    sys.meta_path.insert(0, Hidden)


def show() -> None:
    """Reverts this, for code that only checks whether pandas is installed."""
    if Hidden in sys.meta_path:
        sys.meta_path.remove(Hidden)
