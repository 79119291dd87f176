# SPDX-License-Identifier: MIT OR Apache-2.0
"""A folder of comparisons: a document, a picture and the scenario of each, written as soon as it is done."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from cwnd._native import Scenario, ScenarioError
from cwnd.comparison.runner import Fidelity, FidelityDocument
from cwnd.store import FolderError, origin
from cwnd.stored_scenario import scenario_document

MANIFEST = "manifest.json"
KIND = "cwnd fidelity"


class FidelityFolder:
    """A folder, new or with earlier comparisons. Raises `FolderError` if it holds anything else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            try:
                kind = json.loads((folder / MANIFEST).read_text())["kind"]
            except (OSError, ValueError, KeyError, TypeError):
                kind = None
            if kind != KIND:
                raise FolderError(
                    f'folder: "{folder}" is not accepted; expected a free name, an empty folder, or earlier comparisons'
                )
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self._write(MANIFEST, json.dumps({"kind": KIND, **origin()}, indent=1) + "\n")

    def known(self, name: str, scenario: Scenario, runs: int) -> FidelityDocument | None:
        """The comparison of this scenario with as many runs, if it is there."""
        try:
            of, document = json.loads((self._folder / f"{name}.json").read_text())
            same = of == scenario_document(scenario) and document["runs"] == runs
        except (OSError, ValueError, KeyError, TypeError, ScenarioError):
            return None
        return document if same else None

    def add(self, name: str, fidelity: Fidelity) -> None:
        """Writes a comparison: its document last, so that what is there is whole."""
        from cwnd.comparison.picture import draw

        draw(fidelity, self._folder / name)
        self._write(
            f"{name}.json", json.dumps([scenario_document(fidelity.scenario), fidelity.document()], indent=1) + "\n"
        )

    def _write(self, name: str, text: str) -> None:
        replace(self._folder / name, lambda path: path.write_text(text))


def replace(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file under another name first; nothing half-written has its name."""
    partial = path.with_name(f".{path.name}.partial")
    try:
        write(partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
