# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs the kernel's make: in a process group of its own, with its output in a log, and ended with all its children if we end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

#: Variables that change what the kernel's make builds.
FOREIGN = re.compile(
    r"(MAKE|KBUILD_|KCONFIG_|CONFIG_|INSTALL_|LLVM|HOST(CC|CXX|LD|AR|CFLAGS|LDFLAGS)).*|MFLAGS|GNUMAKEFLAGS|ARCH|SUBARCH|CROSS_COMPILE|O|V|C|W|M|CC|LD|AR|AS|NM"
    r"|K?CFLAGS|K?CPPFLAGS|LDFLAGS(_.*)?|AFLAGS(_.*)?|KAFLAGS|KRUSTFLAGS|LOCALVERSION|VPATH|BASH_ENV|ENV|CDPATH|C_INCLUDE_PATH|CPATH|TMPDIR"
)
#: So that two builds of one source are the same bytes, and carry no name of a user or a machine.
ANONYMOUS = {
    "KBUILD_BUILD_TIMESTAMP": "Thu Jan  1 00:00:00 UTC 1970",
    "KBUILD_BUILD_USER": "cwnd",
    "KBUILD_BUILD_HOST": "cwnd",
    "KBUILD_BUILD_VERSION": "1",
}
#: A line of output for an object, as kbuild writes them: `  CC      net/ipv4/tcp.o`.
OBJECT = re.compile(r"  (CC|AS)\s+\S+\.o$")
#: In the order in which they say most.
FAULTS = (
    r"\berror: |\bfatal error: ",
    r"undefined reference|multiple definition",
    r"No rule to make target|[Nn]o space left",
    r"\*\*\* |\b[Ee]rror\b",
    r"\S",
)
#: Time that a process has to end after a signal, s.
PATIENCE_S = 10.0


class MakeError(OSError):
    """make failed; the message is one line."""


def environment() -> dict[str, str]:
    """The user's, without what would change the kernel."""
    ours = {name: value for name, value in os.environ.items() if not FOREIGN.fullmatch(name)}
    return {**ours, "LC_ALL": "C", **ANONYMOUS}


def first_fault(lines: Iterable[str]) -> str:
    """The line of make's output that says best why it failed."""
    kept = [line.strip() for line in lines]
    for pattern in FAULTS:
        for line in kept:
            if re.search(pattern, line):
                return line
    return "no message"


def make(arguments: Sequence[str], tree: Path, log: Path, lock: int, built: Callable[[int], object]) -> None:
    """Runs make in `tree`; calls `built` with the number of objects so far. Raises `MakeError`.

    The lock is make's as well: if we are killed, it lasts until make and its children have ended.
    """
    count = 0
    with log.open("a", 1, encoding="utf-8", errors="surrogateescape") as file:
        print(f"make {' '.join(arguments)}", file=file, flush=True)
        process = subprocess.Popen(
            ["make", *arguments],
            cwd=tree,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="surrogateescape",
            process_group=0,
            pass_fds=(lock,),
        )
        try:
            assert process.stdout is not None
            for line in process.stdout:
                file.write(line)
                if OBJECT.fullmatch(line.rstrip("\n")):
                    count += 1
                    built(count)
            code = process.wait()
        except BaseException:
            end(process)
            raise
    if code != 0:
        with log.open(encoding="utf-8", errors="replace") as file:
            raise MakeError(f"make failed: {first_fault(list(file)[1:])}; the whole output is in {log}")


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process that leads a group, and its children."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        # A child may outlive it, and then its number is still that of the group.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)
    if process.stdout is not None:
        process.stdout.close()
