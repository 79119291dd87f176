# SPDX-License-Identifier: MIT OR Apache-2.0
"""Sources of the Linux kernel: where they are, their digest, and the part of them that a user-mode kernel is built from."""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from cwnd._internal.debian_packages import OLDEST_LINUX
from cwnd._internal.input_errors import missing, path_of, refused, refused_path
from cwnd._native import ScenarioError
from cwnd.linux.kernels import VERSION, number_of

#: Where Debian's packages linux-source-* put them.
INSTALLED = Path("/usr/src")
ENDINGS = (".tar.xz", ".tar.gz", ".tar.bz2")
#: The longest part of a file that is read at a time.
CHUNK = 1 << 20
#: Nothing in them is built.
UNUSED = (
    "Documentation",
    "LICENSES",
    "rust",
    "samples",
    "sound",
    "tools/perf",
    "tools/testing",
    "drivers/net/ethernet",
    "drivers/net/wireless",
)
#: The folders of these of which something is built; nine tenths of the source are in the others. Their files for kbuild and Kconfig are read all
#: the same.
USED = {
    "arch": ("um", "x86"),
    "drivers": ("base", "block", "char", "clocksource", "firmware", "net", "of", "tty", "virtio"),
    "fs": (
        "debugfs",
        "devpts",
        "exportfs",
        "hostfs",
        "iomap",
        "kernfs",
        "nls",
        "notify",
        "proc",
        "quota",
        "ramfs",
        "sysfs",
        "tracefs",
    ),
}
#: The first version that counts the timeouts of a connection.
COUNTS_TIMEOUTS = "6.7"
#: Called with how much of the source has been read, 0 to 1.
Report = Callable[[float], object]


@dataclass(frozen=True, slots=True)
class Source:
    """A kernel's source: a tarball or an unpacked folder."""

    path: Path
    version: str


def installed() -> dict[str, Path]:
    """Sources that packages have installed, by version, newest first; a tarball goes before a folder."""
    found: dict[str, Path] = {}
    for ending in (*ENDINGS, ""):
        for path in INSTALLED.glob(f"linux-source-*{ending}"):
            version = path.name.removeprefix("linux-source-").removesuffix(ending)
            if VERSION.fullmatch(version) and (path.is_dir() if ending == "" else path.is_file()):
                found.setdefault(version, path)
    return dict(sorted(found.items(), key=lambda item: number_of(item[0]), reverse=True))


def usable() -> dict[str, Path]:
    """Those of them that the lane can use."""
    return {version: path for version, path in installed().items() if is_taken(version)}


def source_of(version: str | None, file: str | os.PathLike[str] | None) -> Source:
    """The source that is asked for; by default the newest that is installed. Raises `ScenarioError`."""
    if version is not None and not (isinstance(version, str) and VERSION.fullmatch(version)):
        raise refused("VERSION", version, "a version of Linux, such as 6.12")
    if version is not None:
        check_age(version)
    if file is not None:
        return given(version, path_of("--source", file))
    there = usable()
    wanted = version or next(iter(there), None)
    if wanted in there:
        return Source(there[wanted], wanted)
    words = f"a source in {INSTALLED} ({', '.join(there) or 'none is there'}): apt-get install linux-source-{wanted or '6.12'} (on Debian), or --source FILE"
    raise missing("VERSION", words) if version is None else refused("VERSION", version, words)


def is_taken(version: str) -> bool:
    """Whether the lane can use this version: one that counts timeouts, or the one to which cwnd adds that."""
    return version == OLDEST_LINUX or number_of(version) >= number_of(COUNTS_TIMEOUTS)


def check_age(version: str) -> None:
    """Refuses a version that the lane cannot use."""
    if not is_taken(version):
        raise refused(
            "VERSION",
            version,
            f"Linux {OLDEST_LINUX}, or {COUNTS_TIMEOUTS} or newer: earlier kernels do not count the timeouts of a connection, and cwnd adds that to {OLDEST_LINUX} only",
        )


def given(version: str | None, path: Path) -> Source:
    """A source that the user names; without a version, that of its Makefile or its name."""
    if path.is_dir():
        makefile = path / "Makefile"
        found = version_in(makefile.read_text(encoding="utf-8", errors="replace")) if makefile.is_file() else None
        if found is None:
            raise refused_path("--source", path, "a tarball or folder of Linux's source")
    elif path.is_file() and path.name.endswith(ENDINGS):
        match = re.search(r"linux-(?:source-)?(\d+\.\d+)", path.name)
        found = match[1] if match else None
    elif not path.exists():
        raise refused_path("--source", path, "a file or folder that exists")
    else:
        raise refused_path("--source", path, f"a folder, or a file whose name ends in {', '.join(ENDINGS)}")
    wanted = version or found
    if wanted is None:
        raise missing("VERSION", f"the version of {path}, which its name does not say")
    check_age(wanted)
    return Source(path.absolute(), wanted)


