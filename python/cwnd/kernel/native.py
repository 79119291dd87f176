# SPDX-License-Identifier: MIT OR Apache-2.0
"""The native module's kernel part, where this build has it; and what the commands refuse."""

from __future__ import annotations

from cwnd import _native
from cwnd._native import ScenarioError

MISSING = (
    "this cwnd was built without its kernel part: install what `.ci/features` names in cwnd's checkout and run `make` "
    "there again, or install a wheel of `make wheel`, which needs no compiler"
)


class KernelInputError(ScenarioError):
    """What the user wrote was refused; the message is one line."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f'{field}: "{value}" is not accepted; expected {expected}')
        self.field, self.value, self.expected = field, str(value), expected

    def __reduce__(self) -> tuple[type[KernelInputError], tuple[str, object, str]]:
        # An exception is made again of its message alone unless told otherwise.
        return type(self), (self.field, self.value, self.expected)


def required() -> None:
    """Raises `OSError` where this build cannot reach a kernel."""
    if not hasattr(_native, "KernelModule"):
        raise OSError(MISSING)
