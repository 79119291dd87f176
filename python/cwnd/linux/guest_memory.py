# SPDX-License-Identifier: MIT OR Apache-2.0
"""The first files of a guest of lane linux, as the archive that a kernel unpacks into its memory (cpio's "newc" format).

The kernel's Documentation/driver-api/early-userspace/buffer-format.rst describes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

#: Kinds of files, with their rights.
FOLDER, PROGRAM, FILE, CHARACTERS = 0o040755, 0o100755, 0o100644, 0o020600
#: The console, on which the first process has its standard input and outputs: a device of these numbers.
CONSOLE = (5, 1)
TRAILER = "TRAILER!!!"


def entry(number: int, name: str, mode: int, contents: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """A file of the archive; `number` tells it from the others."""
    # Inode, mode, user, group, links, time, size, device of the file system, device of the file, length of the name, checksum.
    numbers = (number, mode, 0, 0, 1, 0, len(contents), 0, 0, *device, len(name) + 1, 0)
    head = b"070701" + b"".join(b"%08x" % each for each in numbers) + name.encode() + b"\0"
    return padded(head) + padded(contents)


def padded(part: bytes) -> bytes:
    """A part, up to the next multiple of four bytes."""
    return part + bytes(-len(part) % 4)


def archive(program: bytes, scenario: bytes, tools: Mapping[str, bytes] | None = None) -> Iterable[bytes]:
    """The guest's files: its program, the scenario, the console, folders for what the kernel shows, and other programs by their places."""
    yield entry(1, "dev", FOLDER)
    yield entry(2, "dev/console", CHARACTERS, device=CONSOLE)
    yield entry(3, "proc", FOLDER)
    yield entry(4, "sys", FOLDER)
    yield entry(5, "scenario.json", FILE, scenario)
    yield entry(6, "init", PROGRAM, program)
    places = [place.lstrip("/") for place in tools or {}]
    folders = {str(folder) for place in places for folder in PurePosixPath(place).parents} - {"."}
    # A folder comes before what is in it.
    yield from (entry(number, folder, FOLDER) for number, folder in enumerate(sorted(folders), 7))
    contents = (tools or {}).values()
    for number, (place, content) in enumerate(zip(places, contents), 7 + len(folders)):
        yield entry(number, place, PROGRAM, content)
    yield entry(0, TRAILER, 0)
