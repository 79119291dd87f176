# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel use`: a command whose TCP connections use one algorithm."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cwnd._native import KernelEnded, KernelScope
from cwnd.kernel.spec import held

#: What a shell reports of a command that is not there, and of one that cannot be run.
ABSENT, NO_PROGRAM = 127, 126


def use(text: str, settings: Sequence[str], command: Sequence[str]) -> int:
    """Runs `command` on the algorithm that `text` and `settings` ask for; returns its exit code."""
    name, holding = held(text, settings)
    try:
        scope = KernelScope(name)
        if scope.because is not None:
            say(f"by the setting of this network namespace, as there can be no cgroup: {scope.because}")
        try:
            ended = scope.run(list(command))
        except (FileNotFoundError, PermissionError) as error:
            say(f"{error.filename}: {error.strerror}")
            return ABSENT if isinstance(error, FileNotFoundError) else NO_PROGRAM
    finally:
        if holding is not None:
            holding.close()
    report(name, ended)
    return ended.code


def report(name: str, ended: KernelEnded) -> None:
    """What the command's connections did, if somebody watches; what they could not do, always."""
    if ended.connections is not None:
        made, accepted, refused = ended.connections
        if refused:
            say(f"{refused} times the kernel refused {name} ({ended.refusal}): such a connection ran on something else")
        elif sys.stderr.isatty():
            say(f"on {name}: {made} made, {accepted} accepted")
    if ended.left:
        say(f"{ended.left} of its processes still run; their connections keep {name}, new ones do not get it")


def say(text: str) -> None:
    """Standard output is the command's."""
    print(f"cwnd: {text}", file=sys.stderr)
