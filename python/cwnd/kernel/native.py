# SPDX-License-Identifier: MIT OR Apache-2.0
"""Access to the kernel part of the native module, which not every build has, and the error for refused input."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from cwnd import _native
from cwnd._native import ScenarioError

if TYPE_CHECKING:
    from cwnd._native import KernelConnection as KernelConnection
    from cwnd._native import KernelEnded as KernelEnded
    from cwnd._native import KernelError as KernelError
    from cwnd._native import KernelLoadedModule as KernelLoadedModule
    from cwnd._native import KernelModule as KernelModule
    from cwnd._native import KernelRegistration as KernelRegistration
    from cwnd._native import KernelScope as KernelScope
    from cwnd._native import KernelTrace as KernelTrace
    from cwnd._native import kernel_doctor as kernel_doctor
    from cwnd._native import kernel_give_up_rights as kernel_give_up_rights
    from cwnd._native import kernel_registrations as kernel_registrations
    from cwnd._native import kernel_switch as kernel_switch

MISSING = (
    "this cwnd was built without its kernel part: `make kernel` in a cwnd checkout adds it; a wheel from `make wheel` includes it "
    "and needs no compiler (`cwnd doctor` says what this machine lacks)"
)


class KernelInputError(ScenarioError):
    """An input of the user was refused; the message is one line."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f'{field}: "{value}" is not accepted; expected {expected}')
        self.field, self.value, self.expected = field, str(value), expected

    def __reduce__(self) -> tuple[type[KernelInputError], tuple[str, object, str]]:
        # By default an exception is unpickled from its message alone.
        return type(self), (self.field, self.value, self.expected)


def is_there() -> bool:
    """Whether this build has its kernel part."""
    return hasattr(_native, "KernelModule")


def required() -> None:
    """Raises `OSError` if this build has no kernel part."""
    if not is_there():
        raise OSError(MISSING)


class Absent(type):
    """The type of a placeholder for a name of the kernel part: it can be imported, and each use of it raises `OSError`."""

    def __call__(cls, *_: object, **__: object) -> NoReturn:
        raise OSError(MISSING)

    def __getattr__(cls, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(name)
        raise OSError(MISSING)


def __getattr__(name: str) -> object:
    if not name.lower().startswith("kernel"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if is_there():
        value = getattr(_native, name)
    else:
        # An `except` clause takes classes of exceptions only.
        value = type(name, (OSError,), {}) if name == "KernelError" else Absent(name, (), {})
    globals()[name] = value
    return value
