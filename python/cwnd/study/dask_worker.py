# SPDX-License-Identifier: MIT OR Apache-2.0
"""The work of a Dask worker: the check of its build, plugins, batches of runs."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import distributed

from cwnd._native import __version__
from cwnd.plugin import crate
from cwnd.replicates.executor import Task
from cwnd.replicates.number_cache import Cache
from cwnd.study.task import Outcome, PointRun


@dataclass(frozen=True, slots=True)
class Build:
    """What the numbers of a run depend on besides its scenario."""

    version: str
    #: Hash of the native module and of the code that makes numbers of what it yields.
    code: str
    #: Digests of the libraries of plugins, by their names.
    plugins: Mapping[str, str]

    @classmethod
    def here(cls) -> Build:
        """That of this process."""
        return cls(__version__, Cache.name({}, PointRun.run), dict(crate.LOADED))

    def difference(self, other: Build) -> str | None:
        """What another one has instead, in words."""
        if self.version != other.version:
            return f"cwnd {other.version} instead of {self.version}"
        if self.code != other.code:
            return f"another build of cwnd {other.version}"
        for name, digest in self.plugins.items():
            if other.plugins.get(name) != digest:
                return f"{'another' if name in other.plugins else 'no'} plugin {name}"
        return None


class OtherBuildError(Exception):
    """A worker is not of the client's build: its address, and what it has."""


class WorkerContext:
    """The context of a run on a worker: a run that has started continues to its end."""

    def check(self) -> None:
        pass

    def report(self, packets: int, part: float) -> None:
        pass


def run_batch(build: Build, pickled: bytes) -> list[Outcome]:
    """Runs a batch: a list of tasks, pickled."""
    if difference := build.difference(Build.here()):
        raise OtherBuildError(f"{distributed.get_worker().address} has {difference}")
    tasks: list[Task[Outcome]] = pickle.loads(pickled)
    return [task.run(WorkerContext()) for task in tasks]


class Libraries(distributed.WorkerPlugin):  # type: ignore[misc]
    """The libraries of plugins, which every worker loads: now, or when it joins."""

    def __init__(self) -> None:
        """Those that this process has loaded."""
        self.by_digest: dict[str, bytes] = {}
        for name, digest in crate.LOADED.items():
            self.by_digest[digest] = crate.library_again(name, "workers receive it")
        self.name = f"cwnd-{'-'.join(sorted(digest[:16] for digest in self.by_digest))}"

    def setup(self, worker: object) -> None:
        """Loads those that the worker does not have."""
        for digest, library in self.by_digest.items():
            if digest not in crate.LOADED.values():
                with tempfile.TemporaryDirectory(prefix="cwnd-") as folder:
                    file = Path(folder) / f"{digest}.so"
                    file.write_bytes(library)
                    crate.load_plugin(file)
