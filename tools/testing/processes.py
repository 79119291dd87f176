# SPDX-License-Identifier: MIT OR Apache-2.0
"""The processes that a part of the tests has started, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

#: Marks of the parts that a process belongs to, joined by `:`: a part may run tests that run parts.
VARIABLE = "CWND_TEST_PART"
#: What is killed is gone at once, unless it waits in the kernel or belongs to another user.
KILLED_S = 10.0


def marked(mark: str) -> dict[str, str]:
    """The variable that marks what a part starts; the marks around this program stay."""
    return {VARIABLE: ":".join(filter(None, [os.environ.get(VARIABLE), mark]))}


def belongs(process: Path, mark: str) -> bool:
    """Whether the process has the mark in its environment."""
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    values = [
        value for name, _, value in (variable.partition(b"=") for variable in variables) if name == VARIABLE.encode()
    ]
    return any(mark.encode() in value.split(b":") for value in values)


def processes_of(mark: str, first: int) -> dict[int, str]:
    """Command lines of the processes that a part has started, by their number: those with its mark, and all that descend from them or
    from `first`. What has cleared its environment is found only while its parent lives."""
    parents, running = dict[int, int](), dict[int, str]()
    found = {first}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            said = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        number = int(process.name)
        parents[number] = int(parent)
        if state not in "ZX":
            running[number] = said
        if belongs(process, mark):
            found.add(number)
    while more := {number for number, parent in parents.items() if parent in found} - found:
        found |= more
    return {number: running[number] for number in sorted(found & running.keys())}


def send(number: int, what: signal.Signals) -> None:
    """Sends a signal to a process, which may be gone or another user's."""
    with contextlib.suppress(OSError):
        os.kill(number, what)


def end(mark: str, first: int) -> list[str]:
    """Ends everything that a part has started; returns the command lines."""
    ended = dict[int, str]()
    # They are stopped first: a process that ended now would leave children without a parent to find them by.
    while new := {number: said for number, said in processes_of(mark, first).items() if number not in ended}:
        for number in new:
            send(number, signal.SIGSTOP)
        ended |= new
    for number in ended:
        send(number, signal.SIGKILL)
    given_up = time.monotonic() + KILLED_S
    while (left := processes_of(mark, first)) and time.monotonic() < given_up:
        for number in left:
            send(number, signal.SIGKILL)
        time.sleep(0.01)
    return [said for said in ended.values() if said]
