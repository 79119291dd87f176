# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is to be loaded, as the command line writes it: `cubic`, `cubic-2.2`, `cubic:cubic-2.2`, `lull/lull.bpf.o`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cwnd import _native
from cwnd._native import KernelModule
from cwnd.kernel.native import KernelInputError


def module(text: str, settings: Sequence[str]) -> KernelModule:
    """The module that `NAME[:SET]` and `--param KEY=VALUE` ask for, all of it validated."""
    if text.endswith(".o") or "/" in text:
        if not Path(text).is_file():
            raise KernelInputError("NAME", text, "a kernel object that exists; cwnd build-kernel makes them")
        asked = KernelModule.from_file(text)
    else:
        asked = KernelModule(name_of_set(text))
    seen = set()
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not key or not equals or not value:
            raise KernelInputError("--param", setting, "KEY=VALUE, such as beta=0.8")
        if key in seen:
            raise KernelInputError("--param", setting, f"{key} once")
        seen.add(key)
        asked.set(key, value)
    return asked


def name_of_set(text: str) -> str:
    """The parameter set's name in `NAME` or `NAME:SET`."""
    name, colon, one = text.partition(":")
    if not colon:
        return name
    for algorithm in _native.algorithms():
        if algorithm["name"] == name:
            names = [known["name"] for known in algorithm["sets"]]
            if one not in names:
                raise KernelInputError("SET", one, f"a parameter set of {name}: {', '.join(names)}")
            return one
    # Refused with the names that there are.
    return name
