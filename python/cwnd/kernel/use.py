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
            by_the_setting(scope.because)
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
    what_was_not_done(name, ended)
    if ended.connections is not None and not ended.connections[2] and sys.stderr.isatty():
        made, accepted, _ = ended.connections
        say(f"on {name}: {made} made, {accepted} accepted")


def by_the_setting(because: str) -> None:
    """How the command's connections come to the algorithm, where it is not by a cgroup of their own."""
    say(f"by the setting of this network namespace, as there can be no cgroup: {because}")


def what_was_not_done(name: str, ended: KernelEnded) -> None:
    """What the command's connections, and processes that it left, do not use."""
    if ended.connections is not None and ended.connections[2]:
        refused = ended.connections[2]
        say(f"{refused} times the kernel refused {name} ({ended.refusal}): such a connection ran on something else")
    if ended.left:
        say(f"{ended.left} of its processes still run; their connections keep {name}, new ones do not get it")


def say(text: str) -> None:
    """Standard output is the command's."""
    print(f"cwnd: {text}", file=sys.stderr)
