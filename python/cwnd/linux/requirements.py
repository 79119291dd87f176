# SPDX-License-Identifier: MIT OR Apache-2.0
"""What building a kernel of lane linux needs of the machine; what is lacking is one line with the command that installs it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys

from cwnd._internal import debian_packages

TOOLS = ("make", "flex", "bison", "bc")


def why_not_here() -> str:
    """Why no machine of this kind can do it; empty if it can."""
    machine = platform.machine()
    if sys.platform == "linux" and machine in ("x86_64", "AMD64"):
        return ""
    return f"needs Linux on x86_64; this is {platform.system()} on {machine}"


def compiler() -> str | None:
    """The C compiler: gcc, or what is called cc."""
    return next((name for name in ("gcc", "cc") if shutil.which(name)), None)


def compiler_version() -> str:
    """The first line of what the compiler says of itself."""
    name = compiler()
    assert name is not None
    done = subprocess.run([name, "--version"], capture_output=True, encoding="utf-8", errors="replace", check=False)
    return next(iter(done.stdout.splitlines()), name).strip()


def lacking() -> list[str]:
    """What of the tools and headers is not there."""
    name = compiler()
    lacks = [tool for tool in TOOLS if shutil.which(tool) is None]
    if name is None:
        return ["gcc", *lacks]
    command = [name, "-fsyntax-only", "-x", "c", "-"]
    # Debian's gcc comes without the C library's headers.
    done = subprocess.run(command, input=b"#include <stdlib.h>\n", capture_output=True, check=False)
    return lacks if done.returncode == 0 else ["the headers of the C library", *lacks]


#: Ends with 1 unless its parent may trace it.
TRACED = "import ctypes, sys; sys.exit(ctypes.CDLL(None).ptrace(0, 0, 0, 0) != 0)"
NO_TRACING = "this machine or container forbids ptrace, which a kernel of lane linux runs its processes with"


def may_trace() -> bool:
    """Whether a process may be traced here; containers may forbid it."""
    return subprocess.run([sys.executable, "-c", TRACED], capture_output=True, check=False).returncode == 0


def require() -> None:
    """Raises `OSError` unless this machine can build kernels."""
    if why := why_not_here():
        raise OSError(f"lane linux {why}")
    if lacks := lacking():
        *first, last = lacks
        words = f"{', '.join(first)} and {last}" if first else last
        raise OSError(f"building a kernel needs {words}; on Debian: {debian_packages.command(['linux'])}")
    if not may_trace():
        raise OSError(NO_TRACING)
