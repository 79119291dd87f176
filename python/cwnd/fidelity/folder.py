# SPDX-License-Identifier: MIT OR Apache-2.0
"""A folder of comparisons: a document, a picture and the scenario of each, written as soon as it is done, and every run of the kernel."""

from __future__ import annotations

import datetime
import json
import platform
import shutil
from pathlib import Path

from cwnd._internal.captures import is_whole
from cwnd._internal.json_files import read_json
from cwnd._internal.partial_folders import is_of_run
from cwnd._internal.temporary_files import replacing
from cwnd._native import Scenario
from cwnd.fidelity.runner import Fidelity
from cwnd.load import NoResultError, load
from cwnd.result.lanes import LIVE, kernel_of, kind_of
from cwnd.result.result import Result
from cwnd.result.store import FolderError, kind_of_result, origin, save
from cwnd.scenario.snapshot import scenario_document

MANIFEST = "manifest.json"
KIND = "cwnd fidelity"


class FidelityFolder:
    """A folder, new or with earlier comparisons. Raises `FolderError` if it holds anything else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            try:
                kind = read_json(folder / MANIFEST)["kind"]
            except (OSError, ValueError, KeyError, TypeError):
                kind = None
            if kind != KIND:
                raise FolderError(
                    f'folder: "{folder}" is not accepted; expected a free name, an empty folder, or earlier comparisons'
                )
        else:
            folder.mkdir(parents=True, exist_ok=True)
            self._write(MANIFEST, json.dumps({"kind": KIND, **origin()}, indent=1) + "\n")

    def check(self, name: str, scenario: Scenario) -> None:
        """Raises `FolderError` if the folder has the comparison of another scenario with this name."""
        try:
            earlier = read_json(self._folder / f"{name}.json")[0]
        except (OSError, ValueError, LookupError, TypeError):
            return
        if earlier != json.loads(json.dumps(scenario_document(scenario))):
            raise FolderError(
                f'folder: "{self._folder}" is not accepted; expected one without another scenario called "{name}"'
            )

    def check_kind(self, name: str, by_packets: bool) -> None:
        """Raises `FolderError` if the folder has a comparison of this name by numbers, and the new one is by packets, or the other way round."""
        try:
            earlier = read_json(self._folder / f"{name}.json")[1]["packets"] is not None
        except (OSError, ValueError, LookupError, TypeError):
            return
        if earlier != by_packets:
            kind = "packet by packet" if earlier else "by its numbers"
            raise FolderError(
                f'folder: "{self._folder}" is not accepted; expected one without a comparison of "{name}" {kind}'
            )

    def runs(self, name: str) -> KeptRuns:
        """The kernel's runs of the scenario of this name."""
        return KeptRuns(self._folder / "runs" / name)

    def add(self, name: str, fidelity: Fidelity) -> None:
        """Writes a comparison, with its document last, so that an existing document means a complete comparison."""
        from cwnd.fidelity.picture import draw

        draw(fidelity, self._folder / name)
        self._write(
            f"{name}.json", json.dumps([scenario_document(fidelity.scenario), fidelity.document()], indent=1) + "\n"
        )

    def _write(self, name: str, text: str) -> None:
        with replacing(self._folder / name) as part:
            part.write_text(text)


class KeptRuns:
    """The kernel's runs of one scenario, each in a folder named by its seed, as `cwnd run -o` writes it but without pictures."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def _of(self, scenario: Scenario) -> Path:
        return self._folder / f"seed-{scenario.seed}"

    def find(self, scenario: Scenario, lane: str) -> tuple[Result, str] | None:
        """The run of this scenario with this seed by this kernel, and its day."""
        path = self._of(scenario)
        try:
            result = load(path)
            day = datetime.date.fromtimestamp((path / MANIFEST).stat().st_mtime).isoformat()
            if not isinstance(result, Result) or result.lane != kind_of(lane) or not is_readable(result):
                return None
        except (OSError, NoResultError):
            return None
        same = scenario_document(result.scenario) == scenario_document(scenario) and is_of_kernel(result, lane)
        return (result, day) if same else None

    def keep(self, result: Result) -> None:
        """Writes a run, and replaces an earlier one of this seed, even a damaged one."""
        self._folder.mkdir(parents=True, exist_ok=True)
        folder = self._of(result.scenario)
        if folder.is_dir() and kind_of_result(folder) is None and is_of_run(folder, (MANIFEST,)):
            shutil.rmtree(folder)
        save(result, self._of(result.scenario), pictures=False)


def is_readable(result: Result) -> bool:
    """Whether all of a run can be read; `NoResultError` for a damaged table."""
    for name in result.tables:
        for _ in result.batches(name):
            pass
    return all(map(is_whole, result.packets.values()))


def is_of_kernel(result: Result, lane: str) -> bool:
    """Whether the kernel of a lane made a run: the running one, or the same build."""
    if lane == LIVE:
        return result.summary["live"]["kernel"] == platform.release()
    from cwnd.linux.kernels import find

    return result.summary["linux"]["build"] == find(kernel_of(lane)).about["key"]
