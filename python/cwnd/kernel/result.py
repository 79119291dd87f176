# SPDX-License-Identifier: MIT OR Apache-2.0
"""A kernel trace on disk, as `cwnd kernel trace -o` or `cwnd linux trace` wrote it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict, cast

from cwnd import _native
from cwnd._internal.json_files import read_json
from cwnd._internal.json_types import SIGNED
from cwnd._internal.summary_types import TABLES
from cwnd.kernel.native import KernelInputError
from cwnd.result.result import Result
from cwnd.result.store import TRACE
from cwnd.result.tables import FolderTables
from cwnd.result.typed_summary import Summary

MANIFEST = "manifest.json"
LANE = "kernel"


class TracedSet(TypedDict, total=False):
    """What was traced call by call: a parameter set, with the values of its parameters."""

    set: str
    params: dict[str, str]


class TraceSource(TypedDict):
    """What a trace of lane linux was recorded of."""

    #: such as `linux:6.12`
    lane: str
    #: key of the kernel's build
    build: str
    #: its ticks per second
    hz: int
    #: the scenario, in TOML, with its seed
    scenario: str


class TraceSummary(TracedSet):
    """The summary of a trace, as `--json` of `cwnd kernel trace` and of `cwnd linux trace` prints it."""

    #: its name in the kernel; empty: every algorithm
    algorithm: str
    #: how long it lasted (s)
    seconds: float
    connections: int
    #: calls, or acknowledgements, and those of them that were lost
    calls: int
    lost: int
    #: data segments that the kernel counts as sent and that the table `packets` lacks; 0 without that table; not in traces of earlier versions
    unseen: NotRequired[int]
    #: calls that the host computed otherwise, and the first of them; null: nothing was repeated there
    differences: int | None
    first: str | None
    #: not in traces of earlier versions
    states_compared: NotRequired[int]
    repaired: NotRequired[int]
    unguarded: NotRequired[int]
    versions: dict[str, str]
    #: of `cwnd linux trace`: what was run
    source: NotRequired[TraceSource]
    #: digests of the plugins on which calls were repeated
    plugins: NotRequired[dict[str, str]]
    #: the command that was traced, its exit code (null: it was still running; negative: the signal that ended it), and its connections
    command: NotRequired[list[str]]
    exit: NotRequired[Annotated[int | None, SIGNED]]
    command_connections: NotRequired[dict[str, int] | None]


class Manifest(TraceSummary):
    """What `manifest.json` has."""

    kind: str
    lane: str
    files: list[str]


class KernelTrace(Result):
    """A trace of connections in the kernel. `cwnd.load` reads one from the folder that `cwnd kernel trace -o` or `cwnd linux trace` wrote."""

    #: What was traced, how much of it, and whether kernel and host agree.
    summary: TraceSummary  # type: ignore[assignment]  # a lane's own; what takes results of any lane reads tables

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        about = {key: value for key, value in manifest.items() if key not in ("kind", "files", "lane")}
        super().__init__(None, cast("Summary", about), FolderTables(folder, LANE, {}), lane=LANE)
        self.folder = folder
        self._names = [name for name in TABLES[LANE] if f"{name}.parquet" in manifest["files"]]

    def __repr__(self) -> str:
        return f"<cwnd.KernelTrace {self.folder}: {headline(self.summary)}>"

    @property
    def names(self) -> Sequence[str]:
        return self._names


def headline(summary: TraceSummary) -> str:
    """What was traced, how much of it, and whether kernel and host agree."""
    calls, connections = summary["calls"], summary["connections"]
    what = "calls" if "set" in summary else "acknowledgements"
    parts = [
        summary["algorithm"] or "every algorithm",
        f"{connections:,} connection{'' if connections == 1 else 's'}",
        f"{calls:,} {what}",
    ]
    if summary["lost"]:
        parts.append(f"{summary['lost']:,} lost")
    if unseen := summary.get("unseen"):
        parts.append(f"{unseen:,} data segments unseen")
    if summary["differences"] is not None:
        parts.append(f"{summary['differences']:,} differences")
    return ", ".join(parts)


def replayed(folder: Path, cc: str | None, settings: list[tuple[str, str]]) -> tuple[Path, str, list[tuple[str, str]]]:
    """The file of hook calls of a trace's folder, and the set and parameters to replay it with: by default those of the trace."""
    try:
        manifest = read_json(folder / MANIFEST)
        is_trace = manifest["kind"] == TRACE
    except (OSError, ValueError, KeyError, TypeError):
        is_trace = False
    if not is_trace:
        raise KernelInputError("FILE", folder, "recorded hook calls, or the folder of a cwnd kernel trace")
    traced, file = manifest.get("set"), folder / "hooks.parquet"
    if traced is None or not file.is_file():
        raise KernelInputError("FILE", folder, "a trace call by call; this one has no hooks.parquet")
    if cc is not None and cc != traced:
        return file, cc, settings
    if traced not in {each["name"] for algorithm in _native.algorithms() for each in algorithm["sets"]}:
        raise KernelInputError(
            "--plugin", "", f"the crate of the parameter set {traced}, if a plugin has it; or --cc, another algorithm"
        )
    return file, traced, list({**manifest["params"], **dict(settings)}.items())
