# SPDX-License-Identifier: MIT OR Apache-2.0
"""The folder of a release, and the record of the steps that are done.

The steps write to `VERSION.part`. It is renamed to `VERSION` when all steps before the tag are done.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tools import version
from tools.release.errors import ReleaseError
from tools.release.running import git

#: The record: the commit, and the time that each step took.
RECORD = ".steps.json"


@dataclass
class Release:
    """A release of the checkout's commit."""

    #: parent of the folder
    parent: Path
    #: without the profile, the other architectures and the tests; it cannot be tagged
    quick: bool
    #: run the tests in the step `check`
    tests: bool = False
    version: str = field(default_factory=version.version)
    commit: str = field(default_factory=lambda: git("rev-parse", "HEAD"))
    #: seconds that each finished step took
    done: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> Path:
        """The folder, when it is whole."""
        return self.parent / (f"{self.version}-quick" if self.quick else self.version)

    @property
    def part(self) -> Path:
        """The folder that the steps write to."""
        return self.whole.with_name(f"{self.whole.name}.part")

    @property
    def folder(self) -> Path:
        """Where the files are now."""
        return self.whole if self.whole.exists() else self.part

    def open(self) -> None:
        """Takes up what earlier calls did for this commit. Files of another commit are removed from the part, and refused in the whole folder."""
        if self.whole.exists() and self.recorded(self.whole) is None:
            raise ReleaseError(f"{self.whole} is not of commit {self.commit[:12]}; remove it first")
        recorded = self.recorded(self.folder)
        if recorded is None and self.part.exists():
            print(f"{self.part} is of another commit: its steps begin again", flush=True)
            shutil.rmtree(self.part)
        self.done = recorded or {}

    def recorded(self, folder: Path) -> dict[str, float] | None:
        """The steps that were done for this commit; none if the folder is of another one."""
        try:
            record = json.loads((folder / RECORD).read_text())
            steps: dict[str, float] = record["steps"]
            return steps if record["commit"] == self.commit else None
        except (OSError, ValueError, KeyError):
            return None

    def record(self) -> None:
        """Writes the record."""
        temporary = self.part / f"{RECORD}.new"
        temporary.write_text(json.dumps({"commit": self.commit, "steps": self.done}) + "\n")
        temporary.replace(self.part / RECORD)

    def reopen(self, steps: Iterable[str]) -> None:
        """Makes these steps undone, and the folder a part."""
        if self.whole.exists():
            self.whole.rename(self.part)
        self.part.mkdir(parents=True, exist_ok=True)
        for step in steps:
            self.done.pop(step, None)
        self.record()

    def finish(self) -> None:
        """Gives the folder its name."""
        self.part.rename(self.whole)

    def files(self) -> list[str]:
        """The release's files, by their paths in its folder."""
        paths = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        return sorted(path.relative_to(self.folder).as_posix() for path in paths)

    @contextmanager
    def replacing(self, *names: str) -> Iterator[Path]:
        """An empty folder to write these files or folders to. They replace the earlier ones when all are written; after an error none is."""
        fresh = self.part / ".fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        try:
            yield fresh
            for name in names:
                self.remove(name)
                if (fresh / name).exists():
                    (fresh / name).rename(self.part / name)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Removes a file or folder of the part, if it is there."""
        there = self.part / name
        if there.is_dir():
            shutil.rmtree(there)
        else:
            there.unlink(missing_ok=True)
