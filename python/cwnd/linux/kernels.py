# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kernels of lane linux that are built: where they are, which of them this cwnd can use, and which one a name means.

Each is a folder of its own in the cache, named after the kernel and a key of its content, with the executable `linux` and `about.json`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from cwnd._internal.input_errors import missing, refused
from cwnd._internal.json_files import ShapeError, check_shape, read_json

HERE = Path(__file__).parent
#: Ticks of a second, unless something else is asked for: those of most distributions' kernels.
USUAL_HZ = 250
HZ = (100, USUAL_HZ, 1000)
#: Changes with how a kernel is built, where neither the driver nor the options nor the corrections show it.
RECIPE = 1
ABOUT, EXECUTABLE = "about.json", "linux"
VERSION = re.compile(r"\d{1,3}\.\d{1,4}")


class SourceDocument(TypedDict):
    """What a kernel was built from."""

    file: str
    sha256: str


class KernelDocument(TypedDict):
    """`about.json`."""

    name: str
    version: str
    release: str
    hz: int
    source: SourceDocument
    licence: str
    compiler: str
    #: UTC
    date: str
    key: str
    #: digest of what of this cwnd is in the kernel
    driver: str
    #: options that this version of the kernel does not have
    without: list[str]


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of lane linux that is built."""

    #: its name: the version, and `-hz1000` or `-hz100` if HZ is not 250
    name: str
    #: version of the source, such as `6.12`
    version: str
    #: release that the kernel reports, such as `6.12.117`
    release: str
    #: ticks of a second
    hz: int
    #: the executable
    path: Path
    #: whether another version of cwnd built it, with another driver or other options; this one cannot use it
    stale: bool
    #: contents of `about.json`: source and its SHA-256, licence, compiler, date, key
    about: KernelDocument


def cache() -> Path:
    """The folder of the kernels: `CWND_LINUX`, or `cwnd/linux` in the user's cache."""
    if named := os.environ.get("CWND_LINUX"):
        return Path(named).absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # A relative path is to be ignored (XDG Base Directory Specification).
    if not base.is_absolute():
        base = Path("~/.cache").expanduser()
    return base / "cwnd" / "linux"


def name_of(version: str, hz: int) -> str:
    """The name of a kernel."""
    return version if hz == USUAL_HZ else f"{version}-hz{hz}"


def command_of(name: str) -> str:
    """The command that builds a kernel of this name; without a version, one of any version."""
    version, _, hz = name.partition("-hz")
    if not VERSION.fullmatch(version):
        return "cwnd linux build"
    return f"cwnd linux build {version}{f' --hz {hz}' if hz in map(str, HZ) else ''}"


def number_of(version: str) -> tuple[int, ...]:
    """A version, to be compared: 6.12 is newer than 6.2."""
    return tuple(map(int, version.split(".")))


def digest_of_files(files: Iterable[Path]) -> str:
    """A digest of names and contents."""
    digest = hashlib.sha256()
    for file in sorted(files):
        data = file.read_bytes()
        digest.update(f"{file.name} {len(data)}\n".encode() + data)
    return digest.hexdigest()


def driver_files() -> list[Path]:
    """The files that become part of a kernel's source."""
    return sorted(
        path for path in (HERE / "driver").iterdir() if path.suffix in (".c", ".h") or path.name == "Makefile"
    )


def driver_digest() -> str:
    """A digest of what of this cwnd is in a kernel."""
    files = digest_of_files([*driver_files(), HERE / "options.toml", HERE / "corrections.py"])
    return hashlib.sha256(f"{RECIPE} {files}".encode()).hexdigest()


def read(folder: Path, driver: str) -> Kernel | None:
    """The kernel in a folder of the cache; none if nothing complete is there."""
    path = folder / EXECUTABLE
    try:
        about: KernelDocument = read_json(folder / ABOUT)
        check_shape(about, KernelDocument, ABOUT)
    except (OSError, ValueError, ShapeError):
        return None
    if not os.access(path, os.X_OK) or not VERSION.fullmatch(about["version"]) or about["hz"] not in HZ:
        return None
    name = name_of(about["version"], about["hz"])
    return Kernel(name, about["version"], about["release"], about["hz"], path, about["driver"] != driver, about)


def all_builds() -> list[Kernel]:
    """Every build in the cache, the best of each name first: what this cwnd can use, then the latest."""
    try:
        folders = sorted(path for path in cache().iterdir() if not path.name.startswith("."))
    except OSError:
        return []
    driver = driver_digest()
    builds = [kernel for folder in folders if (kernel := read(folder, driver)) is not None]
    return sorted(builds, key=lambda kernel: (not kernel.stale, kernel.about["date"]), reverse=True)


def kernels() -> list[Kernel]:
    """The kernels that are built, newest version first. One that another version of cwnd built is `stale`."""
    by_name: dict[str, Kernel] = {}
    for kernel in all_builds():
        by_name.setdefault(kernel.name, kernel)
    order = sorted(
        by_name.values(), key=lambda kernel: (number_of(kernel.version), kernel.hz == USUAL_HZ), reverse=True
    )
    return order


def find(name: str | None = None, *, field: str = "kernel") -> Kernel:
    """The kernel of this name; without one, the newest version with HZ 250, else the newest.

    Raises `ScenarioError` for a kernel that is not built, or that another version of cwnd built. `field` is what the error calls the name.
    """
    built = kernels()
    if name is None:
        usable = [kernel for kernel in built if not kernel.stale]
        usual = [kernel for kernel in usable if kernel.hz == USUAL_HZ]
        if usable:
            return (usual or usable)[0]
        if built:
            raise missing(field, f"a kernel of this cwnd; {built[0].name} was {STALE}: {command_of(built[0].name)}")
        raise missing(field, "a kernel of lane linux, and none is built; cwnd linux build builds one")
    kernel = next((kernel for kernel in built if kernel.name == name), None)
    if kernel is None:
        there = (
            f"one that is built ({', '.join(kernel.name for kernel in built)})"
            if built
            else "one that is built, and none is"
        )
        raise refused(field, name, f"{there}; {command_of(str(name))} builds {'it' if is_name(name) else 'one'}")
    if kernel.stale:
        raise refused(field, name, f"a kernel of this cwnd; it was {STALE}: {command_of(kernel.name)}")
    return kernel


STALE = "built for another version of cwnd; build it again"


def is_name(name: object) -> bool:
    """Whether a kernel may have this name."""
    return (
        isinstance(name, str) and re.fullmatch(rf"{VERSION.pattern}(-hz({'|'.join(map(str, HZ))}))?", name) is not None
    )


def remove(name: str) -> list[Path]:
    """Removes all builds of the kernel of this name; returns their folders. Raises `ScenarioError` if there is none."""
    builds = all_builds()
    folders = [kernel.path.parent for kernel in builds if kernel.name == name]
    if not folders:
        names = sorted({kernel.name for kernel in builds}, key=lambda each: number_of(each.partition("-")[0]))
        expected = "a kernel that is built" if names else "a kernel that is built, and none is"
        raise refused("NAME", name, expected, names)
    for folder in folders:
        # Without it the rest is no kernel, even if removing ends halfway.
        (folder / ABOUT).unlink(missing_ok=True)
        shutil.rmtree(folder)
    return folders
