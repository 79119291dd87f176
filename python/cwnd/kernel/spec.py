# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm as the command line writes it: `cubic`, `cubic-2.2`, `cubic:cubic-2.2`, `lull/lull.bpf.o` to be loaded;
`cwnd_cubic`, which is loaded; `kernel/cubic`, the kernel's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from cwnd import _native
from cwnd._native import KernelHeld, KernelModule, kernel_registrations
from cwnd.kernel.native import KernelInputError


def is_object(text: str) -> bool:
    """Whether it is a file's name, and not an algorithm's."""
    return text.endswith(".o") or "/" in text


def module(text: str, settings: Sequence[str]) -> KernelModule:
    """The module that `NAME[:SET]` and `--param KEY=VALUE` ask for, all of it validated."""
    if is_object(text):
        if not Path(text).is_file():
            raise KernelInputError("NAME", text, "a kernel object that exists; cwnd build-kernel makes them")
        asked = KernelModule.from_file(text)
    else:
        asked = KernelModule(name_of_set(text))
    configure(asked, settings)
    return asked


def configure(asked: KernelModule, settings: Sequence[str]) -> None:
    """Sets what `--param KEY=VALUE` says."""
    seen = set()
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not key or not equals or not value:
            raise KernelInputError("--param", setting, "KEY=VALUE, such as beta=0.8")
        if key in seen:
            raise KernelInputError("--param", setting, f"{key} once")
        seen.add(key)
        asked.set(key, value)


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


def held(text: str, settings: Sequence[str]) -> tuple[str, KernelHeld | None]:
    """The name in the kernel of what is asked for, and a hold on it, loaded if need be; the kernel's own needs none."""
    first, slash, own = text.partition("/")
    if slash and first == "kernel":
        found, holding = own, None
    else:
        sets = [one["name"] for algorithm in _native.algorithms() for one in algorithm["sets"]]
        plain = not slash and ":" not in text and not text.endswith(".o") and text not in sets
        loaded = [one for one in kernel_registrations() if one.registered and one.name == text] if plain else []
        if not loaded:
            asked = module(text, settings)
            return asked.kernel_name, asked.hold(asked.kernel_name)
        found, holding = text, loaded[0].share()
    if settings:
        raise KernelInputError("--param", settings[0], f"no parameter: {found} has those that it has")
    return found, holding


def seconds(field: str, text: str) -> float:
    """A time in seconds, `2.5` or `2.5s`; none that is not a number, and none without an end."""
    try:
        number = float(text.removesuffix("s"))
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise KernelInputError(field, text, "seconds, 0 or more, such as 2.5")
    return number
