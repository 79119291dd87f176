# SPDX-License-Identifier: MIT OR Apache-2.0
"""Packages that are optional: imported when they are needed."""

from __future__ import annotations

import importlib
from types import ModuleType


def imported(name: str, extra: str) -> ModuleType:
    """An optional package that this extra installs; raises `ModuleNotFoundError` with one line if it is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ModuleNotFoundError(
            f"{name} is not installed; pip install 'cwnd[{extra}]' installs it", name=name
        ) from None
