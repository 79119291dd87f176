# SPDX-License-Identifier: MIT OR Apache-2.0
"""Access to the kernel part of the native module, which not every build has, and the error for refused input."""

from __future__ import annotations

from cwnd import _native
from cwnd._native import ScenarioError

MISSING = (
    "this cwnd was built without its kernel part: install what `.ci/features` names in cwnd's checkout and run `make` "
    "there again, or install a wheel of `make wheel`, which needs no compiler"
)


class KernelInputError(ScenarioError):
    """An input of the user was refused; the message is one line."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f'{field}: "{value}" is not accepted; expected {expected}')
        self.field, self.value, self.expected = field, str(value), expected

    def __reduce__(self) -> tuple[type[KernelInputError], tuple[str, object, str]]:
        # By default an exception is unpickled from its message alone.
        return type(self), (self.field, self.value, self.expected)


def required() -> None:
    """Raises `OSError` if this build has no kernel part."""
    if not hasattr(_native, "KernelModule"):
        raise OSError(MISSING)
