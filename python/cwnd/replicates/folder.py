# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates on disk: a folder per seed, complete or absent, so that the same command can resume.

`manifest.json` names the scenario and the versions; `seed-0001/` and so on are results as `cwnd run -o` writes them, without
pictures; `summary.json` is the document over all runs that are done.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from cwnd import _native
from cwnd._internal.json_files import read_json
from cwnd._internal.partial_folders import lock
from cwnd._internal.temporary_files import replacing
from cwnd._native import Scenario
from cwnd.replicates.document import ReplicatesDocument, RunDocument
from cwnd.result.result import Result
from cwnd.result.store import MANIFEST, REPLICATES, FolderError, kind_of_result, origin, save
from cwnd.result.store import check_folder as check_result
from cwnd.result.typed_summary import Summary
from cwnd.scenario.snapshot import InputRow, identity, inputs, scenario_document

SUMMARY = "summary.json"


class ReplicatesFolder:
    """The folder of replicates."""

    def __init__(self, path: Path, scenario: Scenario, lane: str, *, force: bool = False) -> None:
        self.path = path
        self._force = force
        shared = scenario_document(scenario)
        shared.pop("seed")
        # The engine by its digest: runs of two builds are not replicates of each other.
        engine = hashlib.sha256(Path(_native.__file__).read_bytes()).hexdigest()
        written_by = origin()
        written_by["versions"] = {**written_by["versions"], "engine": engine}
        self._manifest: dict[str, object] = {
            "kind": REPLICATES,
            "lane": lane,
            "scenario": shared,
            **inputs(scenario),
            **written_by,
        }

    def check(self) -> None:
        """Refuses, before any work, a folder that holds something else."""
        path = self.path
        manifest = read(path / MANIFEST)
        if path.is_symlink() or not path.is_dir() or manifest.get("kind") != REPLICATES:
            check_result(path, REPLICATES, force=self._force)
            return
        if manifest.get("lane") != self._manifest["lane"]:
            expected = f"replicates in lane {self._manifest['lane']}, or a free name (it holds those of lane {manifest.get('lane')})"
        elif identity_of(manifest) != identity_of(self._manifest):
            expected = "replicates of this scenario, or a free name (it holds those of another one)"
        elif any(manifest.get(key) != self._manifest.get(key) for key in ("versions", "plugins")):
            expected = "replicates by this build, or a free name (it holds those of another build)"
        else:
            return
        if self._force:
            check_result(path, REPLICATES, force=True)
            return
        raise FolderError(f'folder: "{path}" is not accepted; expected {expected}, or --force (force=True in Python)')

    def _clear(self) -> None:
        """Removes a result of something else than these replicates, which `check` allows to replace."""
        manifest = read(self.path / MANIFEST)
        same_study = identity_of(manifest) == identity_of(self._manifest) and all(
            manifest.get(key) == self._manifest.get(key) for key in ("kind", "lane", "versions", "plugins")
        )
        if self._force and not same_study and kind_of_result(self.path) is not None:
            for path in self.path.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Makes the folder and locks it against other processes while the body runs; removes it if the body wrote nothing."""
        self.check()
        is_new = not self.path.exists()
        self.path.mkdir(parents=True, exist_ok=True)
        with folder_lock(self.path):
            self._clear()
            # Folders that a killed run has left.
            for unfinished in self.path.glob(".seed-*"):
                shutil.rmtree(unfinished, ignore_errors=True)
            try:
                write(self.path / MANIFEST, self._manifest)
                yield
            finally:
                if {path.name for path in self.path.iterdir()} <= {MANIFEST}:
                    (self.path / MANIFEST).unlink(missing_ok=True)
                    if is_new:
                        self.path.rmdir()

    def seed(self, seed: int) -> Path:
        """The folder of a seed."""
        return self.path / f"seed-{seed:04}"

    def done(self, scenario: Scenario) -> RunDocument | None:
        """The summary of the run of `scenario`, if it exists; refuses any other content."""
        folder = self.seed(scenario.seed)
        if not folder.exists():
            return None
        run = {"scenario": scenario_document(scenario), **inputs(scenario)}
        if identity_of(read(folder / MANIFEST)) == identity_of(run):
            summary = read(folder / SUMMARY)
            if "measures" in summary:
                return cast("RunDocument", summary)
        check_result(folder)
        return None

    def conclude(self, document: ReplicatesDocument) -> None:
        """Writes the document over all runs."""
        write(self.path / SUMMARY, document)


def identity_of(manifest: Mapping[str, object]) -> object:
    """The identity of a manifest's scenario."""
    return identity(manifest.get("scenario"), cast("list[InputRow]", manifest.get("inputs", [])))


def write_run(folder: Path, result: Result, document: RunDocument, check: Callable[[], None]) -> None:
    """Writes a run with its `document` as summary. `check` is called between two pieces of a table; if it raises, nothing of the run is left."""
    result.summary = cast("Summary", document)
    save(result, folder, pictures=False, between=check)


@contextmanager
def folder_lock(path: Path) -> Iterator[None]:
    """Locks a folder against other processes while the body runs."""
    try:
        descriptor = lock(path)
    except BlockingIOError:
        raise FolderError(f'folder: "{path}" is not accepted; another cwnd process is writing to it') from None
    try:
        yield
    finally:
        os.close(descriptor)


def write(path: Path, document: object) -> None:
    """Writes JSON, all of it or nothing."""
    with replacing(path) as part:
        part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def read(path: Path) -> dict[str, object]:
    """Reads a JSON object; an empty one if there is none."""
    try:
        document = read_json(path)
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}
