# SPDX-License-Identifier: MIT OR Apache-2.0
"""Algorithms as the command line names them.

`cubic`, `cubic-2.2`, `cubic:cubic-2.2` and `lull/lull.bpf.o` are to be loaded, `cwnd_cubic` is loaded, `kernel/cubic` is the
kernel's own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from cwnd import _native
from cwnd.kernel.native import KernelInputError, KernelLoadedModule, KernelModule, kernel_registrations


def is_object(text: str) -> bool:
    """Whether a text names a file and not an algorithm."""
    return text.endswith(".o") or "/" in text


def module(text: str, settings: Sequence[str]) -> KernelModule:
    """The module for `NAME[:SET]` and `--param KEY=VALUE`, validated."""
    if is_object(text):
        if not Path(text).is_file():
            raise KernelInputError("NAME", text, "an existing kernel object; cwnd build-kernel makes one")
        asked = KernelModule.from_file(text)
    else:
        asked = KernelModule(name_of_set(text))
    configure(asked, settings)
    return asked


def configure(asked: KernelModule, settings: Sequence[str]) -> None:
    """Sets the parameters of `--param KEY=VALUE`."""
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
    name, colon, set_name = text.partition(":")
    if not colon:
        return name
    for algorithm in _native.algorithms():
        if algorithm["name"] == name:
            names = [known["name"] for known in algorithm["sets"]]
            if set_name not in names:
                raise KernelInputError("SET", set_name, f"a parameter set of {name}: {', '.join(names)}")
            return set_name
    # The caller refuses it, with the names that there are.
    return name


def acquire(text: str, settings: Sequence[str]) -> tuple[str, KernelLoadedModule | None]:
    """The name in the kernel of an algorithm, and a handle that keeps it loaded; the kernel's own algorithms need no handle.

    Loads the algorithm if it is not loaded.
    """
    first, slash, kernels_own = text.partition("/")
    if slash and first == "kernel":
        name, handle = kernels_own, None
    else:
        sets = [parameter_set["name"] for algorithm in _native.algorithms() for parameter_set in algorithm["sets"]]
        may_be_loaded = not slash and ":" not in text and not text.endswith(".o") and text not in sets
        registrations = kernel_registrations() if may_be_loaded else []
        loaded = [
            registration for registration in registrations if registration.registered and registration.name == text
        ]
        if not loaded:
            asked = module(text, settings)
            return asked.kernel_name, asked.load(asked.kernel_name)
        name, handle = text, loaded[0].share()
    if settings:
        raise KernelInputError(
            "--param", settings[0], f"no parameter: {name} is loaded already, and its parameters are fixed"
        )
    return name, handle


def seconds(field: str, text: str) -> float:
    """A finite time in seconds, `2.5` or `2.5s`."""
    try:
        number = float(text.removesuffix("s"))
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise KernelInputError(field, text, "seconds, 0 or more, such as 2.5")
    return number
