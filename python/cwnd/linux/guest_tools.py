# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program `tc` of this machine. A guest of lane linux gets it if a link has a queue of the kernel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from cwnd._internal import debian_packages

#: Folders of administrators' programs, which a user's PATH may lack.
PLACES = ("/usr/sbin", "/sbin", "/usr/local/sbin")
#: A library of a program, as ldd shows it: with the path where the loader found it, or the loader itself.
LIBRARY = re.compile(r"(?:=>\s*)?(/\S+)\s+\(0x")


@cache
def tc() -> tuple[str, dict[str, bytes]]:
    """Its path in the guest, and the files that it needs there, by their paths. Raises `OSError` if this machine has none."""
    found = shutil.which("tc", path=os.pathsep.join([os.environ.get("PATH", os.defpath), *PLACES]))
    if found is None:
        command = debian_packages.command(["iproute2"])
        raise OSError(f"lane linux: a queue of the kernel needs the program tc; on Debian: {command}")
    return found, {place: Path(place).read_bytes() for place in [found, *libraries(found)]}


def libraries(program: str) -> list[str]:
    """The shared libraries of a program, and its loader."""
    if shutil.which("ldd") is None:
        raise OSError(f"lane linux: ldd finds the libraries of {program}, and this machine has none in PATH")
    done = subprocess.run(["ldd", program], capture_output=True, encoding="utf-8", errors="replace", check=False)
    # One that is linked statically has none.
    return sorted(set(LIBRARY.findall(done.stdout)))
