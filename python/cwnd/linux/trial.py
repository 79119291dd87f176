# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tries a new kernel before it is kept: it starts, its driver finds a library, and its first process writes a line and turns it off."""

from __future__ import annotations

import re
import resource
import subprocess
from pathlib import Path

from cwnd._internal.escapes import one_line
from cwnd.linux.guest_memory import archive
from cwnd.linux.kernels import HERE
from cwnd.linux.make import end, environment, first_fault
from cwnd.linux.requirements import NO_TRACING, compiler

SOURCES = HERE / "trial"
#: What the first process writes.
WRITTEN = "the first process runs"
#: A trial takes a tenth of a second.
PATIENCE_S = 60


class TrialError(OSError):
    """A kernel does not run; the message is one line."""


def compile_parts(folder: Path) -> None:
    """Compiles a library without links, and a first process that needs no library."""
    folder.mkdir(parents=True)
    name = compiler()
    assert name is not None
    library = [
        "-shared",
        "-fPIC",
        "-I",
        str(HERE / "driver"),
        "-o",
        str(folder / "library.so"),
        str(SOURCES / "library.c"),
    ]
    flags = ["-static", "-nostdlib", "-fno-stack-protector", "-fno-pie", "-no-pie"]
    first = [*flags, "-o", str(folder / "init"), str(SOURCES / "init.c")]
    for arguments in (library, first):
        done = subprocess.run(
            [name, "-O1", *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=environment(),
            check=False,
        )
        if done.returncode != 0:
            raise TrialError(f"{name} cannot build the kernel's trial: {first_fault(done.stderr.splitlines())}")


def arguments_of(folder: Path) -> list[str]:
    """What the kernel is started with."""
    return [
        "mem=64M",
        "initrd=/proc/self/fd/0",
        "rdinit=/init",
        "time-travel=inf-cpu",
        "con=null",
        "con0=null,fd:1",
        f"uml_dir={folder}/",
    ]


def no_cores() -> None:
    """A kernel that panics leaves no file."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def attempt(executable: Path, folder: Path) -> None:
    """Runs the kernel once in the new folder `folder`. Raises `TrialError`."""
    compile_parts(folder)
    command = [str(executable), *arguments_of(folder)]
    guest = folder / "guest"
    guest.write_bytes(b"".join(archive((folder / "init").read_bytes(), b"")))
    with guest.open("rb") as stdin:
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**environment(), "LD_PRELOAD": str(folder / "library.so")},
            process_group=0,
            preexec_fn=no_cores,
        )
    try:
        output, _ = process.communicate(timeout=PATIENCE_S)
    except BaseException as error:
        # Its processes are the kernel's children, in the same group.
        end(process)
        if isinstance(error, subprocess.TimeoutExpired):
            raise TrialError(f"the kernel was built, and its trial did not end within {PATIENCE_S} s") from None
        raise
    if process.returncode == 0 and WRITTEN in output:
        return
    raise TrialError(f"the kernel was built, and does not run here: {why(output)}")


def why(output: str) -> str:
    """What the kernel's output says of its end."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    for pattern, reason in REASONS:
        for line in lines:
            if re.search(pattern, line, re.IGNORECASE):
                return f"{reason} ({one_line(line)})"
    panic = next((line for line in lines if "Kernel panic" in line), None)
    return one_line(panic or (lines[-1] if lines else "it wrote nothing"))


#: In the order in which they are looked for.
REASONS = (
    (
        r"ptrace.*(not permitted|errno = 1\b|failed)|PTRACE_TRACEME",
        NO_TRACING,
    ),
    (r"PROT_EXEC.*(failed|not permitted)|noexec", "the folder for its memory, TMPDIR or /dev/shm, is mounted noexec"),
    # SIGBUS: a page of a file without room for it.
    (r"no space left|Kernel mode signal 7\b", "there is no room for its memory in TMPDIR or /dev/shm"),
)
