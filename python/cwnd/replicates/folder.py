# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates on disk: a folder per seed, each whole or not there, so that a study goes on where it was stopped.

`manifest.json` says of what; `seed-0001/` and so on are results as `cwnd run -o` writes them, without pictures; `summary.json` is the
document over all that are done.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cwnd import _native
from cwnd._native import Scenario
from cwnd.result import Result
from cwnd.store import MANIFEST, REPLICATES, NotOursError, holds, origin, save
from cwnd.store import check as check_result
from cwnd.unfinished import claim

SUMMARY = "summary.json"


class Folder:
    """The folder of a study. Made or checked when entered, and nobody else's until it is left."""

    def __init__(self, path: Path, scenario: Scenario, *, force: bool = False) -> None:
        self.path = path
        self._force = force
        document = json.loads(scenario.to_json())
        document.pop("seed")
        # The engine by its digest: runs of two builds are not replicates of each other.
        engine = hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()
        made_by = origin()
        made_by["versions"] = {**made_by["versions"], "engine": engine}
        self._manifest: dict[str, Any] = {"kind": REPLICATES, "lane": "sim", "scenario": document, **made_by}

    def check(self) -> None:
        """Refuses, before any work, a folder that holds something else."""
        path = self.path
        found = read(path / MANIFEST)
        if path.is_symlink() or not path.is_dir() or found.get("kind") != REPLICATES:
            check_result(path, REPLICATES, force=self._force)
            return
        if found.get("scenario") != self._manifest["scenario"]:
            expected = "replicates of this scenario, or a free name (it holds those of another one)"
        elif any(found.get(key) != self._manifest.get(key) for key in ("versions", "plugins")):
            expected = "replicates by this build, or a free name (it holds those of another build)"
        else:
            return
        if self._force:
            check_result(path, REPLICATES, force=True)
            return
        raise NotOursError(f'folder: "{path}" is not accepted; expected {expected}, or --force (force=True in Python)')

    def _clear(self) -> None:
        """Removes what `check` has found that may be replaced and is not of this study."""
        found = read(self.path / MANIFEST)
        alike = all(found.get(key) == self._manifest.get(key) for key in ("kind", "scenario", "versions", "plugins"))
        if self._force and not alike and holds(self.path) is not None:
            for path in self.path.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Makes the folder and keeps others out while the body runs; leaves nothing when it left nothing in it."""
        self.check()
        free = not self.path.exists()
        self.path.mkdir(parents=True, exist_ok=True)
        with alone(self.path):
            self._clear()
            # What a killed run left half written.
            for rest in self.path.glob(".seed-*"):
                shutil.rmtree(rest, ignore_errors=True)
            try:
                write(self.path / MANIFEST, self._manifest)
                yield
            finally:
                if {path.name for path in self.path.iterdir()} <= {MANIFEST}:
                    (self.path / MANIFEST).unlink(missing_ok=True)
                    if free:
                        self.path.rmdir()

    def seed(self, seed: int) -> Path:
        """The folder of a seed."""
        return self.path / f"seed-{seed:04}"

    def done(self, scenario: Scenario) -> dict[str, Any] | None:
        """What is kept of the run of `scenario`, if it is there; refuses what is there in its place."""
        folder = self.seed(scenario.seed)
        if not folder.exists():
            return None
        if read(folder / MANIFEST).get("scenario") == json.loads(scenario.to_json()):
            summary = read(folder / SUMMARY)
            if "measures" in summary:
                return summary
        check_result(folder)
        return None

    def keep(self, result: Result, document: dict[str, Any], check: Callable[[], None]) -> None:
        """Writes a run; `check` may raise between two pieces, and nothing is left of it then."""
        result.summary = document
        save(result, self.seed(result.scenario.seed), pictures=False, between=check)

    def conclude(self, document: dict[str, Any]) -> None:
        """Writes the document over all runs."""
        write(self.path / SUMMARY, document)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keeps others out of a folder while the body runs."""
    try:
        handle = claim(path)
    except BlockingIOError:
        raise NotOursError(f'folder: "{path}" is not accepted; another cwnd writes to it now') from None
    try:
        yield
    finally:
        os.close(handle)


def write(path: Path, document: Any) -> None:  # noqa: ANN401
    """JSON, written beside and then given its name."""
    beside = path.with_name(f".{path.name}")
    try:
        beside.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def read(path: Path) -> dict[str, Any]:
    """A JSON object; an empty one where there is none."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
