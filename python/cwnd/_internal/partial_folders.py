# SPDX-License-Identifier: MIT OR Apache-2.0
"""The temporary folders that runs and kernel traces write to before they take the result's name.

Each is locked while its run is in progress. The next run into the same folder removes those that a killed run has left.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import secrets
import shutil
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cwnd._internal.summary_types import TABLES
from cwnd._internal.temporary_files import SUFFIX as TEMPORARY
from cwnd._internal.temporary_files import named_as

#: The files that a run or a trace writes before its manifest, which comes last.
FILES = re.compile(
    rf"({'|'.join(sorted({name for names in TABLES.values() for name in names}))})\.parquet|scenario\.toml|summary\.json|[a-z_]+\.(png|svg)"
    rf"|input-\d+-[A-Za-z0-9._-]+|[a-z]+\.pcapng|\.[a-z_]+\.(png|svg){TEMPORARY}"
)
# The end of a name; earlier versions took it from `tempfile`.
SUFFIX = "[a-z0-9_]{8}"


def lock(folder: Path) -> int:
    """Locks a folder and returns a file descriptor; the lock ends when it is closed or the process ends.

    Raises `BlockingIOError` if another process has it, and `OSError` if the system has no such locks.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def is_in_progress(part: Path) -> bool:
    """Whether the run that writes to this folder is in progress, as far as the system can tell."""
    try:
        os.close(lock(part))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


def make_beside(folder: Path, mode: int = 0o777) -> Path:
    """Creates a folder next to `folder`, under an unused name, with this mode less the user's umask."""
    while True:
        part = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
        with suppress(FileExistsError), named_as(folder, part):
            part.mkdir(mode)
            return part


def make_parent(folder: Path) -> None:
    """Creates the folder around `folder`. An error names `folder`, which the user knows."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        number = errno.ENOTDIR if isinstance(error, FileExistsError) else error.errno or errno.EIO
        raise OSError(number, os.strerror(number), str(folder)) from error


@contextmanager
def temporary_folder(folder: Path, mode: int = 0o777) -> Iterator[Path]:
    """A new folder next to `folder`, locked while the body runs, and removed afterwards unless it was renamed."""
    while True:
        part = make_beside(folder, mode)
        descriptor = None
        try:
            descriptor = lock(part)
        except (BlockingIOError, FileNotFoundError):
            continue  # another run has found it unlocked and removes it
        except OSError:
            break  # without locks nothing removes it
        if part.exists():
            break
        os.close(descriptor)
    try:
        with named_as(folder, part):
            yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def is_unfinished(folder: Path) -> bool:
    """Whether a folder is, by its name and its files, that of a run that did not end."""
    return re.fullmatch(rf"\..+\.{SUFFIX}", folder.name) is not None and is_of_run(folder)


def is_of_run(folder: Path, others: Container[str] = ()) -> bool:
    """Whether a folder contains only files of a run, and `others`."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    try:
        return all((FILES.fullmatch(path.name) or path.name in others) and path.is_file() for path in folder.iterdir())
    except OSError:
        return False


def temporary_folders(folder: Path) -> list[tuple[Path, Path | None]]:
    """This user's temporary folders of runs into `folder`, each with the earlier result that the run has moved aside.

    A folder like /tmp may also contain another user's.
    """
    name = re.compile(rf"(\.{re.escape(folder.name)}\.{SUFFIX})(\.old)?")
    try:
        matches = [
            match
            for path in folder.parent.iterdir()
            if (match := name.fullmatch(path.name)) and path.lstat().st_uid == os.geteuid()
        ]
    except OSError:
        return []
    parts: dict[str, Path | None] = {}
    for match in filter(None, matches):
        parts[match[1]] = folder.with_name(match[0]) if match[2] else parts.get(match[1])
    return [(folder.with_name(part), old) for part, old in sorted(parts.items())]


def remove_leftovers(folder: Path, is_ours: Callable[[Path], bool]) -> list[str]:
    """Removes what killed runs into `folder` have left, and restores an earlier result that one of them had moved aside.

    Returns a message for each. `is_ours` says whether a folder is a result and nothing else.
    """
    messages = []
    for part, old in temporary_folders(folder):
        if is_in_progress(part):
            continue
        if is_unfinished(part):
            with suppress(OSError):
                descriptor = lock(part)
                shutil.rmtree(part, ignore_errors=True)
                os.close(descriptor)
                messages.append(f"removed {part}, left by an interrupted run")
        if old is None or not is_ours(old):
            continue
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            messages.append(f"removed {old}, left by an interrupted run")
        else:
            with suppress(OSError):
                old.rename(folder)
                messages.append(f"restored {folder}, which an interrupted run had moved aside")
    return messages


def why(folder: Path) -> str | None:
    """What is expected instead of this folder, if it has no result because a run did not end."""
    parts = [folder] if is_unfinished(folder) else []
    if not folder.exists():
        parts = [part for part, _ in temporary_folders(folder) if is_unfinished(part)]
    if not parts:
        return None
    state = "is still running" if any(map(is_in_progress, parts)) else "was interrupted"
    return f"a finished run; this one {state}"
