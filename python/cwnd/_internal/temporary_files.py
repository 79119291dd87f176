# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files that are written under a temporary name first, so that a named file is complete; and the temporary files that killed commands left.

The folder may be another user's, or unpacked from an archive: a temporary file is always a new one, and taking a name replaces what has
it, even a symbolic link, which is never followed.

Several processes, on several machines and in containers whose processes have the same numbers, may write the same file at once.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import secrets
import socket
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO

#: A file that another machine or container has not touched for so long, s, is left over: writing one takes seconds.
OLD_S = 3600
#: What follows the name: host, process and a random number.
ENDING = r"\.[0-9a-f]{8}-[0-9]{1,9}-[0-9a-f]{8}"
#: Errors of a full or broken disk, which name no file.
CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
#: In versions before it was only the process.
SUFFIX = rf"(?:{ENDING}|\.[0-9]{{1,9}})"


@cache
def host() -> str:
    """Names where the numbers of processes are unique: a machine since its start, and a container's own numbers on it."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts += [Path("/proc/sys/kernel/random/boot_id").read_text(), str(Path("/proc/self/ns/pid").readlink())]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]


def temporary_name(path: Path) -> Path:
    """An unused name in the folder of a file, which no other process takes."""
    return path.with_name(f".{path.name}.{host()}-{os.getpid()}-{secrets.token_hex(4)}")


@contextmanager
def named_as(given: Path, part: Path) -> Iterator[None]:
    """Replaces the path in system errors about `part` or its contents by `given`, which the user knows, and adds it to errors of a full disk."""
    try:
        yield
    except OSError as error:
        inside = error.filename is not None and Path(os.fsdecode(error.filename)).is_relative_to(part)
        if not inside and (error.filename is not None or error.errno not in CANNOT_WRITE):
            raise
        number = error.errno or errno.EIO
        words = error.strerror if inside else os.strerror(number)
        raise OSError(number, words, str(given)) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file, of this caller alone, which takes the name when the body has written it; gone if the body raises."""
    with _beside(path, 0o666) as (part, descriptor):
        os.close(descriptor)
        yield part


@contextmanager
def new_file(path: Path, mode: int = 0o666) -> Iterator[IO[bytes]]:
    """The same, open, and with this mode less the user's umask from the begin."""
    with _beside(path, mode) as (_, descriptor), os.fdopen(descriptor, "wb") as file:
        yield file


@contextmanager
def _beside(path: Path, mode: int) -> Iterator[tuple[Path, int]]:
    """A new open file next to `path`, renamed to `path` when the body ends, and removed if the body raises.

    What killed commands have left of the same file goes.
    """
    part = temporary_name(path)
    if not path.parent.is_dir():  # said of the name that the user knows
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    name = re.compile(rf"\.{re.escape(path.name)}{ENDING}")
    # A folder may be one that takes files and is not read.
    with suppress(OSError), os.scandir(path.parent) as entries:
        remove_left_over([Path(entry) for entry in entries if name.fullmatch(entry.name)])
    try:
        with named_as(path, part):
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
            yield part, descriptor
            part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def is_left_over(part: Path) -> bool:
    """Whether a file is an abandoned temporary file: its process on this host has ended, or it is old."""
    match = re.fullmatch(rf"\..+({SUFFIX})", part.name)
    if match is None:
        return False
    where, _, process = match[1].removeprefix(".").partition("-")
    if where == host() and not is_alive(int(process.partition("-")[0])):
        return True
    try:
        return time.time() - part.stat().st_mtime > OLD_S
    except OSError:
        return False


def is_alive(process: int) -> bool:
    """Whether there is a process of this number here."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's
        return True
    return True


def sweep(folder: Path, pattern: str) -> None:
    """Removes the temporary files of this pattern that killed commands have left."""
    remove_left_over(folder.glob(pattern))


def remove_left_over(parts: Iterable[Path]) -> None:
    """Removes those that killed commands have left."""
    for part in parts:
        if is_left_over(part):
            with suppress(OSError):
                part.unlink(missing_ok=True)
