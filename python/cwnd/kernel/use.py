# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel use`: a command whose TCP connections use one algorithm."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from cwnd._internal.messages import note, shows_progress
from cwnd.kernel.native import KernelEnded, KernelScope
from cwnd.kernel.spec import acquire

#: Exit codes of a shell for a command that does not exist, and for one that cannot be run.
ABSENT, NO_PROGRAM = 127, 126


def use(text: str, settings: Sequence[str], command: Sequence[str]) -> int:
    """Runs `command` on the algorithm that `text` and `settings` ask for; returns its exit code."""
    name, handle = acquire(text, settings)
    try:
        scope = KernelScope(name)
        if scope.because is not None:
            by_namespace_setting(scope.because)
        try:
            ended = scope.run(list(command))
        except (FileNotFoundError, PermissionError) as error:
            say(f"{error.filename}: {error.strerror}")
            return ABSENT if isinstance(error, FileNotFoundError) else NO_PROGRAM
    finally:
        if handle is not None:
            handle.close()
    report(name, ended)
    return ended.code


def report(name: str, ended: KernelEnded) -> None:
    """Reports connections that did not get the algorithm; on a terminal, also how many did."""
    report_exceptions(name, ended)
    if ended.connections is not None and not ended.connections[2] and shows_progress():
        made, accepted, _ = ended.connections
        say(f"on {name}: {made} made, {accepted} accepted")


def by_namespace_setting(because: str) -> None:
    """Reports that the command's connections get the algorithm from the namespace's setting, not from a cgroup."""
    note(f"cwnd: using the setting of this network namespace, because no cgroup is available: {because}")


def report_exceptions(name: str, ended: KernelEnded) -> None:
    """Reports connections, and processes left behind, that do not use the algorithm."""
    if ended.connections is not None and ended.connections[2]:
        refused = ended.connections[2]
        say(f"the kernel refused {name} {refused} times ({ended.refusal}): those connections used another algorithm")
    if ended.left:
        say(f"{ended.left} of its processes still run; their connections keep {name}, new connections do not get it")


def say(text: str) -> None:
    """Prints a message to standard error: standard output is the command's."""
    print(f"cwnd: {text}", file=sys.stderr)