def version_in(makefile: str) -> str | None:
    """The version that the Makefile of a source says."""
    fields = dict(re.findall(r"^(VERSION|PATCHLEVEL) = (\d+)$", makefile[:4096], re.MULTILINE))
    return f"{fields['VERSION']}.{fields['PATCHLEVEL']}" if len(fields) == 2 else None


def check_version(source: Source, tree: Path) -> None:
    """Refuses a source of another version than the one that is asked for."""
    try:
        found = version_in((tree / "Makefile").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    if found is None or not (tree / "arch" / "um" / "Kconfig").is_file():
        raise refused_path("--source", source.path, "a tarball or folder of Linux's source")
    if found != source.version:
        raise refused("VERSION", source.version, f"{found}, the version of {source.path}")


def is_needed(path: PurePosixPath) -> bool:
    """Whether a file of a source is read when a user-mode kernel is built."""
    if path.name.startswith(("Kconfig", "Makefile", "Kbuild")):
        return True
    top, *inner = path.parts
    if top in USED and len(inner) > 1 and inner[0] not in USED[top]:
        return False
    return top != ".git" and not any(path.is_relative_to(unused) for unused in UNUSED)


def files_of(folder: Path) -> Iterator[tuple[PurePosixPath, Path]]:
    """The files of an unpacked source that are needed, in one order on every machine."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        within = PurePosixPath(Path(place).relative_to(folder))
        # A link to a folder is kept as a link.
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in sorted([*names, *links]):
            if is_needed(within / name):
                yield within / name, Path(place) / name


def digest(source: Source) -> str:
    """SHA-256 of a tarball, or of names and contents of a folder's files."""
    sha256 = hashlib.sha256()
    if source.path.is_dir():
        for within, file in files_of(source.path):
            data = str(file.readlink()).encode() if file.is_symlink() else file.read_bytes()
            sha256.update(f"{within} {len(data)}\n".encode() + data)
        return sha256.hexdigest()
    with source.path.open("rb") as stream:
        while data := stream.read(CHUNK):
            sha256.update(data)
    return sha256.hexdigest()


def unpack(source: Source, tree: Path, report: Report) -> None:
    """Puts what is needed of a source into the new folder `tree`."""
    tree.mkdir()
    if source.path.is_dir():
        files = list(files_of(source.path))
        for place, (within, file) in enumerate(files):
            target = tree / within
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target, follow_symlinks=False)
            report((place + 1) / len(files))
        return
    try:
        size = source.path.stat().st_size
        with (
            source.path.open("rb") as stream,
            decompressed(source.path, stream) as contents,
            tarfile.open(fileobj=contents, mode="r:") as archive,
        ):
            for member in archive:
                extract(archive, member, tree)
                report(min(1.0, stream.tell() / max(1, size)))
    except (tarfile.TarError, EOFError) as error:
        raise unreadable(source, error) from None
    except ImportError as error:
        raise OSError(f"this Python cannot read {source.path}: {error}") from None
    except Exception as error:
        # Those of the three compressions have nothing else in common.
        if type(error).__module__ in ("lzma", "_lzma", "zlib", "bz2", "gzip"):
            raise unreadable(source, error) from None
        raise


def decompressed(path: Path, stream: IO[bytes]) -> IO[bytes]:
    """What a tarball's compression hides. Python can be built without each of the three."""
    module = importlib.import_module({".xz": "lzma", ".gz": "gzip", ".bz2": "bz2"}[path.suffix])
    opened: IO[bytes] = module.open(stream)
    return opened


def unreadable(source: Source, error: Exception) -> ScenarioError:
    return refused_path("--source", source.path, f"a complete tarball ({' '.join(str(error).split())})")


def extract(archive: tarfile.TarFile, member: tarfile.TarInfo, tree: Path) -> None:
    """Writes a file of an archive, without the archive's first folder; never outside the tree."""
    parts = PurePosixPath(member.name).parts[1:]
    if not parts or ".." in parts or not is_needed(PurePosixPath(*parts)):
        return
    target = tree.joinpath(*parts)
    if member.isdir():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if member.issym():
        leads_to = os.path.normpath(os.path.join(*parts[:-1], member.linkname))  # noqa: PTH118 -- it need not exist
        if not leads_to.startswith(("/", "..")):
            target.symlink_to(member.linkname)
    elif member.isfile():
        content = archive.extractfile(member)
        assert content is not None
        with target.open("xb") as file:
            shutil.copyfileobj(content, file, CHUNK)
        if member.mode & 0o100:
            target.chmod(0o755)
