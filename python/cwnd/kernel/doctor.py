# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel doctor`: what this kernel, its type information and the user's permissions allow."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwnd._native import KernelCheck

WORDS = {True: "yes", False: "no", None: "?"}
#: Checks needed for these must pass before anything can be loaded.
VITAL = ("everything", "load")
WIDTH = 110


def show(checks: Sequence[KernelCheck]) -> None:
    """Prints a line for each check; below a `no`, what it prevents and what to do."""
    width = max(len(check["name"]) for check in checks)
    margin = " " * (width + 6)
    for check in checks:
        print(f"{WORDS[check['answer']]:3}  {check['name']:{width}} {check['detail']}")
        if check["answer"] is False:
            needed = f"needed for {check['needed_for']}: " if check["needed_for"] else ""
            print(textwrap.fill(needed + check["advice"], WIDTH, initial_indent=margin, subsequent_indent=margin))


def can_load(checks: Sequence[KernelCheck]) -> bool:
    """Whether no check prevents `cwnd kernel load`."""
    return not any(check["answer"] is False and check["needed_for"] in VITAL for check in checks)
