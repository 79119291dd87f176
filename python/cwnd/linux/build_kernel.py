# SPDX-License-Identifier: MIT OR Apache-2.0
"""Builds a kernel of lane linux: unpacks the source, adds the driver, configures, makes, tries, and keeps it under its key."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from cwnd._internal.input_errors import refused
from cwnd._internal.messages import detail, note, phase
from cwnd.linux import make, requirements, sources, tree, trial
from cwnd.linux.kernels import (
    ABOUT,
    EXECUTABLE,
    HZ,
    USUAL_HZ,
    Kernel,
    KernelDocument,
    all_builds,
    cache,
    driver_digest,
    name_of,
    read,
)
from cwnd.linux.steps import OBJECTS, Step, Watch

#: What the folder of a build takes at most, bytes: 0.25 GB of the source and 0.1 GB of objects, and a reserve.
ROOM = 500_000_000


def build(
    version: str | None = None,
    *,
    hz: int = USUAL_HZ,
    source: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    watch: Watch | None = None,
) -> Kernel:
    """Builds a kernel of lane linux, unless it is there already; returns it.

    It takes some minutes, and needs no rights. Raises `ScenarioError` for a version, a source or a setting that is not accepted, and `OSError`
    if a tool is missing, the disk is full, make fails or the kernel does not run here.
    """
    if isinstance(hz, bool) or hz not in HZ:
        raise refused("--hz", hz, f"one of {', '.join(map(str, HZ))}")
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise refused("--jobs", jobs, "a number of processes, 1 or more")
    if why := requirements.why_not_here():
        raise OSError(f"lane linux {why}")
    found = sources.source_of(version, source)
    requirements.require()
    compiler = requirements.compiler_version()
    with phase("digest of the source"):
        sha256 = sources.digest(found)
    name, driver = name_of(found.version, hz), driver_digest()
    key = hashlib.sha256("\n".join([driver, sha256, name, compiler]).encode()).hexdigest()
    if (there := present(name, key)) is not None:
        note(f"{name} is built already")
        return there
    about: KernelDocument = {
        "name": name,
        "version": found.version,
        "release": "",
        "hz": hz,
        "source": {"file": str(found.path), "sha256": sha256},
        "licence": "GPL-2.0",
        "compiler": compiler,
        "date": "",
        "key": key,
        "driver": driver,
        "without": [],
    }
    folder = usable_cache()
    with locked(folder, name) as lock:
        # A build that has just ended may have been of the same.
        if (there := present(name, key)) is None:
            check_room(folder)
            there = build_new(folder, found, about, Task(lock, jobs or len(os.sched_getaffinity(0)), watch or ignore))
            remove_superseded(there)
    return there


def ignore(step: Step) -> None:
    """Without progress."""


class Task(NamedTuple):
    """How a build is done."""

    lock: int
    jobs: int
    watch: Watch


def present(name: str, key: str) -> Kernel | None:
    """A build with exactly this content."""
    return next((kernel for kernel in all_builds() if kernel.name == name and kernel.about["key"] == key), None)


def usable_cache() -> Path:
    """The folder of the kernels, made if it is not there. Raises `OSError`."""
    folder = cache()
    if any(letter.isspace() or letter == ":" for letter in str(folder)):
        raise OSError(f"{folder}: Linux is not built in a path with blanks or colons; set CWND_LINUX to another folder")
    folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise OSError(f"{folder}: cannot be written to; set CWND_LINUX to another folder")
    return folder


def check_room(folder: Path) -> None:
    """Raises `OSError` if the disk has too little room."""
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise OSError(
            f"building a kernel needs {ROOM / 1e9:.1f} GB in {folder}; {free / 1e9:.1f} GB are free (CWND_LINUX names another folder)"
        )


@contextmanager
def locked(folder: Path, name: str) -> Iterator[int]:
    """Locks the kernel of this name for a build; yields the descriptor. Raises `OSError` if another build has it."""
    descriptor = os.open(folder / f".{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"another build of {name} is in progress in {folder}; wait until it has ended") from None
        yield descriptor
    finally:
        os.close(descriptor)


def build_new(folder: Path, source: sources.Source, about: KernelDocument, task: Task) -> Kernel:
    """Builds in a temporary folder, which is removed, and moves the finished kernel under its key."""
    for left in folder.glob(f".build-{about['name']}.*"):
        # The lock is ours: what is there was left by a build that was killed.
        shutil.rmtree(left, ignore_errors=True)
    log = folder / f"build-{about['name']}.log"
    log.unlink(missing_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".build-{about['name']}.", dir=folder))
    try:
        built, release, without = compiled(part, source, about, log, task)
        kept = part / "kept"
        kept.mkdir()
        shutil.move(built, kept / EXECUTABLE)
        about |= {"release": release, "without": without, "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        (kept / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        task.watch(Step("trying", 0.0))
        trial.attempt(kept / EXECUTABLE, part / "trial")
        target = folder / f"{about['name']}-{about['key'][:16]}"
        shutil.rmtree(target, ignore_errors=True)
        kept.replace(target)
    except make.MakeError:
        raise
    except BaseException:
        log.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)
    log.unlink(missing_ok=True)
    kernel = read(target, about["driver"])
    if kernel is None:
        raise OSError(f"{target}: was changed while it was built")
    return kernel


def compiled(
    part: Path, source: sources.Source, about: KernelDocument, log: Path, task: Task
) -> tuple[Path, str, list[str]]:
    """Unpacks, configures and makes; returns the executable, the kernel's release, and the options that this version does not have."""
    place, version, hz = part / "source", about["version"], about["hz"]
    compiler = requirements.compiler()
    settings = ["ARCH=um", f"CC={compiler}", f"HOSTCC={compiler}", f"KBUILD_KCONFIG={tree.OUR_KCONFIG}"]
    with phase("unpacking"):
        sources.unpack(source, place, lambda done: task.watch(Step("unpacking", done)))
    sources.check_version(source, place)
    task.watch(Step("configuring", 0.0))
    if source.path.is_dir():
        # Something may have been built there.
        make.make(["ARCH=um", "mrproper"], place, log, task.lock, ignore_count)
    tree.prepare(place, version, hz)
    make.make([*settings, f"KCONFIG_ALLCONFIG={tree.OUR_OPTIONS}", "allnoconfig"], place, log, task.lock, ignore_count)
    without = tree.check_configuration(place, version, hz)
    detail(f"options that Linux {version} does not have: {', '.join(without) or 'none'}")
    with phase("compiling"):
        task.watch(Step("compiling", 0.0))
        report = lambda count: task.watch(Step("compiling", min(1.0, count / OBJECTS), count))  # noqa: E731
        make.make([*settings, f"-j{task.jobs}", "linux"], place, log, task.lock, report)
    release = (place / "include" / "config" / "kernel.release").read_text(encoding="utf-8").strip()
    return place / "linux", release, without


def ignore_count(count: int) -> None:
    """Objects of a step that has few."""


def remove_superseded(kernel: Kernel) -> None:
    """Removes builds of the same name by this version of cwnd: from an earlier source or with another compiler."""
    for other in all_builds():
        if other.name == kernel.name and not other.stale and other.path != kernel.path:
            with suppress(OSError):
                shutil.rmtree(other.path.parent)
