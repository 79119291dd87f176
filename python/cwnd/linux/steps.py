# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far the build of a kernel is, for those who show it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

#: Objects that a kernel has, about: 6.1 has 612, 6.12 632.
OBJECTS = 640


class Step(NamedTuple):
    """How far a build is."""

    #: what is being done: `unpacking`, `configuring`, `compiling` or `trying`
    name: str
    #: part of it that is done, 0 to 1
    part: float
    #: objects that are compiled
    objects: int = 0


Watch = Callable[[Step], object]
