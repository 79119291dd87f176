# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folders beside a result that a run, or a kernel trace, writes to before they take its name: kept by a lock while it goes on, and
removed by the next one where one was killed."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cwnd.kernel.result import TABLES as TRACED
from cwnd.result import TABLES

#: What a run or a trace writes before its manifest, which is the last.
FILES = re.compile(rf"({'|'.join({*TABLES, *TRACED})})\.parquet|scenario\.toml|summary\.json|[a-z_]+\.(png|svg)")
# What `tempfile` puts at the end of a name.
SUFFIX = "[a-z0-9_]{8}"


def claim(folder: Path) -> int:
    """Locks a folder; the lock lasts until what this returns is closed, or the process ends in whatever way.

    Raises `BlockingIOError` where another has it, `OSError` where the system has no such locks.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(handle)
        raise
    return handle


def goes_on(part: Path) -> bool:
    """Whether the run that writes to this folder goes on, as far as the system can tell."""
    try:
        os.close(claim(part))
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


@contextmanager
def made(folder: Path) -> Iterator[Path]:
    """A new folder beside `folder`, locked while the body runs, and gone afterwards unless it has another name then."""
    while True:
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        handle = None
        try:
            handle = claim(part)
        except (BlockingIOError, FileNotFoundError):
            continue  # another run has taken it for left over, and removes it
        except OSError:
            break  # no such locks here: nobody removes it
        if part.exists():
            break
        os.close(handle)
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def is_part(folder: Path) -> bool:
    """Whether a folder is, by its name and all that is in it, one that a run has not come to the end of."""
    if not re.fullmatch(rf"\..+\.{SUFFIX}", folder.name) or folder.is_symlink() or not folder.is_dir():
        return False
    try:
        return all(FILES.fullmatch(path.name) and path.is_file() for path in folder.iterdir())
    except OSError:
        return False


def beside(folder: Path) -> list[tuple[Path, Path | None]]:
    """What runs into `folder` have beside it: the folder that one writes to, and the earlier result that it has moved aside."""
    name = re.compile(rf"(\.{re.escape(folder.name)}\.{SUFFIX})(\.old)?")
    try:
        matches = [name.fullmatch(path.name) for path in folder.parent.iterdir()]
    except OSError:
        return []
    parts: dict[str, Path | None] = {}
    for match in filter(None, matches):
        parts[match[1]] = folder.with_name(match[0]) if match[2] else parts.get(match[1])
    return [(folder.with_name(part), old) for part, old in sorted(parts.items())]


def sweep(folder: Path, is_ours: Callable[[Path], bool]) -> list[str]:
    """Removes what killed runs into `folder` have left, and brings back an earlier result that one of them had moved aside; returns a
    line for each. `is_ours` says whether a folder is a result and nothing else."""
    said = []
    for part, old in beside(folder):
        if goes_on(part):
            continue
        if is_part(part):
            with suppress(OSError):
                handle = claim(part)
                shutil.rmtree(part, ignore_errors=True)
                os.close(handle)
                said.append(f"removed {part}, which a run that was stopped half-way had left")
        if old is None or not is_ours(old):
            continue
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            said.append(f"removed {old}, which a run that was stopped half-way had left")
        else:
            with suppress(OSError):
                old.rename(folder)
                said.append(f"restored {folder}, which a run that was stopped half-way had moved aside")
    return said


def why(folder: Path) -> str | None:
    """Why there is no result in a folder, if a run is to blame: what is expected in its place."""
    parts = [folder] if is_part(folder) else []
    if not folder.exists():
        parts = [part for part, _ in beside(folder) if is_part(part)]
    if not parts:
        return None
    state = "goes on" if any(map(goes_on, parts)) else "was stopped half-way"
    return f"a run that came to its end: this one {state}"
