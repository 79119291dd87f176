# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reads results from their folders, whatever lane they are of."""

from __future__ import annotations

from pathlib import Path

from cwnd._internal import partial_folders
from cwnd._internal.file_kinds import described
from cwnd._internal.input_errors import path_of
from cwnd._internal.input_files import head_of
from cwnd._internal.json_files import ShapeError, check_shape, read_json
from cwnd._internal.json_types import IntervalDocument, JsonObject
from cwnd._native import ScenarioError
from cwnd.kernel.result import KernelTrace, Manifest
from cwnd.metrics.transfers import TransfersSummary
from cwnd.replicates.api import Replicates
from cwnd.replicates.checks import check_replicates
from cwnd.replicates.document import ReplicatesDocument, RunDocument
from cwnd.replicates.folder import SUMMARY
from cwnd.result.lanes import SIM, known_lane
from cwnd.result.packets import SUFFIX, FolderPackets
from cwnd.result.result import Result, tables_of
from cwnd.result.store import KIND, MANIFEST, REPLICATES, REPRODUCE, STUDY, TRACE, FolderError
from cwnd.result.tables import FolderTables, NoResultError
from cwnd.result.typed_summary import Summary
from cwnd.scenario.snapshot import read_scenario
from cwnd.study.folder import load_study as study_in
from cwnd.study.results import Study

__all__ = ["NoResultError", "load"]

#: What names in the types of a summary mean that are imported for type checkers alone.
FORWARD = {
    "LiveReport": dict,
    "VirtualReport": dict,
    "TransfersSummary": TransfersSummary,
    "IntervalDocument": IntervalDocument,
}


def load(folder: str | Path) -> Result | Replicates | Study:
    """Reads a folder that cwnd wrote: a `Result` of a run or of a kernel trace, the `Replicates` of `--seeds`, or the `Study` of `cwnd sweep`.

    A run (`save`, `cwnd run -o`, `cwnd compare -o`) has the scenario, the summary, and the tables, which are read on demand.
    `cwnd kernel trace -o` and `cwnd linux trace` give a `KernelTrace`, which is a `Result` of lane `kernel` without a scenario. Replicates
    (`--seeds -o`, `replicate`) have their document; each seed is a run in a separate folder.

    Raises `NoResultError`, with the reason, for a folder without a result, with an unfinished run, of an earlier version with fewer
    tables, or whose scenario needs a missing plugin. The folder has a copy of each file that the scenario names, and the copy is read:
    the originals may be changed or deleted.
    """
    folder = path_of("folder", folder)
    try:
        manifest = read_json(folder / MANIFEST)
        kind = manifest["kind"]
        if kind in (KIND, TRACE):
            check_shape(manifest["files"], list[str], "files")
        files = set(manifest["files"]) if kind in (KIND, TRACE) else set()
    except (OSError, ValueError, KeyError, TypeError):
        why = of_file(folder) or partial_folders.why(folder) or "the folder of a result, with its manifest.json"
        raise refuse(folder, why) from None
    if kind == TRACE:
        try:
            check_shape(manifest, Manifest, MANIFEST, signed=False)
        except ShapeError as error:
            raise refuse(folder, f"a kernel trace ({error})") from None
        return KernelTrace(folder, manifest)
    if kind == REPLICATES:
        return load_replicates(folder)
    if kind == STUDY:
        return load_study(folder)
    if kind == REPRODUCE:
        raise refuse(folder, f"a {KIND}, not a {kind}; cwnd report {folder} makes a page of it")
    if kind != KIND:
        raise refuse(folder, f"a {KIND}, not a {kind}")
    return load_run(folder, files, manifest)


def refuse(folder: Path, expected: str) -> NoResultError:
    """The error for a folder."""
    return NoResultError(f'folder: "{folder}" is not accepted; expected {expected}')


def of_file(path: Path) -> str | None:
    """What is expected in place of a file; `None` of anything else."""
    if not path.exists() or path.is_dir():
        return None
    what = described(head_of(path)) if path.is_file() else "a device or a pipe"
    return f"the folder of a result; this is {what}"


def load_run(folder: Path, files: set[str], manifest: JsonObject) -> Result:
    """The result of a run, whose folder has these files and this manifest."""
    try:
        scenario = read_scenario(folder, manifest)
        summary: Summary = read_json(folder / SUMMARY)
        # A seed of replicates has its measures there too.
        form = RunDocument if "measures" in summary else Summary
        check_shape(summary, form, SUMMARY, FORWARD, signed=False)
        if len(summary["measured_s"]) != 2 or not summary["links"]:
            raise ValueError(f"{SUMMARY} is not the summary of a run")
        if len(summary["flows"]) != len(scenario.flow_names):
            raise ValueError(
                f"{SUMMARY} has {len(summary['flows'])} flows, and the scenario {len(scenario.flow_names)}"
            )
        for number, flow in enumerate(summary["flows"]):
            if unknown := {*flow["path"], *flow["back"]}.difference(range(len(summary["links"]))):
                raise ValueError(
                    f"flow {number} crosses link {min(unknown)}, and {SUMMARY} has {len(summary['links'])}"
                )
        lane = known_lane(manifest.get("lane", SIM))
    except ScenarioError as error:
        raise refuse(folder, f"a scenario that can be read: {error}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise refuse(folder, f"scenario.toml and summary.json ({error})") from error
    if lacking := [name for name in tables_of(scenario, lane) if f"{name}.parquet" not in files]:
        raise refuse(
            folder,
            f"the tables {', '.join(lacking)}, which the version that wrote it did not save; cwnd run {folder}/scenario.toml makes them",
        )
    captured = FolderPackets(folder, [host for host in scenario.captured_hosts if f"{host}{SUFFIX}" in files])
    counts = {"flow": len(summary["flows"]), "link": len(summary["links"])}
    return Result(scenario, summary, FolderTables(folder, lane, counts), lane=lane, packets=captured)


def load_study(folder: Path) -> Study:
    """The study in a folder."""
    try:
        return study_in(folder)
    except FolderError as error:
        raise NoResultError(str(error)) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise refuse(folder, f"a study with its tables ({error})") from None


def load_replicates(folder: Path) -> Replicates:
    """The replicates in a folder, as the last command that wrote to it left them."""
    try:
        document = read_json(folder / SUMMARY)
        check_shape(document, ReplicatesDocument, SUMMARY, FORWARD, signed=False)
        check_replicates(document)
        return Replicates.of(document)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise refuse(
            folder, f"replicates with their {SUMMARY} ({error}); run the interrupted command again to write it"
        ) from None
