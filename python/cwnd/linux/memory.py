# SPDX-License-Identifier: MIT OR Apache-2.0
"""Memory that a run in lane linux shares with its kernel: files without a name, and the place of the guest's own."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

#: Memory that a guest has, MiB: room for 10 Gbit/s over 100 ms. It takes what it uses.
MEMORY = 1024


class Memory:
    """A file without a name, whose descriptor a child gets."""

    def __init__(self, name: str, contents: bytes = b"") -> None:
        self.file: BinaryIO = os.fdopen(os.memfd_create(f"cwnd-{name}"), "w+b", buffering=0)
        if contents:
            self.file.write(contents)
            self.file.seek(0)

    @property
    def number(self) -> int:
        """Its descriptor."""
        return self.file.fileno()

    def read(self, start: int, length: int) -> bytes:
        """Bytes of it; the child's place in it stays as it is."""
        pieces = []
        # A call reads 2 GiB at most.
        while length > 0 and (piece := os.pread(self.number, length, start)):
            pieces.append(piece)
            start, length = start + len(piece), length - len(piece)
        return b"".join(pieces)

    @property
    def size(self) -> int:
        """Its size, bytes."""
        return os.fstat(self.number).st_size


def place_of_memory() -> str:
    """The folder in which the kernel makes the file of its memory, which it removes at once: in memory, where that has room and lets
    programs be mapped."""
    shared = Path("/dev/shm")
    with suppress(OSError):
        may_run = not os.statvfs(shared).f_flag & os.ST_NOEXEC
        if may_run and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > MEMORY << 20:
            return str(shared)
    return tempfile.gettempdir()
