# SPDX-License-Identifier: MIT OR Apache-2.0
"""Folders of results of each kind, small and whole, from which `folders.py` makes changed ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import cwnd
from cwnd._native import record_schema
from cwnd.result.store import MANIFEST, TRACE

SMALL = {"rate": "5Mbit/s", "rtt": "20ms", "duration": "1s"}


def run_folder(folder: Path) -> None:
    """A short run with everything in it: flows, traffic, losses."""
    scenario = cwnd.dumbbell(["cubic", "reno"], rate="5Mbit/s", rtt="20ms", loss="random:0.01", duration="1s")
    cwnd.run(scenario, folder=folder, pictures=False)


def replicates_folder(folder: Path) -> None:
    """Two seeds of a short run."""
    cwnd.replicate(cwnd.dumbbell("cubic", rate="5Mbit/s", rtt="20ms", duration="1s"), seeds=2, folder=folder)


def study_folder(folder: Path) -> None:
    """Two points of a study, two seeds each, with a trace."""
    trace = folder.with_name("radio.trace")
    trace.write_text("\n".join(map(str, range(1, 40))) + "\n")
    scenario = folder.with_name("radio.toml")
    link = f'{{ rate = {{ trace = "{trace.name}" }}, rtt = "20ms" }}'
    scenario.write_text(f'duration = "1s"\nlink = {link}\nflow = [{{ cc = "cubic" }}, {{ cc = "reno" }}]\n')
    cwnd.sweep(scenario, {"rtt": ["10ms", "20ms"]}, seeds=2, folder=folder)


#: Values of some columns of a kernel trace; of others a count from 1 on.
TRACED: Mapping[str, Sequence[object]] = {
    "time_s": [0.0, 1.0],
    "first_s": [0.0, 0.0],
    "last_s": [1.0, 1.0],
    "flow": [0, 1],
    "connection": [0, 1],
    "ca_state": ["open", "recovery"],
    "algorithm": ["cubic", "reno"],
    "hook": ["init", "cong_avoid"],
    "kind": ["sent", "received"],
}


def traced(name: str, **changes: pa.Array | None) -> pa.Table:
    """A table of a kernel trace, of two rows, with columns changed or left out."""
    (schema,) = (table for table in record_schema() if table["name"] == name and "kernel" in table["lanes"])
    columns: dict[str, pa.Array] = {}
    for column in schema["columns"]:
        if column["only"] is not None and "kernel" not in column["only"]:
            continue
        kind, values = column["type"], TRACED.get(column["name"], [1, 2])
        if kind == "dictionary":
            columns[column["name"]] = pa.array(values).dictionary_encode()
        elif kind.startswith("fixed_size_binary"):
            columns[column["name"]] = pa.array([bytes(104)] * 2, pa.binary(104))
        elif column["name"] == "ca_state" and kind != "string":
            columns[column["name"]] = pa.array([0, 3], pa.uint32())
        else:
            columns[column["name"]] = pa.array(values, pa.type_for_alias(kind))
    return pa.table({key: value for key, value in {**columns, **changes}.items() if value is not None})


def trace_folder(folder: Path, tables: Sequence[str] = ("flows", "cwnd", "hooks", "packets")) -> None:
    """A trace of two connections, as `cwnd kernel trace` writes it, without a kernel."""
    folder.mkdir()
    for name in tables:
        pq.write_table(traced(name), folder / f"{name}.parquet")
    manifest = {
        **{"kind": TRACE, "lane": "kernel", "algorithm": "cubic", "seconds": 1.0, "connections": 2, "calls": 2},
        **{"lost": 0, "unseen": 0, "differences": None, "first": None, "states_compared": 0, "repaired": 0},
        **{"unguarded": 0, "versions": {"cwnd": "0.1.0", "kernel": "6.12"}},
        "files": sorted(f"{name}.parquet" for name in tables),
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))


#: What makes a folder of each kind.
MAKERS: Mapping[str, Callable[[Path], None]] = {
    "run": run_folder,
    "replicates": replicates_folder,
    "study": study_folder,
    "trace": trace_folder,
}
