# SPDX-License-Identifier: MIT OR Apache-2.0
"""A kernel trace on disk, as `cwnd kernel trace -o` wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cwnd import _native
from cwnd.kernel.native import KernelInputError

if TYPE_CHECKING:
    import pyarrow as pa

KIND = "cwnd kernel trace"
MANIFEST = "manifest.json"
TABLES = ("flows", "cwnd", "hooks")


class KernelTrace:
    """A trace of connections in the kernel. `cwnd.load` reads one from the folder that `cwnd kernel trace -o` wrote."""

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder = folder
        #: What was traced, and the counts of the trace, as `cwnd kernel trace --json` prints it: algorithm (its name in the kernel), set and
        #: params (if it was traced call by call), seconds, connections, calls, lost, differences, first, states_compared, repaired,
        #: unguarded, versions.
        self.summary = {key: value for key, value in manifest.items() if key not in ("kind", "files", "lane")}
        self._names = tuple(name for name in TABLES if f"{name}.parquet" in manifest["files"])

    def __repr__(self) -> str:
        return f"<cwnd.KernelTrace {self.folder}: {headline(self.summary)}>"

    def rows(self, name: str) -> int:
        """Rows of one of the tables."""
        import pyarrow.parquet as pq

        return int(pq.read_metadata(self._file(name)).num_rows)

    def table(self, name: str) -> pa.Table:
        """One of the tables, as an Arrow table."""
        import pyarrow.parquet as pq

        return pq.read_table(self._file(name))

    @property
    def tables(self) -> Mapping[str, pa.Table]:
        """Every table of the trace by its name. Read when asked for."""
        return TraceTables(self)

    @property
    def flows(self) -> pa.Table:
        """One row per connection: flow, algorithm, ports, first and last time (s on the kernel's clock), calls, retransmits,
        differences between kernel and host."""
        return self.table("flows")

    @property
    def cwnd(self) -> pa.Table:
        """Windows over time: time_s (on the kernel's clock), flow, cwnd and ssthresh (segments), srtt_ms, in_flight, delivered,
        ca_state; a row for each call that can change them, or for each acknowledgement."""
        return self.table("cwnd")

    @property
    def hooks(self) -> pa.Table:
        """Every call of a hook with what it was given and what it left, in the schema of `vectors/golden/README.md`; only of a trace
        call by call."""
        return self.table("hooks")

    def _file(self, name: str) -> Path:
        if name not in self._names:
            raise KeyError(name)
        return self.folder / f"{name}.parquet"


class TraceTables(Mapping[str, "pa.Table"]):
    """A trace's tables by name."""

    def __init__(self, trace: KernelTrace) -> None:
        self._trace = trace

    def __getitem__(self, name: str) -> pa.Table:
        return self._trace.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._trace._names)

    def __len__(self) -> int:
        return len(self._trace._names)


def headline(summary: Mapping[str, Any]) -> str:
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
    if summary["differences"] is not None:
        parts.append(f"{summary['differences']:,} differences")
    return ", ".join(parts)


def replayed(folder: Path, cc: str | None, settings: list[tuple[str, str]]) -> tuple[Path, str, list[tuple[str, str]]]:
    """The file of hook calls of a trace's folder, and the set and parameters to replay it with: by default those of the trace."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text())
        is_trace = manifest["kind"] == KIND
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
        raise KernelInputError("--plugin", "", f"the crate of {traced}, which was traced; or --cc, another algorithm")
    return file, traced, list({**manifest["params"], **dict(settings)}.items())
